import { Divider, Paper, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { CopyField } from '../../components/copy-field.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Empty, PageHead, Section } from '../../components/page.tsx';
import { defaultPeriod, periods, worstStep } from '../../labels/analytics.ts';
import { choicesOf, formatCount, formatPercent } from '../../labels/format.ts';
import { verifyLink } from '../../labels/verify-link.ts';
import type { Analytics } from '../../queries/records.ts';
import { analyticsQuery, useServer } from '../../queries/servers.ts';
import classes from './analytics.module.css';
import { Countries, Funnel, Reasons, TokenHealth } from './breakdowns.tsx';
import { TimeSeries } from './time-series.tsx';

export const AnalyticsPage = () => {
  const { id } = useServer();
  const [search, setSearch] = useSearchParams();
  const asked = search.get('period') ?? defaultPeriod;
  const period = asked in periods ? asked : defaultPeriod;
  const analytics = useQuery(analyticsQuery(id, period));
  return (
    <>
      <PageHead
        title="Analytics"
        description="Who came to verify, how far they got, and why some were blocked."
      />
      <Stack gap="lg">
        <SegmentedControl
          aria-label="Period"
          value={period}
          onChange={(chosen) => setSearch({ period: chosen })}
          data={choicesOf(periods)}
          size="xs"
          maw={480}
        />
        <Loaded query={analytics} height={480}>
          {(record) => <Breakdowns analytics={record} />}
        </Loaded>
      </Stack>
    </>
  );
};

const Breakdowns = ({ analytics }: { analytics: Analytics }) => {
  const hasAttempts = analytics.totals.attempts > 0;
  return (
    <>
      {hasAttempts ? (
        <>
          <Totals analytics={analytics} />
          <Section title="Over time" padding="md">
            <TimeSeries analytics={analytics} />
          </Section>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            <Stack gap="lg" className={classes.column}>
              <Section title="How far they got" note={worstStep(analytics)} padding="md">
                <Funnel analytics={analytics} />
              </Section>
              <Section title="Why they were blocked" padding="md">
                <Reasons analytics={analytics} />
              </Section>
            </Stack>
            <Stack gap="lg" className={classes.column}>
              <Section title="Where they came from" padding="md">
                <Countries analytics={analytics} />
              </Section>
            </Stack>
          </SimpleGrid>
        </>
      ) : (
        <NoAttempts />
      )}
      <Divider label="Today, whatever the period" labelPosition="left" />
      <Section title="Who can be brought back" padding="md">
        <TokenHealth analytics={analytics} />
      </Section>
    </>
  );
};

const NoAttempts = () => {
  const { id } = useServer();
  return (
    <Empty
      icon={IconChartBar}
      title="Nobody came to verify in this period"
      action={<CopyField label="Verify link" value={verifyLink(id)} />}
    >
      Choose a longer period, or give newcomers the verify link: everybody who opens it is counted
      here.
    </Empty>
  );
};

const Totals = ({ analytics: { totals } }: { analytics: Analytics }) => (
  <SimpleGrid component="dl" m={0} cols={{ base: 2, sm: 4 }}>
    <Total label="Attempts" value={formatCount(totals.attempts)} />
    <Total label="Verified" value={formatCount(totals.verified)} />
    <Total label="Blocked" value={formatCount(totals.blocked)} />
    <Total label="Verified share" value={formatPercent(totals.conversionRate)} />
  </SimpleGrid>
);

const Total = ({ label, value }: { label: string; value: string }) => (
  <Paper withBorder p="md">
    <Text component="dt" size="sm" c="dimmed">
      {label}
    </Text>
    <Text component="dd" m={0} fz="h2" fw={650} className="holdfast-number">
      {value}
    </Text>
  </Paper>
);
