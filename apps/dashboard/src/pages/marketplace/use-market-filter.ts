import type { ListingCategory, ListingSort } from '@holdfast/contract';
import { useSearchParams } from 'react-router';
import { categories, sortWords } from './market-words.ts';

const isSort = (text: string): text is ListingSort => Object.hasOwn(sortWords, text);

/** What is looked at and in which order stands in the address, so that it can be kept and shared. */
export const useMarketFilter = () => {
  const [search, setSearch] = useSearchParams();
  const named = search.get('sort') ?? '';
  const sort: ListingSort = isSort(named) ? named : 'newest';
  const category: ListingCategory | undefined = categories.find(
    (one) => one === search.get('category'),
  );
  const set = (name: 'sort' | 'category', value: string | null) =>
    setSearch((before) => {
      if (value) before.set(name, value);
      else before.delete(name);
      before.delete('page');
      return before;
    });
  return { sort, category, set };
};
