import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorNote } from './error-note.tsx';

export type LoadedProps<Data> = {
  query: UseQueryResult<Data>;
  /** About how high the content will be, so that the page does not jump. */
  height?: number;
  children: (data: Data) => ReactNode;
};

/** What a query brought; before that a skeleton, and the reason where it failed. */
export const Loaded = <Data,>({ query, height = 160, children }: LoadedProps<Data>) => {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  if (error) return <ErrorNote error={error} onRetry={() => refetch()} />;
  return (
    <Stack gap="sm" role="status" aria-busy="true" aria-label="Loading">
      <Skeleton height={height} />
    </Stack>
  );
};
