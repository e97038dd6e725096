import { Button, Group, Paper } from '@mantine/core';
import { IconBell, IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { AlertList, MarkReadButton } from '../../components/alert-item.tsx';
import { LoadedList, PageTurner, usePageNumber } from '../../components/list.tsx';
import { Empty, PageHead } from '../../components/page.tsx';
import { alertsQuery } from '../../queries/alerts.ts';

export const Alerts = () => {
  const page = usePageNumber();
  const alerts = useQuery(alertsQuery(page));
  return (
    <>
      <PageHead
        title="Alerts"
        description="What happened that you should know. Alerts are kept for 90 days."
        actions={
          <Button
            component={Link}
            to="/alerts/settings"
            variant="default"
            leftSection={<IconSettings size={16} aria-hidden />}
          >
            Settings
          </Button>
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
          <Paper withBorder px="lg" py="sm" component="section" aria-label="Alerts, newest first">
            {page === 1 && (
              <Group justify="flex-end">
                <MarkReadButton alerts={data} />
              </Group>
            )}
            <AlertList alerts={data} />
            <PageTurner pagination={pagination} />
          </Paper>
        )}
      </LoadedList>
    </>
  );
};
