import { Group, Pagination, Text } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { countWords } from './words.ts';

/** Which page of a list is shown stands in the address, so that it can be kept and gone back to. */
export const usePageNumber = (): number => {
  const [search] = useSearchParams();
  const page = Number(search.get('page') ?? 1);
  return Number.isInteger(page) && page > 0 ? page : 1;
};

type PageTurnerProps = { pagination: { page: number; total: number; totalPages: number } };

export const PageTurner = ({ pagination: { page, total, totalPages } }: PageTurnerProps) => {
  const [, setSearch] = useSearchParams();
  if (totalPages <= 1) return null;
  const turnTo = (wanted: number) =>
    setSearch((search) => {
      search.set('page', String(wanted));
      return search;
    });
  return (
    <Group justify="space-between" mt="md">
      <Text size="sm" c="dimmed">
        {countWords(total)} in all
      </Text>
      <Pagination
        value={page}
        total={totalPages}
        onChange={turnTo}
        siblings={0}
        size="sm"
        getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
      />
    </Group>
  );
};
