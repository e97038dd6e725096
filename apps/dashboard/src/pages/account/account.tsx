import { Anchor, Badge, Grid, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { CopyField } from '../../components/copy-field.tsx';
import { Name, Picture, StatusBadge } from '../../components/display.tsx';
import { PageHead, Section } from '../../components/page.tsx';
import { planLabels } from '../../labels/billing.ts';
import { formatMonth, formatRatio } from '../../labels/format.ts';
import { accountQuery } from '../../queries/account.ts';
import { PlanStatus } from '../billing/current-plan.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

export const Account = () => (
  <>
    <PageHead
      title="Account and security"
      description="Your profile and plan, and how your account is protected."
    />
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Stack gap="lg">
          <SecondFactor />
          <Sessions />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        <Stack gap="lg">
          <Profile />
          <PlanSummary />
        </Stack>
      </Grid.Col>
      <Grid.Col span={12}>
        <AsMember />
      </Grid.Col>
      <Grid.Col span={12}>
        <DeleteAccount />
      </Grid.Col>
    </Grid>
  </>
);

const Profile = () => {
  const { data: account } = useQuery(accountQuery);
  if (!account) return null;
  return (
    <Section title="Profile">
      <Stack gap="md">
        <Group wrap="nowrap">
          <Picture src={account.avatar} size={56} />
          <div>
            <Text fw={650}>
              <Name>{account.displayName}</Name>
            </Text>
            <Text size="sm" c="dimmed">
              <Name>{account.username}</Name>, here since {formatMonth(account.createdAt)}
            </Text>
          </div>
        </Group>
        <CopyField label="Your platform ID" value={account.platformId} />
        <Text size="sm" c="dimmed">
          Your name and picture come from the platform and are updated whenever you sign in.
        </Text>
      </Stack>
    </Section>
  );
};

const PlanSummary = () => {
  const { data: account } = useQuery(accountQuery);
  if (!account) return null;
  const { plan, subscription, limits, _count } = account;
  return (
    <Section
      title="Plan"
      aside={
        <Group gap="xs">
          <Badge>{planLabels[plan]}</Badge>
          <StatusBadge status={subscription.status} />
        </Group>
      }
    >
      <Stack gap="sm">
        <Text size="sm" className="holdfast-number">
          {formatRatio(_count.servers, limits.maxServers)} servers,{' '}
          {formatRatio(_count.customBots, limits.maxBots)} bots.
        </Text>
        <PlanStatus account={account} />
        <Anchor component={Link} to="/billing" size="sm">
          Compare plans and pay
        </Anchor>
      </Stack>
    </Section>
  );
};

const AsMember = () => (
  <Section
    title="You as a member"
    note="Servers that you verified for store data about you, as they do about every member."
  >
    <Anchor href="/me" size="sm">
      What Holdfast stores about you as a member
    </Anchor>
  </Section>
);
