import { Anchor, Paper, Stack, Text, Title } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../../api.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { usePageNumber } from '../../parts/page-turner.tsx';
import { BlacklistForm } from './blacklist-form.tsx';
import { BlacklistTable } from './blacklist-table.tsx';

export const Blacklist = () => {
  const page = usePageNumber();
  const entries = useQuery({
    queryKey: ['blacklist', page],
    queryFn: () => api.listBlacklist({ query: { page, limit: 50 } }),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
  return (
    <>
      <PageHead
        title="Blacklist"
        description="Whoever is on it cannot verify on any of your servers and is not pulled. Nothing overrules it, not even the whitelist."
      />
      <Stack gap="lg">
        <NewEntry />
        <Loaded query={entries} height={240}>
          {(found) =>
            found.pagination.total === 0 ? (
              <Empty icon={IconBan} title="Nobody is blacklisted">
                Add the platform id of somebody who must not come in, whatever the servers’ own
                rules say.
              </Empty>
            ) : (
              <BlacklistTable {...found} />
            )
          }
        </Loaded>
      </Stack>
    </>
  );
};

/** The API takes an entry by way of a server, and any of the account's own will do. */
const NewEntry = () => {
  const servers = useQuery({
    queryKey: ['servers', 'first'],
    queryFn: () => api.listServers({ query: { limit: 1 } }),
  });
  return (
    <Loaded query={servers} height={200}>
      {({ data: [server] }) => (
        <Paper withBorder p="lg" component="section" aria-labelledby="new-entry">
          <Stack gap="md">
            <Title order={2} size="h4" id="new-entry">
              Blacklist somebody
            </Title>
            {server ? (
              <BlacklistForm serverId={server.id} />
            ) : (
              <Text c="dimmed">
                The list counts on your servers, and there is none yet.{' '}
                <Anchor component={Link} to="/servers/new" underline="always">
                  Add a server first
                </Anchor>
              </Text>
            )}
          </Stack>
        </Paper>
      )}
    </Loaded>
  );
};
