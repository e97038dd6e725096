import { Paper, Tabs, Text, Title } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { useStanding } from '../../parts/use-standing.ts';
import { moneyWords } from '../../parts/words.ts';
import { BillingEvents } from './billing-events.tsx';
import { Ledger } from './ledger.tsx';

/** Which of the two is looked at stands in the address; a page of one is none of the other. */
export const MoneyRecords = () => {
  const [search, setSearch] = useSearchParams();
  const shown = search.get('list') === 'events' ? 'events' : 'ledger';
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="money">
      <Title order={2} size="h4" id="money" mb={4}>
        Movements of money
      </Title>
      <BalanceLine />
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
    </Paper>
  );
};

const BalanceLine = () => {
  const { data: standing } = useStanding();
  return (
    <Text size="sm" c="dimmed" mb="md" className="holdfast-number">
      {standing &&
        `Earned: ${moneyWords(standing.earnedCents, standing.currency)}. Credit: ${moneyWords(standing.creditCents, standing.currency)}. `}
      What your sales earned can be paid out and can buy on the marketplace. Credit comes from
      refunds and late payments, and pays for plans.
    </Text>
  );
};
