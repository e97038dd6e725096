import { Badge, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { StatusBadge } from '../../components/display.tsx';
import { Note, Section } from '../../components/page.tsx';
import { PlanUsage } from '../../components/plan-usage.tsx';
import { planLabels, planMessage } from '../../labels/billing.ts';
import { accountQuery } from '../../queries/account.ts';
import { billingStatusQuery } from '../../queries/billing.ts';
import type { Account } from '../../queries/records.ts';
import { backupUsageQuery } from '../../queries/recovery.ts';
import { CardActions } from './card-subscription.tsx';

/** The plan, how it is paid for, and how much of its limits is used. */
export const CurrentPlan = () => {
  const { data: account } = useQuery(accountQuery);
  const { data: usage } = useQuery(backupUsageQuery);
  const { data: billing } = useQuery(billingStatusQuery);
  if (!account) return null;
  const { plan, subscription } = account;
  return (
    <Section
      title={`Your plan: ${planLabels[plan]}`}
      aside={
        <Group gap="xs">
          {subscription.isTrial && <Badge>trial</Badge>}
          <StatusBadge status={subscription.status} />
        </Group>
      }
    >
      <Stack gap="lg">
        <PlanStatus account={account} />
        {billing && <CardActions account={account} billing={billing} />}
        <PlanUsage account={account} usage={usage} />
      </Stack>
    </Section>
  );
};

/** How the plan is paid for and when it ends: the same words on every page. */
export const PlanStatus = ({ account }: { account: Account }) => {
  const { data: billing } = useQuery(billingStatusQuery);
  if (!billing) return <Text size="sm">&nbsp;</Text>;
  const { tone, message } = planMessage(account.plan, account.subscription, billing);
  if (tone === 'calm') return <Text size="sm">{message}</Text>;
  return <Note tone="warning">{message}</Note>;
};
