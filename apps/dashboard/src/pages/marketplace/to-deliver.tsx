import type { Entry } from '@holdfast/sdk';
import { Anchor, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../../api.ts';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { Section } from '../../parts/section.tsx';
import { countWords } from '../../parts/words.ts';
import { DeliveredBar } from './delivered-bar.tsx';

type OwnOrder = Entry<'listOwnOrders'>;

const shownAtOnce = 20;

const columns: Column<OwnOrder>[] = [
  {
    header: 'Order',
    cell: ({ id, listingTitle }) => (
      <Anchor component={Link} to={`/marketplace/orders/${id}`} fw={500}>
        <Name>{listingTitle}</Name>
      </Anchor>
    ),
  },
  { header: 'Paid', cell: ({ paidAt }) => <Moment at={paidAt} /> },
  {
    header: 'Delivered',
    cell: ({ fulfillment: { delivered, total } }) => (
      <DeliveredBar delivered={delivered} total={total} />
    ),
  },
  { header: 'Whose turn', cell: (order) => turnOf(order) },
];

const turnOf = ({ fulfillment: { delivered, total } }: OwnOrder): string =>
  delivered < total ? 'Yours: deliver it' : 'The buyer’s: confirm it';

/** What was paid for and is delivered by hand; shown only where there is some. */
export const ToDeliver = () => {
  const { data: found } = useQuery({
    queryKey: ['orders', 'to-deliver'],
    queryFn: () => api.listOwnOrders({ query: { view: 'TO_DELIVER', limit: shownAtOnce } }),
    placeholderData: keepPreviousData,
    refetchInterval: 5000,
  });
  if (!found || found.pagination.total === 0) return null;
  const more = found.pagination.total - found.data.length;
  return (
    <Section
      title="To deliver"
      note="Paid for and held for you. Report what you have delivered; the buyer confirms it, or 14 days pass, and the money is yours."
    >
      <RecordTable caption="Orders to deliver" columns={columns} rows={found.data} />
      {more > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          And {countWords(more)} more among your orders.
        </Text>
      )}
    </Section>
  );
};
