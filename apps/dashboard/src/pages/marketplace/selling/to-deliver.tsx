import { Group, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Moment } from '../../../components/display.tsx';
import { type Column, RecordTable } from '../../../components/list.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { Section } from '../../../components/page.tsx';
import { formatCount, formatRatio } from '../../../labels/format.ts';
import { ordersToDeliverQuery } from '../../../queries/marketplace.ts';
import type { OwnOrder } from '../../../queries/records.ts';
import { RowTitle } from '../category.tsx';

const nextStep = ({ fulfillment: { delivered, total } }: OwnOrder): string =>
  delivered < total ? 'You deliver it' : 'The buyer confirms it';

const columns: Column<OwnOrder>[] = [
  {
    header: 'Order',
    cell: ({ id, listingTitle, category }) => (
      <RowTitle to={`/marketplace/orders/${id}`} title={listingTitle} category={category} />
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

/** Paid orders that are delivered by hand. */
export const ToDeliver = () => (
  <Loaded query={useQuery(ordersToDeliverQuery)} height={96}>
    {({ data, pagination }) =>
      pagination.total === 0 ? (
        <NothingToDeliver />
      ) : (
        <Orders orders={data} more={pagination.total - data.length} />
      )
    }
  </Loaded>
);

const NothingToDeliver = () => (
  <Section title="To deliver">
    <Text size="sm" c="dimmed">
      No paid order waits for you. Templates are delivered automatically; everything else appears
      here once it is paid.
    </Text>
  </Section>
);

const Orders = ({ orders, more }: { orders: OwnOrder[]; more: number }) => (
  <Section
    title="To deliver"
    note="These are paid. Report what you have delivered: you get the money when the buyer confirms it, or after 14 days."
  >
    <RecordTable caption="Orders to deliver" columns={columns} rows={orders} />
    {more > 0 && (
      <Text size="sm" c="dimmed" mt="sm">
        And {formatCount(more)} more among your orders.
      </Text>
    )}
  </Section>
);

type DeliveredBarProps = { delivered: number; total: number };

const DeliveredBar = ({ delivered, total }: DeliveredBarProps) => (
  <Group gap="xs" wrap="nowrap" miw={140}>
    <Progress value={(delivered / total) * 100} flex={1} aria-hidden />
    <Text size="sm" className="holdfast-number">
      {formatRatio(delivered, total)}
    </Text>
  </Group>
);
