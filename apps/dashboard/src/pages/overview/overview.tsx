import {
  Button,
  Group,
  Paper,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  ThemeIcon,
  Title,
} from '@mantine/core';
import { IconAlertTriangle, IconBell, IconCircleCheck, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Name } from '../../components/display.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageHead, Section } from '../../components/page.tsx';
import { PlanUsage } from '../../components/plan-usage.tsx';
import { SetupChecklist } from '../../components/setup-checklist.tsx';
import { planLabels } from '../../labels/billing.ts';
import { nextStep, setupSteps } from '../../labels/setup-steps.ts';
import { accountQuery, overviewQuery } from '../../queries/account.ts';
import type { Account, OverviewServer } from '../../queries/records.ts';
import { backupUsageQuery } from '../../queries/recovery.ts';
import { type Attention, attentionItems } from './attention.ts';
import { ServerCard } from './server-card.tsx';

export const Overview = () => {
  const { data: account } = useQuery(accountQuery);
  const overview = useQuery(overviewQuery);
  if (!account) return null;
  return (
    <>
      <PageHead
        title={`Hello, ${account.displayName}`}
        description="Status of your servers"
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
        {({ servers }) => <Status account={account} servers={servers} />}
      </Loaded>
    </>
  );
};

/** Of the newest server that is not set up yet; an account without a server begins with its bot. */
const Checklist = ({ account, servers }: { account: Account; servers: OverviewServer[] }) => {
  const hasBot = account._count.customBots > 0;
  if (servers.length === 0) return <SetupChecklist facts={{ hasBot, server: undefined }} />;
  const facts = servers.map((server) => ({ name: server.name, hasBot, server: factsOf(server) }));
  const open = facts.find((one) => nextStep(setupSteps(one)) !== undefined);
  return open && <SetupChecklist facts={open} serverName={open.name} />;
};

const factsOf = (server: OverviewServer) => ({
  ...server,
  hasPostedPanel: server.postedPanels > 0,
  hasSchedule: server.backupEveryHours !== null,
  hasBackup: server.lastBackup !== null,
});

const Status = ({ account, servers }: { account: Account; servers: OverviewServer[] }) => {
  const { data: usage } = useQuery(backupUsageQuery);
  const items = attentionItems(account, servers, usage);
  const isAlarm = items.some(({ isUrgent, isSetup }) => isUrgent && !isSetup);
  return (
    <Stack gap="xl">
      {!isAlarm && <Checklist account={account} servers={servers} />}
      {servers.length > 0 && (
        <>
          <AttentionList
            items={items}
            areAllRestorable={servers.every(({ lastBackup }) => lastBackup?.restorable === true)}
          />
          {isAlarm && <Checklist account={account} servers={servers} />}
          <Stack gap="sm" component="section" aria-labelledby="servers">
            <Title order={2} size="h4" id="servers">
              Servers
            </Title>
            <SimpleGrid cols={servers.length === 1 ? 1 : { base: 1, sm: 2, xl: 3 }}>
              {servers.map((server) => (
                <ServerCard key={server.id} server={server} isAlone={servers.length === 1} />
              ))}
            </SimpleGrid>
          </Stack>
        </>
      )}
      {usage ? (
        <Section
          title={`Your plan: ${planLabels[account.plan]}`}
          more={{ to: '/billing', label: 'Compare plans' }}
        >
          <PlanUsage account={account} usage={usage} />
        </Section>
      ) : (
        <Skeleton height={130} />
      )}
    </Stack>
  );
};

type AttentionListProps = { items: Attention[]; areAllRestorable: boolean };

const AttentionList = ({ items, areAllRestorable }: AttentionListProps) => (
  <Stack gap="sm" component="section" aria-labelledby="attention">
    <Title order={2} size="h4" id="attention">
      Needs your attention
    </Title>
    {items.length === 0 ? (
      <NoItems areAllRestorable={areAllRestorable} />
    ) : (
      <Paper withBorder component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {items.map((item, index) => (
          <Item key={item.key} item={item} isFirst={index === 0} />
        ))}
      </Paper>
    )}
  </Stack>
);

const NoItems = ({ areAllRestorable }: { areAllRestorable: boolean }) => (
  <Paper withBorder p="md">
    <Group gap="sm" wrap="nowrap">
      <ThemeIcon variant="light" color="green" radius="xl" aria-hidden>
        <IconCircleCheck size={18} />
      </ThemeIcon>
      <Text>
        {areAllRestorable
          ? 'Nothing. Every server has a recent backup that passed its test restore.'
          : 'Nothing at the moment.'}
      </Text>
    </Group>
  </Paper>
);

const Item = ({ item, isFirst }: { item: Attention; isFirst: boolean }) => {
  const { isUrgent, isRecovery, isAtLarge, subject, message, to, action } = item;
  const Glyph = isUrgent ? IconAlertTriangle : IconBell;
  const line = isFirst ? undefined : '1px solid var(--mantine-color-default-border)';
  return (
    <Group component="li" p="md" gap="sm" justify="space-between" style={{ borderTop: line }}>
      <Group gap="sm" wrap="nowrap" flex={1} miw={{ base: '100%', xs: 220 }}>
        <ThemeIcon variant="light" color={isUrgent ? 'red' : 'yellow'} radius="xl" aria-hidden>
          <Glyph size={18} />
        </ThemeIcon>
        <Text>
          {subject !== undefined && (
            <Text span fw={600}>
              <Name>{subject}</Name>:{' '}
            </Text>
          )}
          <Text span inherit c={isAtLarge ? 'var(--mantine-color-error)' : undefined}>
            {message}
          </Text>
        </Text>
      </Group>
      <Button
        component={Link}
        to={to}
        // On a phone below the text, in line with it.
        ml={{ base: 40, xs: 0 }}
        size={isRecovery ? 'md' : 'xs'}
        color={isRecovery ? 'red' : undefined}
        variant={isUrgent ? 'filled' : 'default'}
      >
        {action}
      </Button>
    </Group>
  );
};
