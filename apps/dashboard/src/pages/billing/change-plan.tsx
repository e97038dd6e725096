import type { PlanName } from '@holdfast/contract';
import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { planLabels, planOrder } from '../../labels/billing.ts';
import { formatMoney, formatTime } from '../../labels/format.ts';
import { changedBySubscription, upgradePreviewQuery } from '../../queries/billing.ts';
import type { CardSubscription, PlanOffer } from '../../queries/records.ts';

type PaidPlan = Exclude<PlanName, 'FREE'>;
type ChangePlanProps = { to: PaidPlan; offer: PlanOffer; card: CardSubscription };

/** Changes the card subscription, after saying what that costs and when it begins. */
export const ChangePlan = ({ to, offer, card }: ChangePlanProps) => {
  const [isOpen, { open, close }] = useDisclosure();
  const isHigher = planOrder.indexOf(to) > planOrder.indexOf(card.plan);
  const label = `Change to ${planLabels[to]}`;
  if (card.nextPlan === to) {
    return (
      <Text size="sm" c="dimmed" ta="center" mih={36} pt={8}>
        Begins {formatTime(card.currentPeriodEnd)}
      </Text>
    );
  }
  return (
    <>
      <Button variant={isHigher ? 'filled' : 'default'} onClick={open} fullWidth>
        {label}
      </Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={close}
        title={`${label}?`}
        label={label}
        color="tide"
        isDangerous
        action={() => api.changeSubscription({ body: { plan: to } })}
        message={
          isHigher
            ? `You are on the ${planLabels[to]} plan now.`
            : `${planLabels[to]} begins on ${formatTime(card.currentPeriodEnd)}.`
        }
        invalidates={changedBySubscription}
      >
        <Stack gap="xs">
          {isHigher ? (
            <UpgradeCost to={to} offer={offer} card={card} />
          ) : (
            <Text size="sm">
              You keep {planLabels[card.plan]} until {formatTime(card.currentPeriodEnd)}. Nothing is
              charged now; from then on it is {planLabels[to]} for {formatMoney(offer.priceCents)} a
              month. A lower plan deletes nothing.
            </Text>
          )}
          {card.cancelledAt !== null && (
            <Text size="sm">Your subscription is cancelled. This resumes it.</Text>
          )}
        </Stack>
      </ConfirmDialog>
    </>
  );
};

const UpgradeCost = ({ to, offer, card }: ChangePlanProps) => {
  const { data: preview, isPending } = useQuery(upgradePreviewQuery(to));
  const dueNow = preview && formatMoney(preview.dueCents, preview.currency);
  return (
    <>
      <Text size="sm" className="holdfast-number" aria-live="polite">
        {dueNow ? (
          <>
            Your card is charged <b>{dueNow}</b> now: the difference for the rest of this period.
          </>
        ) : (
          `Your card is charged the difference for the rest of this period now${isPending ? '…' : '.'}`
        )}
      </Text>
      <Text size="sm" className="holdfast-number">
        {planLabels[to]} begins at once. From {formatTime(card.currentPeriodEnd)} on it is{' '}
        {formatMoney(offer.priceCents)} a month.
      </Text>
    </>
  );
};
