import { Button, Paper, SegmentedControl, SimpleGrid, Stack, Title } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';
import { api } from '../../api.ts';
import { Empty } from '../../parts/empty.tsx';
import { keepWithin } from '../../parts/keep-within.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useServer } from '../../parts/use-server.ts';
import { type AnalyticsRecord, periods, usualPeriod } from './analytics-words.ts';
import { Countries, Funnel, Reasons, TokenHealth } from './breakdowns.tsx';
import { TimeSeries } from './time-series.tsx';
import { Totals } from './totals.tsx';

export const Analytics = () => {
  const { id } = useServer();
  const [search, setSearch] = useSearchParams();
  const asked = search.get('period') ?? usualPeriod;
  const period = asked in periods ? asked : usualPeriod;
  const analytics = useQuery({
    queryKey: ['analytics', id, period],
    queryFn: () => api.getAnalytics({ params: { id }, query: { period } }),
    placeholderData: keepWithin(id),
    refetchInterval: 30_000,
  });
  return (
    <>
      <PageHead
        title="Analytics"
        description="Who came to verify, how far they got, and why some were turned away."
      />
      <Stack gap="lg">
        <PeriodChoice period={period} onChange={(chosen) => setSearch({ period: chosen })} />
        <Loaded query={analytics} height={480}>
          {(record) => <Found analytics={record} />}
        </Loaded>
      </Stack>
    </>
  );
};

type PeriodChoiceProps = { period: string; onChange: (period: string) => void };

const PeriodChoice = ({ period, onChange }: PeriodChoiceProps) => (
  <SegmentedControl
    aria-label="Period"
    value={period}
    onChange={onChange}
    data={Object.entries(periods).map(([value, label]) => ({ value, label }))}
    size="xs"
    maw={480}
  />
);

const Found = ({ analytics }: { analytics: AnalyticsRecord }) => (
  <>
    {analytics.totals.attempts === 0 ? (
      <NobodyCame />
    ) : (
      <>
        <Totals analytics={analytics} />
        <Card title="Over time">
          <TimeSeries analytics={analytics} />
        </Card>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <Card title="How far they got">
            <Funnel analytics={analytics} />
          </Card>
          <Card title="Why they were turned away">
            <Reasons analytics={analytics} />
          </Card>
        </SimpleGrid>
      </>
    )}
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      {analytics.totals.attempts > 0 && (
        <Card title="Where they came from">
          <Countries analytics={analytics} />
        </Card>
      )}
      <Card title="Who can be brought back">
        <TokenHealth analytics={analytics} />
      </Card>
    </SimpleGrid>
  </>
);

const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <Paper withBorder p="md">
    <Title order={2} size="h4" mb="md">
      {title}
    </Title>
    {children}
  </Paper>
);

const NobodyCame = () => {
  const { id } = useServer();
  return (
    <Empty
      icon={IconChartBar}
      title="Nobody came to verify in this time"
      action={
        <Button component={Link} to={`/servers/${id}/settings`}>
          Find the verification link
        </Button>
      }
    >
      Choose a longer period, or give newcomers the verification link: everybody who opens it is
      counted here.
    </Empty>
  );
};
