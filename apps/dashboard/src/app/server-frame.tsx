import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { Outlet, useParams } from 'react-router';
import { Loaded } from '../components/loaded.tsx';
import { NotFound } from '../components/page.tsx';
import { isNotFound } from '../labels/errors.ts';
import { serverQuery } from '../queries/servers.ts';

/** The pages of one server, shown once the service has confirmed that the account owns it. */
export const ServerFrame = () => {
  const { id = '' } = useParams();
  const server = useQuery(serverQuery(id));
  if (isNotFound(server.error)) return <NotFound />;
  return (
    <Loaded query={server} height={320}>
      {(found) => (
        // Another server's pages are mounted again, so that nothing typed for this one stays in them.
        <Suspense key={found.id} fallback={<Skeleton height={320} />}>
          <Outlet context={found} />
        </Suspense>
      )}
    </Loaded>
  );
};
