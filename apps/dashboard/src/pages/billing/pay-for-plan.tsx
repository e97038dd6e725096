import type { PayWay, PlanName } from '@holdfast/contract';
import { Button, Text } from '@mantine/core';
import { api } from '../../api.ts';
import { useAct } from '../../parts/use-act.ts';
import { useStanding } from '../../parts/use-standing.ts';
import { moneyWords } from '../../parts/words.ts';
import type { PlanOffer } from './plan-card.tsx';
import { planLabels, planOrder } from './plan-words.ts';

type PayForPlanProps = { offer: PlanOffer; payWith: PayWay; current: PlanName };

/** To the provider's page, or why there is nothing to pay. */
export const PayForPlan = ({ offer: { name, priceCents }, payWith, current }: PayForPlanProps) => {
  const { data: standing } = useStanding();
  const pay = useAct(
    (plan: Exclude<PlanName, 'FREE'>) => api.createInvoice({ body: { plan, payWith } }),
    {
      touches: [['account'], ['billing'], ['ledger']],
      onDone: ({ payUrl }) => {
        if (payUrl !== null) location.assign(payUrl);
      },
    },
  );
  const isOwn = name === current;
  const isPaying = pay.isPending || (pay.isSuccess && pay.data.payUrl !== null);
  const rank = planOrder.indexOf(name) - planOrder.indexOf(current);
  if (name === 'FREE' || rank < 0) return <Nothing>{isOwn ? '' : 'Included in yours'}</Nothing>;
  if (isOwn && standing?.renews === true) return <Nothing>It renews by itself</Nothing>;
  if (isOwn && standing?.provider === null) return <Nothing>Given by the operator</Nothing>;
  const held = (standing?.creditCents ?? 0) + Math.max(0, standing?.earnedCents ?? 0);
  if (payWith === 'BALANCE' && held < priceCents) {
    return <Nothing>{`You have ${moneyWords(held, standing?.currency ?? 'USD')}`}</Nothing>;
  }
  return (
    <Button
      variant={isOwn ? 'default' : 'filled'}
      loading={isPaying}
      onClick={() => pay.mutate(name)}
      fullWidth
    >
      {isOwn ? payAgainWords(payWith) : `Choose ${planLabels[name]}`}
    </Button>
  );
};

const payAgainWords = (payWith: PayWay): string =>
  payWith === 'CARD' ? 'Pay by card' : 'Pay for 30 days more';

const Nothing = ({ children }: { children: string }) => (
  <Text size="sm" c="dimmed" ta="center" mih={36} pt={8}>
    {children}
  </Text>
);
