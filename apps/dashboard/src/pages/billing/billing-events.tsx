import type { PaymentProvider } from '@holdfast/contract';
import type { Entry } from '@holdfast/sdk';
import { Code, Group, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { PageTurner, usePageNumber } from '../../parts/page-turner.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { eventWords, outcomeWords } from './event-words.ts';

type BillingEvent = Entry<'listBillingEvents'>;

const providerWords: Record<PaymentProvider, string> = { CARD: 'Card', CRYPTO: 'Cryptocurrency' };

const columns: Column<BillingEvent>[] = [
  { header: 'When', cell: ({ createdAt }) => <Moment at={createdAt} isExact /> },
  { header: 'Provider', cell: ({ provider }) => providerWords[provider] },
  { header: 'What arrived', cell: ({ type }) => eventWords(type) },
  {
    header: 'What it did',
    cell: ({ outcome }) => (
      <Group gap="xs">
        <StatusBadge status={outcome} />
        <Text size="sm">{outcomeWords[outcome]}</Text>
      </Group>
    ),
  },
  {
    header: 'Its id',
    cell: ({ providerEventId }) => <Code>{providerEventId}</Code>,
  },
];

export const BillingEvents = () => {
  const page = usePageNumber();
  const events = useQuery({
    queryKey: ['billing-events', page],
    queryFn: () => api.listBillingEvents({ query: { page } }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  return (
    <Loaded query={events}>
      {({ data, pagination }) =>
        pagination.total === 0 ? (
          <Text size="sm">No payment provider has told us anything about you yet.</Text>
        ) : (
          <>
            <RecordTable
              caption="What the payment providers told about you"
              columns={columns}
              rows={data}
            />
            <PageTurner pagination={pagination} />
          </>
        )
      }
    </Loaded>
  );
};
