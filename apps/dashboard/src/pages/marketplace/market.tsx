import type { Entry } from '@holdfast/sdk';
import { Button, Select, SimpleGrid } from '@mantine/core';
import { IconBuildingStore } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { api } from '../../api.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageTurner, usePageNumber } from '../../parts/page-turner.tsx';
import { ListingCard } from './listing-card.tsx';
import { ListingDetails } from './listing-details.tsx';
import { MarketNav } from './market-nav.tsx';
import { categories, categoryWords, sortWords } from './market-words.ts';
import { useMarketFilter } from './use-market-filter.ts';

type Listing = Entry<'listListings'>;

/** Fills whole rows of two and of three. */
const cardsOnPage = 24;

export const Market = () => {
  const page = usePageNumber();
  const { sort, category } = useMarketFilter();
  const [opened, setOpened] = useState<Listing>();
  const listings = useQuery({
    queryKey: ['listings', 'market', page, sort, category],
    queryFn: () => api.listListings({ query: { page, limit: cardsOnPage, sort, category } }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  return (
    <>
      <PageHead
        title="Marketplace"
        description="Templates of whole servers, designs, bots and services. What you pay is held until you have it."
      />
      <MarketNav />
      <Filter />
      <Loaded query={listings} height={420}>
        {({ data, pagination }) =>
          pagination.total === 0 ? (
            <NothingForSale isFiltered={category !== undefined} />
          ) : (
            <>
              <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }} spacing="lg">
                {data.map((listing) => (
                  <ListingCard
                    key={listing.id}
                    listing={listing}
                    onOpen={() => setOpened(listing)}
                  />
                ))}
              </SimpleGrid>
              <PageTurner pagination={pagination} />
            </>
          )
        }
      </Loaded>
      <ListingDetails listing={opened} onClose={() => setOpened(undefined)} />
    </>
  );
};

const Filter = () => {
  const { sort, category, set } = useMarketFilter();
  return (
    <SimpleGrid cols={2} spacing="sm" mb="lg" maw={480}>
      <Select
        label="Category"
        placeholder="Everything"
        data={categories.map((value) => ({ value, label: categoryWords[value].label }))}
        value={category ?? null}
        onChange={(value) => set('category', value)}
        clearable
        clearButtonProps={{ 'aria-label': 'Show every category' }}
      />
      <Select
        label="Order"
        data={Object.entries(sortWords).map(([value, label]) => ({ value, label }))}
        value={sort}
        onChange={(value) => set('sort', value)}
        allowDeselect={false}
      />
    </SimpleGrid>
  );
};

const NothingForSale = ({ isFiltered }: { isFiltered: boolean }) => (
  <Empty
    icon={IconBuildingStore}
    title={isFiltered ? 'Nothing of this kind is for sale' : 'Nothing is for sale yet'}
    action={
      <Button component={Link} to="/marketplace/selling" variant="default">
        Sell something
      </Button>
    }
  >
    {isFiltered
      ? 'Choose another category, or look at everything.'
      : 'Be the first: a backup of a server that you are proud of can be a template for others.'}
  </Empty>
);
