import {
  Anchor,
  Badge,
  Button,
  type ButtonProps,
  Group,
  Stack,
  Text,
  ThemeIcon,
} from '@mantine/core';
import {
  IconAlertTriangle,
  IconBell,
  IconChecks,
  IconCircleCheck,
  IconInfoCircle,
} from '@tabler/icons-react';
import { Link } from 'react-router';
import { api } from '../api.ts';
import { alertLabels, pathOfAlert } from '../labels/alerts.ts';
import { queryKeys } from '../queries/query-keys.ts';
import type { Alert } from '../queries/records.ts';
import { Moment, Name } from './display.tsx';
import { useAction } from './use-action.ts';

const tones = {
  danger: { color: 'red', icon: IconAlertTriangle },
  warning: { color: 'yellow', icon: IconBell },
  info: { color: 'blue', icon: IconInfoCircle },
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
  const { kind, title, detail, href, readAt, createdAt } = alert;
  const { color, icon: Glyph } = tones[alertLabels[kind].tone];
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="sm" py="sm">
      <ThemeIcon variant="light" color={color} radius="xl" aria-hidden>
        <Glyph size={18} />
      </ThemeIcon>
      <Stack gap={2} flex={1} miw={0}>
        <Text lh={1.35}>
          <Anchor component={Link} to={pathOfAlert(href)} fw={readAt === null ? 650 : 400}>
            <Name>{title}</Name>
          </Anchor>
        </Text>
        <Text size="sm">
          <Name>{detail}</Name>
        </Text>
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            <Moment at={createdAt} />
          </Text>
          {readAt === null && <Badge size="sm">new</Badge>}
        </Group>
      </Stack>
    </Group>
  );
};

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
