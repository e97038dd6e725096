import { ActionIcon, Anchor, Box, Group, Indicator, Popover, Text, Title } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { AlertList, MarkReadButton } from '../components/alert-item.tsx';
import { Loaded } from '../components/loaded.tsx';
import { formatUnread } from '../labels/alerts.ts';
import { newestAlertsQuery, unreadAlertsQuery } from '../queries/alerts.ts';

/** How many alerts are new, and the newest of them. */
export const AlertBell = () => {
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  const { data } = useQuery(unreadAlertsQuery);
  const unread = data?.unread ?? 0;
  const titleId = useId();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes when an alert has led to another page
  useEffect(() => setOpen(false), [pathname]);
  return (
    <Indicator
      label={formatUnread(unread)}
      disabled={unread === 0}
      color="red"
      size={18}
      offset={5}
    >
      <Popover
        opened={isOpen}
        onChange={setOpen}
        position="bottom-end"
        shadow="md"
        trapFocus
        returnFocus
      >
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={unread === 0 ? 'Alerts' : `Alerts: ${formatUnread(unread)} new`}
            onClick={() => setOpen(!isOpen)}
          >
            <IconBell size={20} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown
          aria-labelledby={titleId}
          style={{ width: 'min(380px, calc(100vw - 16px))' }}
        >
          <NewestAlerts titleId={titleId} />
        </Popover.Dropdown>
      </Popover>
    </Indicator>
  );
};

const NewestAlerts = ({ titleId }: { titleId: string }) => {
  const newest = useQuery(newestAlertsQuery);
  return (
    <>
      <Group justify="space-between" mih={30}>
        <Title order={2} size="h5" id={titleId}>
          Alerts
        </Title>
        <MarkReadButton alerts={newest.data?.data ?? []} />
      </Group>
      <Loaded query={newest} height={120}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed" py="md">
              No alerts yet.
            </Text>
          ) : (
            <Box mah="60vh" style={{ overflowY: 'auto' }}>
              <AlertList alerts={data} />
            </Box>
          )
        }
      </Loaded>
      <Group gap="md" pt="xs">
        <Anchor component={Link} to="/alerts" size="sm">
          All alerts
        </Anchor>
        <Anchor component={Link} to="/alerts/settings" size="sm">
          Choose which you get
        </Anchor>
      </Group>
    </>
  );
};
