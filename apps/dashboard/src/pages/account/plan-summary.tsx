import { Anchor, Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { Moment } from '../../parts/moment.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useAccount } from '../../parts/use-account.ts';
import { countWords } from '../../parts/words.ts';

export const PlanSummary = () => {
  const { data: account } = useAccount();
  if (!account) return null;
  const { plan, subscription, limits, _count } = account;
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="plan">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4" id="plan">
            Plan
          </Title>
          <Group gap="xs">
            <Badge variant="light">{plan}</Badge>
            <StatusBadge status={subscription.status} />
          </Group>
        </Group>
        <Text size="sm" className="holdfast-number">
          {countWords(_count.servers)} of {countWords(limits.maxServers)} servers,{' '}
          {countWords(_count.customBots)} of {countWords(limits.maxBots)} bots.
          {plan !== 'FREE' && (
            <>
              {' '}
              This period ends <Moment at={subscription.currentPeriodEnd} />.
            </>
          )}
        </Text>
        <Anchor component={Link} to="/billing" size="sm">
          Compare plans and pay
        </Anchor>
      </Stack>
    </Paper>
  );
};
