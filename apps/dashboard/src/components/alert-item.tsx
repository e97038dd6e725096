import {
  Anchor,
  Box,
  Button,
  type ButtonProps,
  Group,
  Stack,
  Text,
  ThemeIcon,
  VisuallyHidden,
} from '@mantine/core';
import {
  IconAlertCircle,
  IconAlertTriangle,
  IconChecks,
  IconCircleCheck,
  IconInfoCircle,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../api.ts';
import { alertLabels, pathOfAlert } from '../labels/alerts.ts';
import { queryKeys } from '../queries/query-keys.ts';
import type { Alert } from '../queries/records.ts';
import { allServersQuery } from '../queries/servers.ts';
import { Moment, Name } from './display.tsx';
import { useAction } from './use-action.ts';

const tones = {
  danger: { color: 'red', icon: IconAlertTriangle },
  warning: { color: 'yellow', icon: IconAlertCircle },
  info: { color: 'tide', icon: IconInfoCircle },
  success: { color: 'green', icon: IconCircleCheck },
};

/** Newest first, as they are given. */
export const AlertList = ({ alerts }: { alerts: Alert[] }) => (
  <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
    {alerts.map((alert) => (
      <AlertItem key={alert.id} alert={alert} />
    ))}
  </Stack>
);

/** What happened, as a link to the page that helps. */
export const AlertItem = ({ alert }: { alert: Alert }) => {
  const { title, detail, href, readAt } = alert;
  const { color, icon: Glyph } = tones[alertLabels[alert.kind].tone];
  const isUnread = readAt === null;
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="sm" py="sm">
      <ThemeIcon variant="light" color={color} radius="xl" aria-hidden>
        <Glyph size={18} />
      </ThemeIcon>
      <Stack gap={2} flex={1} miw={0}>
        <Text lh={1.35}>
          <Anchor component={Link} to={pathOfAlert(href)} fw={isUnread ? 650 : 400}>
            {isUnread && <VisuallyHidden>Unread: </VisuallyHidden>}
            <Name>{title}</Name>
          </Anchor>
          {isUnread && <UnreadDot />}
        </Text>
        <Text size="sm">
          <Name>{detail}</Name>
        </Text>
        <AlertOrigin alert={alert} />
      </Stack>
    </Group>
  );
};

/** When it was, and in which server. */
const AlertOrigin = ({ alert: { serverId, createdAt } }: { alert: Alert }) => {
  const { data: servers } = useQuery(allServersQuery);
  const server = servers?.data.find(({ id }) => id === serverId);
  return (
    <Text size="xs" c="dimmed">
      <Moment at={createdAt} />
      {server && (
        <>
          {' · '}
          <Anchor component={Link} to={`/servers/${server.id}`} inherit c="dimmed">
            <Name>{server.name}</Name>
          </Anchor>
        </>
      )}
    </Text>
  );
};

/** For the eye alone: the title says it too. */
const UnreadDot = () => (
  <Box
    component="span"
    aria-hidden
    display="inline-block"
    ml="xs"
    w={9}
    h={9}
    bg="var(--mantine-primary-color-filled)"
    style={{ borderRadius: '50%' }}
  />
);

type MarkReadButtonProps = { alerts: Alert[]; size?: ButtonProps['size'] };

/** Marks what is on the screen and everything older; an alert that has come since stays new. */
export const MarkReadButton = ({ alerts, size = 'xs' }: MarkReadButtonProps) => {
  const markRead = useAction((upTo: string) => api.readAlerts({ body: { upTo } }), {
    invalidates: [queryKeys.alerts],
  });
  const [newest] = alerts;
  if (!newest || alerts.every(({ readAt }) => readAt !== null)) return null;
  return (
    <Button
      variant="default"
      size={size}
      leftSection={<IconChecks size={16} aria-hidden />}
      loading={markRead.isPending}
      onClick={() => markRead.mutate(newest.id)}
    >
      Mark all as read
    </Button>
  );
};
