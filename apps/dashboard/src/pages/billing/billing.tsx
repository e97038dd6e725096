import { SimpleGrid, Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { Figure } from '../../components/display.tsx';
import { PageHead, Section } from '../../components/page.tsx';
import { formatMoney } from '../../labels/format.ts';
import { billingStatusQuery } from '../../queries/billing.ts';
import { CurrentPlan } from './current-plan.tsx';
import { PlanComparison } from './plans.tsx';
import { Receipts } from './receipts.tsx';
import { BillingEvents, Ledger } from './transactions.tsx';

export const Billing = () => (
  <>
    <PageHead
      title="Billing"
      description="Your plan and its limits, how it is paid for, receipts and transactions."
    />
    <Stack gap="lg">
      <CurrentPlan />
      <PlanComparison />
      <Receipts />
      <Transactions />
    </Stack>
  </>
);

/** The chosen list is in the address. Switching drops the page number, which belongs to the other list. */
const Transactions = () => {
  const [search, setSearch] = useSearchParams();
  const shown = search.get('list') === 'events' ? 'events' : 'ledger';
  return (
    <Section title="Transactions">
      <Balances />
      <Tabs
        value={shown}
        onChange={(list) => setSearch(list === 'events' ? { list } : {}, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="ledger">Earnings and credit</Tabs.Tab>
          <Tabs.Tab value="events">Payments</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="ledger">
          <Ledger />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <BillingEvents />
        </Tabs.Panel>
      </Tabs>
    </Section>
  );
};

/** The two pots of the ledger, and what each can be used for. */
const Balances = () => {
  const { data: billing } = useQuery(billingStatusQuery);
  if (!billing) return null;
  const { earnedCents, clearingCents, creditCents, currency } = billing;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg" mb="lg">
      <Figure
        label="Available earnings"
        value={formatMoney(earnedCents - clearingCents, currency)}
        hint="From sales. Paid out, or spent on the marketplace and on plans."
      />
      {clearingCents > 0 && (
        <Figure
          label="Clearing"
          value={formatMoney(clearingCents, currency)}
          hint="From the newest sales. Pays for plans; available for all else some days after each sale."
        />
      )}
      <Figure
        label="Credit"
        value={formatMoney(creditCents, currency)}
        hint="From refunds and late payments. Pays for plans."
      />
    </SimpleGrid>
  );
};
