import { Button, Group, Text } from '@mantine/core';
import { IconBuildingStore, IconSearchOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { LoadedList, PageTurner, usePageNumber } from '../../../components/list.tsx';
import { Empty, PageHead } from '../../../components/page.tsx';
import { plural } from '../../../labels/format.ts';
import { nothingFoundLabel } from '../../../labels/marketplace.ts';
import { type ListingFilter, listingsQuery } from '../../../queries/marketplace.ts';
import { MarketNav } from '../market-nav.tsx';
import { ListingGrid } from './listing-card.tsx';
import { FilterBar, useListingFilter } from './listing-filter.tsx';

export const Market = () => {
  const state = useListingFilter();
  const { filter } = state;
  const listings = useQuery(listingsQuery(filter, usePageNumber()));
  const isFiltered = filter.search !== undefined || filter.category !== undefined;
  return (
    <>
      <PageHead
        title="Marketplace"
        description="Templates of whole servers, designs, bots and services. Your money is held until you have received the goods."
      />
      <MarketNav />
      <FilterBar state={state} />
      <LoadedList
        query={listings}
        height={420}
        empty={isFiltered ? <NothingFound filter={filter} onClear={state.clear} /> : <NoListings />}
      >
        {({ data, pagination }) => (
          <>
            {isFiltered && (
              <Text size="sm" c="dimmed" mb="sm" role="status" className="holdfast-number">
                {plural(pagination.total, 'listing')} found
              </Text>
            )}
            <ListingGrid listings={data} />
            <PageTurner pagination={pagination} />
          </>
        )}
      </LoadedList>
    </>
  );
};

const sellButton = (
  <Button component={Link} to="/marketplace/selling" variant="default">
    Sell something
  </Button>
);

const NoListings = () => (
  <Empty icon={IconBuildingStore} title="Nothing is for sale yet" action={sellButton}>
    Be the first: a backup of a server that you are proud of can be a template for others.
  </Empty>
);

type NothingFoundProps = { filter: ListingFilter; onClear: () => void };

const NothingFound = ({ filter, onClear }: NothingFoundProps) => (
  <Empty
    icon={IconSearchOff}
    title={nothingFoundLabel(filter)}
    action={
      <Group gap="sm" justify="center">
        <Button onClick={onClear}>Show everything</Button>
        {sellButton}
      </Group>
    }
  >
    {filter.search
      ? 'Every word must be in the title or the description. Try fewer words, or only the beginning of one.'
      : 'Choose another category, or show everything.'}
  </Empty>
);
