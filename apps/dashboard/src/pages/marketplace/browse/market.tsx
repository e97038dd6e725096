import type { ListingSort } from '@holdfast/contract';
import { Button, Select, SimpleGrid } from '@mantine/core';
import { IconBuildingStore } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import {
  LoadedList,
  PageTurner,
  usePageNumber,
  useSearchParameter,
} from '../../../components/list.tsx';
import { Empty, PageHead } from '../../../components/page.tsx';
import { choicesOf } from '../../../labels/format.ts';
import { categories, categoryLabels, sortLabels } from '../../../labels/marketplace.ts';
import { type ListingFilter, listingsQuery } from '../../../queries/marketplace.ts';
import type { Listing } from '../../../queries/records.ts';
import { MarketNav } from '../market-nav.tsx';
import { ListingCard, ListingDetails } from './listing.tsx';

export const Market = () => {
  const [filter, setFilter] = useListingFilter();
  const [opened, setOpened] = useState<Listing>();
  const listings = useQuery(listingsQuery(filter, usePageNumber()));
  return (
    <>
      <PageHead
        title="Marketplace"
        description="Templates of whole servers, designs, bots and services. Your money is held until you have received the goods."
      />
      <MarketNav />
      <FilterFields filter={filter} onChange={setFilter} />
      <LoadedList
        query={listings}
        height={420}
        empty={<NoListings isFiltered={filter.category !== undefined} />}
      >
        {({ data, pagination }) => (
          <>
            <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }} spacing="lg">
              {data.map((listing) => (
                <ListingCard key={listing.id} listing={listing} onOpen={() => setOpened(listing)} />
              ))}
            </SimpleGrid>
            <PageTurner pagination={pagination} />
          </>
        )}
      </LoadedList>
      <ListingDetails listing={opened} onClose={() => setOpened(undefined)} />
    </>
  );
};

const isSort = (text: string): text is ListingSort => Object.hasOwn(sortLabels, text);

/** The filter is in the address, so that it can be kept and shared. */
const useListingFilter = () => {
  const [search, set] = useSearchParameter();
  const sort = search.get('sort') ?? '';
  const filter: ListingFilter = {
    sort: isSort(sort) ? sort : 'newest',
    category: categories.find((one) => one === search.get('category')),
  };
  return [filter, set] as const;
};

type FilterFieldsProps = {
  filter: ListingFilter;
  onChange: (name: 'sort' | 'category', value: string | null) => void;
};

const FilterFields = ({ filter: { sort, category }, onChange }: FilterFieldsProps) => (
  <SimpleGrid cols={2} spacing="sm" mb="lg" maw={480}>
    <Select
      label="Category"
      placeholder="Everything"
      data={categories.map((value) => ({ value, label: categoryLabels[value].label }))}
      value={category ?? null}
      onChange={(value) => onChange('category', value)}
      clearable
      clearButtonProps={{ 'aria-label': 'Show every category' }}
    />
    <Select
      label="Order"
      data={choicesOf(sortLabels)}
      value={sort}
      onChange={(value) => onChange('sort', value)}
      allowDeselect={false}
    />
  </SimpleGrid>
);

const NoListings = ({ isFiltered }: { isFiltered: boolean }) => (
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
      ? 'Choose another category, or show everything.'
      : 'Be the first: a backup of a server that you are proud of can be a template for others.'}
  </Empty>
);
