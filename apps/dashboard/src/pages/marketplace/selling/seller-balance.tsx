import type { PlanName } from '@holdfast/contract';
import { Alert, Button, Group, NumberInput, SimpleGrid, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api.ts';
import { ConfirmDialog } from '../../../components/confirm.tsx';
import { Figure } from '../../../components/display.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { Section, TextLink } from '../../../components/page.tsx';
import { planLabels } from '../../../labels/billing.ts';
import { formatMoney } from '../../../labels/format.ts';
import { parseCents } from '../../../labels/marketplace.ts';
import { accountQuery } from '../../../queries/account.ts';
import { billingStatusQuery } from '../../../queries/billing.ts';
import { queryKeys } from '../../../queries/query-keys.ts';
import type { BillingStatus } from '../../../queries/records.ts';

export const SellerBalance = () => {
  const billing = useQuery(billingStatusQuery);
  return (
    <Section title="Earnings" more={{ to: '/billing', label: 'Transactions' }}>
      <Loaded query={billing} height={72}>
        {(found) => <Balance billing={found} />}
      </Loaded>
    </Section>
  );
};

const Balance = ({ billing }: { billing: BillingStatus }) => {
  const { data: account } = useQuery(accountQuery);
  const { earnedCents, clearingCents, currency } = billing;
  const availableCents = earnedCents - clearingCents;
  const fee = account?.limits.marketplaceFeePercent ?? 0;
  return (
    <>
      {earnedCents < 0 && <DebtNote />}
      <Group justify="space-between" align="flex-end" gap="lg">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xl">
          <Figure
            label="Available earnings"
            value={formatMoney(availableCents, currency)}
            hint={
              availableCents > 0
                ? 'Spend it here, or request a payout'
                : 'You can request a payout once it is above zero'
            }
          />
          {clearingCents > 0 && (
            <Figure
              label="Clearing"
              value={formatMoney(clearingCents, currency)}
              hint="From the newest sales. Available some days after each"
            />
          )}
          <Figure
            label="Fee on each sale"
            value={`${fee.toLocaleString()} %`}
            hint={account && <FeeHint plan={account.plan} />}
          />
        </SimpleGrid>
        {availableCents > 0 && (
          <RequestPayout availableCents={availableCents} currency={currency} />
        )}
      </Group>
    </>
  );
};

const FeeHint = ({ plan }: { plan: PlanName }) => (
  <>
    On the {planLabels[plan]} plan{plan === 'ENTERPRISE' ? ', the highest.' : '. '}
    {plan !== 'ENTERPRISE' && <TextLink to="/billing">Higher plans pay less</TextLink>}
  </>
);

const DebtNote = () => (
  <Alert color="yellow" icon={<IconInfoCircle aria-hidden />} mb="md" title="You owe the platform">
    <Text size="sm">
      A buyer was refunded by the card provider after the order was completed, or disputes the
      payment, so the money was taken back from you. Payouts are possible once your earnings are
      above zero.
    </Text>
  </Alert>
);

type PayoutProps = { availableCents: number; currency: string };

/** Payouts cannot be undone, so the amount is confirmed in a dialog. */
const RequestPayout = ({ availableCents, currency }: PayoutProps) => {
  const form = useForm({ initialValues: { amount: '' as number | string } });
  const [isAsking, asking] = useDisclosure(false);
  const amountCents = parseCents(form.values.amount) ?? 0;
  const isTooMuch = amountCents > availableCents;
  const isReady = amountCents > 0 && !isTooMuch;
  return (
    <form
      onSubmit={form.onSubmit(() => {
        if (isReady) asking.open();
      })}
    >
      <Group align="flex-end" gap="sm">
        <NumberInput
          label={`Amount in ${currency}`}
          min={0}
          decimalScale={2}
          hideControls
          w={140}
          {...form.getInputProps('amount')}
          error={isTooMuch ? 'More than is available' : undefined}
        />
        <Button type="submit" variant="default" disabled={!isReady}>
          Request a payout
        </Button>
      </Group>
      <ConfirmDialog
        isDangerous
        opened={isAsking}
        onClose={asking.close}
        title="Request a payout"
        label={`Pay out ${formatMoney(amountCents, currency)}`}
        action={() => api.createPayout({ body: { amountCents } })}
        message="The payout is requested. The operator sends it to you."
        invalidates={[queryKeys.ledger]}
        onSuccess={form.reset}
      >
        {formatMoney(amountCents, currency)} are taken from your earnings at once. The operator then
        sends them to you; this cannot be undone.
      </ConfirmDialog>
    </form>
  );
};
