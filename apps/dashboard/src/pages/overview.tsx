import type { Output } from '@holdfast/sdk';
import { Button, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../api.ts';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useAccount } from '../parts/use-account.ts';
import { attentionOf, type OverviewServer } from './overview/attention.ts';
import { AttentionList } from './overview/attention-list.tsx';
import { FirstSteps } from './overview/first-steps.tsx';
import { PlanUse } from './overview/plan-use.tsx';
import { ServerCard } from './overview/server-card.tsx';

type Account = Output<'getAccount'>;

const hasJobs = (servers: OverviewServer[] = []) =>
  servers.some(({ running }) => running.length > 0);

export const Overview = () => {
  const { data: account } = useAccount();
  const overview = useQuery({
    queryKey: ['overview'],
    queryFn: () => api.getOverview(),
    refetchInterval: ({ state }) => (hasJobs(state.data?.servers) ? 2000 : 10_000),
  });
  if (!account) return null;
  return (
    <>
      <PageHead
        title={`Hello, ${account.displayName}`}
        description="How your servers stand, and what waits for you."
        actions={
          <Button
            component={Link}
            to="/servers/new"
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            Add a server
          </Button>
        }
      />
      <Loaded query={overview} height={320}>
        {({ servers }) => <Standing account={account} servers={servers} />}
      </Loaded>
    </>
  );
};

/** Until somebody was verified somewhere, the way there is shown. */
const isBeginning = (servers: OverviewServer[]) =>
  servers.length <= 1 && servers.every(({ members }) => members === 0);

const Standing = ({ account, servers }: { account: Account; servers: OverviewServer[] }) => {
  const { data: usage } = useQuery({
    queryKey: ['backups', 'usage'],
    queryFn: () => api.getBackupUsage(),
    refetchInterval: 30_000,
  });
  return (
    <Stack gap="xl">
      {isBeginning(servers) && (
        <FirstSteps hasBot={account._count.customBots > 0} serverId={servers[0]?.id} />
      )}
      {servers.length > 0 && (
        <>
          <AttentionList
            things={attentionOf(account, servers, usage)}
            areAllProved={servers.every(({ lastBackup }) => lastBackup?.restorable === true)}
          />
          <Stack gap="sm" component="section" aria-labelledby="servers">
            <Title order={2} size="h4" id="servers">
              Servers
            </Title>
            <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }}>
              {servers.map((server) => (
                <ServerCard key={server.id} server={server} />
              ))}
            </SimpleGrid>
          </Stack>
        </>
      )}
      {usage ? <PlanUse account={account} usage={usage} /> : <Skeleton height={130} />}
    </Stack>
  );
};
