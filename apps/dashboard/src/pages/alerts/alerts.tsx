import { Button, Paper, SegmentedControl, Text } from '@mantine/core';
import { IconBell, IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { AlertItem, MarkReadButton } from '../../components/alert-item.tsx';
import { ByDay } from '../../components/by-day.tsx';
import {
  LoadedList,
  PageTurner,
  usePageNumber,
  useSearchParameter,
} from '../../components/list.tsx';
import { Empty, PageHead } from '../../components/page.tsx';
import { alertsQuery, unreadAlertsQuery } from '../../queries/alerts.ts';
import type { Alert } from '../../queries/records.ts';

export const Alerts = () => {
  const page = usePageNumber();
  const [search, set] = useSearchParameter();
  const isUnreadOnly = search.has('unread');
  const alerts = useQuery(alertsQuery(page, isUnreadOnly));
  return (
    <>
      <PageHead
        title="Alerts"
        description="What happened that you should know. Alerts are kept for 90 days."
        actions={
          <>
            {page === 1 && <MarkReadButton alerts={alerts.data?.data ?? []} size="sm" />}
            <Button
              component={Link}
              to="/alerts/settings"
              variant="default"
              leftSection={<IconSettings size={16} aria-hidden />}
            >
              Settings
            </Button>
          </>
        }
      />
      <LoadedList
        query={alerts}
        height={320}
        empty={
          <Empty icon={IconBell} title="No alerts yet">
            When a backup fails, a restore ends or somebody appeals, it is listed here.
          </Empty>
        }
      >
        {({ data, pagination }) => (
          <>
            <ReadFilter
              isUnreadOnly={isUnreadOnly}
              onChange={(isOn) => set('unread', isOn ? 'only' : null)}
            />
            {/* Reading marks everything older too, so the unread ones are the newest. */}
            <Listed alerts={isUnreadOnly ? data.filter(({ readAt }) => !readAt) : data} />
            {!isUnreadOnly && <PageTurner pagination={pagination} />}
          </>
        )}
      </LoadedList>
    </>
  );
};

type ReadFilterProps = { isUnreadOnly: boolean; onChange: (isUnreadOnly: boolean) => void };

const ReadFilter = ({ isUnreadOnly, onChange }: ReadFilterProps) => {
  const { data } = useQuery(unreadAlertsQuery);
  if (!isUnreadOnly && !data?.unread) return null;
  return (
    <SegmentedControl
      aria-label="Which alerts"
      mb="md"
      value={isUnreadOnly ? 'unread' : 'all'}
      onChange={(chosen) => onChange(chosen === 'unread')}
      data={[
        { value: 'all', label: 'All' },
        { value: 'unread', label: 'Unread' },
      ]}
    />
  );
};

const Listed = ({ alerts }: { alerts: Alert[] }) => (
  <Paper withBorder p="lg" component="section" aria-label="Alerts, newest first">
    {alerts.length === 0 ? (
      <Text c="dimmed">You have read everything.</Text>
    ) : (
      <ByDay rows={alerts} timeOf={({ createdAt }) => createdAt}>
        {(alert) => <AlertItem key={alert.id} alert={alert} />}
      </ByDay>
    )}
  </Paper>
);
