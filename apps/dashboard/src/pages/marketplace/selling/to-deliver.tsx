import { Anchor, Group, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Moment, Name } from '../../../components/display.tsx';
import { type Column, RecordTable } from '../../../components/list.tsx';
import { Section } from '../../../components/page.tsx';
import { formatCount, formatRatio } from '../../../labels/format.ts';
import { ordersToDeliverQuery } from '../../../queries/marketplace.ts';
import type { OwnOrder } from '../../../queries/records.ts';

const nextStep = ({ fulfillment: { delivered, total } }: OwnOrder): string =>
  delivered < total ? 'You deliver it' : 'The buyer confirms it';

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
  { header: 'Next step', cell: nextStep },
];

/** Paid orders that are delivered by hand; nothing where there are none. */
export const ToDeliver = () => {
  const { data: found } = useQuery(ordersToDeliverQuery);
  if (!found || found.pagination.total === 0) return null;
  const more = found.pagination.total - found.data.length;
  return (
    <Section
      title="To deliver"
      note="These are paid. Report what you have delivered: you get the money when the buyer confirms it, or after 14 days."
    >
      <RecordTable caption="Orders to deliver" columns={columns} rows={found.data} />
      {more > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          And {formatCount(more)} more among your orders.
        </Text>
      )}
    </Section>
  );
};

type DeliveredBarProps = { delivered: number; total: number };

const DeliveredBar = ({ delivered, total }: DeliveredBarProps) => (
  <Group gap="xs" wrap="nowrap" miw={140}>
    <Progress value={(delivered / total) * 100} flex={1} aria-hidden />
    <Text size="sm" className="holdfast-number">
      {formatRatio(delivered, total)}
    </Text>
  </Group>
);
