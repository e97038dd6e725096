import type { Output } from '@holdfast/sdk';
import { Alert, Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { Section } from '../../parts/section.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useAccount } from '../../parts/use-account.ts';
import { useStanding } from '../../parts/use-standing.ts';
import { sizeWords } from '../../parts/words.ts';
import { planLabels } from './plan-words.ts';
import { Share } from './share.tsx';
import { standingWords } from './standing-words.ts';

type Account = Output<'getAccount'>;

/** Which plan it is, how it stands, and how much of it is taken. */
export const CurrentPlan = () => {
  const { data: account } = useAccount();
  if (!account) return null;
  const { plan, subscription } = account;
  return (
    <Section
      title={`Your plan: ${planLabels[plan]}`}
      aside={
        <Group gap="xs">
          {subscription.isTrial && (
            <Badge variant="light" tt="none">
              trial
            </Badge>
          )}
          <StatusBadge status={subscription.status} />
        </Group>
      }
    >
      <Stack gap="lg">
        <Standing account={account} />
        <Usage account={account} />
      </Stack>
    </Section>
  );
};

const Standing = ({ account }: { account: Account }) => {
  const { data: standing } = useStanding();
  if (!standing) return <Text size="sm">&nbsp;</Text>;
  const { tone, words } = standingWords(account.plan, account.subscription, standing);
  if (tone === 'calm') return <Text size="sm">{words}</Text>;
  return (
    <Alert color="yellow" icon={<IconAlertCircle aria-hidden />}>
      {words}
    </Alert>
  );
};

const Usage = ({ account: { limits, _count } }: { account: Account }) => {
  const { data: usage } = useQuery({
    queryKey: ['backups', 'usage'],
    queryFn: () => api.getBackupUsage(),
    refetchInterval: 30_000,
  });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="lg">
      <Share label="Servers" used={_count.servers} most={limits.maxServers} />
      <Share label="Bots" used={_count.customBots} most={limits.maxBots} />
      <Share label="Backups" used={usage?.backups ?? 0} most={limits.maxBackups} />
      <Share
        label="Storage"
        used={usage?.storageBytes ?? 0}
        most={limits.maxStorageBytes}
        inWords={sizeWords}
      />
    </SimpleGrid>
  );
};
