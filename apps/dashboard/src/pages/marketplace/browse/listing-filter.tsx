import type { ListingSort } from '@holdfast/contract';
import { Select, SimpleGrid, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useOncePaused } from '../../../components/use-once-paused.ts';
import { choicesOf } from '../../../labels/format.ts';
import { categories, categoryLabels, sortLabels } from '../../../labels/marketplace.ts';
import type { ListingFilter } from '../../../queries/marketplace.ts';
import classes from './listing-filter.module.css';

/** No category: a choice of the field, and no word in the address. */
const everything = 'EVERYTHING';

const categoryChoices = [
  { value: everything, label: 'Everything' },
  ...categories.map((value) => ({ value, label: categoryLabels[value].label })),
];

const maxSearchLength = 100;

const isSort = (text: string): text is ListingSort => Object.hasOwn(sortLabels, text);

const filterOf = (address: URLSearchParams): ListingFilter => {
  const sort = address.get('sort') ?? '';
  return {
    sort: isSort(sort) ? sort : 'newest',
    category: categories.find((one) => one === address.get('category')),
    search: shortened(address.get('search') ?? '').trim() || undefined,
  };
};

const shortened = (text: string): string => [...text].slice(0, maxSearchLength).join('');

/** The filter is in the address, so that it can be kept and shared. */
export const useListingFilter = () => {
  const [address, setAddress] = useSearchParams();
  const filter = filterOf(address);
  const [typed, setTyped] = useState(filter.search ?? '');
  const put = (changes: Record<string, string | null>) => {
    // Read at this moment: typing is debounced and must not undo a choice made meanwhile.
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    next.delete('page');
    setAddress(next, { replace: true });
  };
  const putSoon = useOncePaused((search) => put({ search }));
  return {
    filter,
    typed,
    type: (text: string) => {
      setTyped(shortened(text));
      putSoon(shortened(text).trim());
    },
    choose: (name: 'sort' | 'category', value: string | null) => put({ [name]: value }),
    clear: () => {
      setTyped('');
      putSoon.cancel();
      put({ search: null, category: null });
    },
  };
};

type FilterState = ReturnType<typeof useListingFilter>;

export const FilterBar = ({ state: { filter, typed, type, choose } }: { state: FilterState }) => (
  <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="sm" mb="lg">
    <TextInput
      className={classes.search}
      label="Search"
      placeholder="Search titles and descriptions"
      value={typed}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      leftSection={<IconSearch size={16} aria-hidden />}
      type="search"
    />
    <Select
      label="Category"
      data={categoryChoices}
      value={filter.category ?? everything}
      onChange={(value) => choose('category', value === everything ? null : value)}
      allowDeselect={false}
    />
    <Select
      label="Sort by"
      data={choicesOf(sortLabels)}
      value={filter.sort}
      onChange={(value) => choose('sort', value)}
      allowDeselect={false}
    />
  </SimpleGrid>
);
