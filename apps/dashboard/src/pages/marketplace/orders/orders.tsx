import { Button, SegmentedControl, Text } from '@mantine/core';
import { IconPackage } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { Moment, Name } from '../../../components/display.tsx';
import { type Column, PagedTable, tableFrame, usePageNumber } from '../../../components/list.tsx';
import { Empty, PageHead } from '../../../components/page.tsx';
import { formatCount } from '../../../labels/format.ts';
import { formatPrice } from '../../../labels/marketplace.ts';
import { orderAction, payUntilLabel } from '../../../labels/orders.ts';
import { ordersQuery } from '../../../queries/marketplace.ts';
import type { OwnOrder } from '../../../queries/records.ts';
import { RowTitle } from '../category.tsx';
import { MarketNav } from '../market-nav.tsx';
import { OrderBadge } from './order-stepper.tsx';
import classes from './orders.module.css';

type Side = 'BOUGHT' | 'SOLD';

const columnsOf = (side: Side): Column<OwnOrder>[] => [
  {
    header: 'Order',
    cell: ({ id, listingTitle, quantity, category }) => (
      <RowTitle to={`/marketplace/orders/${id}`} title={listingTitle} category={category}>
        {quantity > 1 && ` × ${formatCount(quantity)}`}
      </RowTitle>
    ),
  },
  {
    header: side === 'SOLD' ? 'Buyer' : 'Seller',
    cell: ({ otherParty }) => (otherParty ? <Name>{otherParty.username}</Name> : '–'),
  },
  { header: 'Status', cell: (order) => <Status order={order} /> },
  {
    header: 'Total',
    cell: ({ totalCents, currency }) => formatPrice(totalCents, currency),
    isNumber: true,
  },
  { header: 'Placed', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { header: '', cell: (order) => <Action order={order} /> },
];

const Status = ({ order }: { order: OwnOrder }) => {
  const payUntil = payUntilLabel(order);
  return (
    <div>
      <OrderBadge status={order.status} />
      {payUntil && (
        <Text size="xs" c="dimmed" mt={4}>
          {payUntil}
        </Text>
      )}
    </div>
  );
};

/** Paying is done at the provider, the rest on the page of the order. */
const Action = ({ order }: { order: OwnOrder }) => {
  const label = orderAction(order);
  const described = `${label}: ${order.listingTitle}`;
  if (!label) return null;
  return label === 'Pay' ? (
    <Button
      component="a"
      href={order.checkoutUrl ?? ''}
      size="xs"
      className={classes.action}
      aria-label={described}
    >
      {label}
    </Button>
  ) : (
    <Button
      component={Link}
      to={`/marketplace/orders/${order.id}`}
      size="xs"
      className={classes.action}
      aria-label={described}
    >
      {label}
    </Button>
  );
};

/** The chosen side is in the address. */
const useSide = () => {
  const [search, setSearch] = useSearchParams();
  const side: Side = search.get('side') === 'sold' ? 'SOLD' : 'BOUGHT';
  const choose = (chosen: string) =>
    setSearch(chosen === 'SOLD' ? { side: 'sold' } : {}, { replace: true });
  return { side, choose };
};

export const Orders = () => {
  const { side, choose } = useSide();
  const orders = useQuery(ordersQuery(side, usePageNumber()));
  return (
    <>
      <PageHead title="Orders" description="What you bought and sold, with its status." />
      <MarketNav />
      <SegmentedControl
        aria-label="Which orders"
        value={side}
        onChange={choose}
        data={[
          { value: 'BOUGHT', label: 'Bought' },
          { value: 'SOLD', label: 'Sold' },
        ]}
        mb="md"
      />
      <PagedTable
        query={orders}
        height={240}
        empty={<NoOrders side={side} />}
        caption={side === 'SOLD' ? 'What you sold' : 'What you bought'}
        columns={columnsOf(side)}
        frame={tableFrame}
      />
    </>
  );
};

const NoOrders = ({ side }: { side: Side }) =>
  side === 'SOLD' ? (
    <Empty
      icon={IconPackage}
      title="Nothing was ordered from you yet"
      action={
        <Button component={Link} to="/marketplace/selling" variant="default">
          Your listings
        </Button>
      }
    >
      Orders of your listings appear here, with what you have to deliver.
    </Empty>
  ) : (
    <Empty
      icon={IconPackage}
      title="You have bought nothing yet"
      action={
        <Button component={Link} to="/marketplace">
          Browse
        </Button>
      }
    >
      What you order on the marketplace appears here, from payment to delivery.
    </Empty>
  );
