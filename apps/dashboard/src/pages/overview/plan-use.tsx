import type { Output } from '@holdfast/sdk';
import { Anchor, Group, Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { countWords, sizeWords } from '../../parts/words.ts';

type PlanUseProps = { account: Output<'getAccount'>; usage: Output<'getBackupUsage'> };

/** How much of the plan is taken. */
export const PlanUse = ({ account, usage }: PlanUseProps) => {
  const { limits, _count, plan } = account;
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="plan">
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4" id="plan">
          Your plan: {plan.toLowerCase()}
        </Title>
        <Anchor component={Link} to="/billing" size="sm">
          Compare plans
        </Anchor>
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="lg">
        <Share label="Servers" used={_count.servers} most={limits.maxServers} />
        <Share label="Bots" used={_count.customBots} most={limits.maxBots} />
        <Share label="Backups" used={usage.backups} most={limits.maxBackups} />
        <Share
          label="Storage"
          used={usage.storageBytes}
          most={limits.maxStorageBytes}
          inWords={sizeWords}
        />
      </SimpleGrid>
    </Paper>
  );
};

type ShareProps = {
  label: string;
  used: number;
  most: number;
  inWords?: (amount: number) => string;
};

const Share = ({ label, used, most, inWords = countWords }: ShareProps) => (
  <Stack gap={4}>
    <Group justify="space-between" gap="xs">
      <Text size="sm">{label}</Text>
      <Text size="sm" c="dimmed" className="holdfast-number">
        {inWords(used)} of {inWords(most)}
      </Text>
    </Group>
    <Progress
      value={most === 0 ? 100 : Math.min(100, (used / most) * 100)}
      color={used >= most ? 'orange' : undefined}
      aria-label={`${label} used`}
    />
  </Stack>
);
