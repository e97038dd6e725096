import { Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
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
    <Section title="Transactions" note={<BalanceNote />}>
      <Tabs
        value={shown}
        onChange={(list) => setSearch(list === 'events' ? { list } : {}, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="ledger">Balance</Tabs.Tab>
          <Tabs.Tab value="events">Provider events</Tabs.Tab>
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

const BalanceNote = () => {
  const { data: billing } = useQuery(billingStatusQuery);
  return (
    <span className="holdfast-number">
      {billing &&
        `Earned: ${formatMoney(billing.earnedCents, billing.currency)}. Credit: ${formatMoney(billing.creditCents, billing.currency)}. `}
      Earnings from sales can be paid out or spent on the marketplace. Credit comes from refunds and
      late payments, and pays for plans.
    </span>
  );
};
