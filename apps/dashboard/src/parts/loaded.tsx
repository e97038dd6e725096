import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorNote } from './error-note.tsx';

type LoadedProps<Data> = {
  query: UseQueryResult<Data>;
  /** About how high what comes will be, so that nothing jumps. */
  height?: number;
  children: (data: Data) => ReactNode;
};

/** What a question to the API brought; before that its outline, and the reason where it failed. */
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
