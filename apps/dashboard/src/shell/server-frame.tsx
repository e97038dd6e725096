import { HoldfastError } from '@holdfast/sdk';
import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import { Outlet } from 'react-router';
import { Loaded } from '../parts/loaded.tsx';
import { NotFound } from '../parts/not-found.tsx';
import { useServerQuery } from '../parts/use-server.ts';

/** The pages of one server: shown once it is known whose they are. */
export const ServerFrame = () => {
  const server = useServerQuery();
  const isGone = server.error instanceof HoldfastError && [400, 404].includes(server.error.status);
  if (isGone) return <NotFound />;
  return (
    <Loaded query={server} height={320}>
      {(found) => (
        // Another server's pages begin anew: nothing typed for the one before stays in them.
        <Suspense key={found.id} fallback={<Skeleton height={320} />}>
          <Outlet context={found} />
        </Suspense>
      )}
    </Loaded>
  );
};
