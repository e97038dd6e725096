import type { Entry } from '@holdfast/sdk';
import { Anchor, Button, Paper, SegmentedControl } from '@mantine/core';
import { IconPackage } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { api } from '../../api.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageTurner, usePageNumber } from '../../parts/page-turner.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { countWords } from '../../parts/words.ts';
import { MarketNav } from './market-nav.tsx';
import { payWords } from './market-words.ts';
import { OrderBadge } from './order-badge.tsx';
import { priceWords } from './price.ts';

type OwnOrder = Entry<'listOwnOrders'>;
type Side = 'BOUGHT' | 'SOLD';

const columns: Column<OwnOrder>[] = [
  {
    header: 'Order',
    cell: ({ id, listingTitle }) => (
      <Anchor component={Link} to={`/marketplace/orders/${id}`} fw={500}>
        <Name>{listingTitle}</Name>
      </Anchor>
    ),
  },
  { header: 'State', cell: ({ status }) => <OrderBadge status={status} /> },
  { header: 'How many', cell: ({ quantity }) => countWords(quantity), isNumber: true },
  {
    header: 'Total',
    cell: ({ totalCents, currency }) => priceWords(totalCents, currency),
    isNumber: true,
  },
  {
    header: 'Paid with',
    cell: ({ payWith, totalCents }) => (totalCents === 0 ? 'Nothing' : payWords[payWith]),
  },
  { header: 'Placed', cell: ({ createdAt }) => <Moment at={createdAt} /> },
];

/** Which side one looks at stands in the address. */
const useSide = () => {
  const [search, setSearch] = useSearchParams();
  const side: Side = search.get('side') === 'sold' ? 'SOLD' : 'BOUGHT';
  const choose = (chosen: string) =>
    setSearch(chosen === 'SOLD' ? { side: 'sold' } : {}, { replace: true });
  return { side, choose };
};

export const Orders = () => {
  const page = usePageNumber();
  const { side, choose } = useSide();
  const orders = useQuery({
    queryKey: ['orders', side, page],
    queryFn: () => api.listOwnOrders({ query: { view: side, page } }),
    placeholderData: keepPreviousData,
    refetchInterval: 5000,
  });
  return (
    <>
      <PageHead
        title="Orders"
        description="What you bought and what you sold, and where it stands."
      />
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
      <Loaded query={orders} height={240}>
        {({ data, pagination }) =>
          pagination.total === 0 ? (
            <NoOrders side={side} />
          ) : (
            <>
              <Paper withBorder px="md" py="xs">
                <RecordTable
                  caption={side === 'SOLD' ? 'What you sold' : 'What you bought'}
                  columns={columns}
                  rows={data}
                />
              </Paper>
              <PageTurner pagination={pagination} />
            </>
          )
        }
      </Loaded>
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
          What you sell
        </Button>
      }
    >
      Orders on your listings stand here, with what you have to deliver.
    </Empty>
  ) : (
    <Empty
      icon={IconPackage}
      title="You have bought nothing yet"
      action={
        <Button component={Link} to="/marketplace">
          Look around
        </Button>
      }
    >
      What you order on the marketplace stands here, from the payment to the delivery.
    </Empty>
  );
