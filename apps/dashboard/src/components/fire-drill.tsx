import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconFlame } from '@tabler/icons-react';
import { api } from '../api.ts';
import { drillResult, measuresOf } from '../labels/drills.ts';
import { isRunning } from '../labels/status.ts';
import { queryKeys } from '../queries/query-keys.ts';
import type { Drill } from '../queries/records.ts';
import { Facts, Moment } from './display.tsx';
import { Note } from './page.tsx';
import { useAction } from './use-action.ts';

/** How the last fire drill went; none where there was none. */
export const LastDrill = ({ drill }: { drill: Drill | undefined }) => {
  if (!drill) return <Text size="sm">No fire drill yet.</Text>;
  if (isRunning(drill)) {
    return (
      <Group gap="sm" role="status">
        <Loader size="sm" aria-hidden />
        <Text size="sm">A copy of the server is being attacked…</Text>
      </Group>
    );
  }
  const measures = measuresOf(drill);
  return (
    <Stack gap="xs">
      {drill.outcome === 'STOPPED' ? (
        <Text size="sm">{drill.detail}</Text>
      ) : (
        <Note tone="warning" title={drillResult(drill)}>
          {drill.detail}
        </Note>
      )}
      {measures.length > 0 && <Facts facts={measures} />}
      <Text size="sm" c="dimmed">
        <Moment at={drill.completedAt} />
      </Text>
    </Stack>
  );
};

type StartDrillProps = { serverId: string; last: Drill | undefined };

export const StartDrill = ({ serverId, last }: StartDrillProps) => {
  const start = useAction(() => api.startDrill({ params: { id: serverId } }), {
    message: 'The fire drill has begun.',
    invalidates: [queryKeys.drills(serverId)],
  });
  return (
    <Group>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconFlame size={14} aria-hidden />}
        loading={start.isPending}
        disabled={last !== undefined && isRunning(last)}
        onClick={() => start.mutate()}
      >
        Start a fire drill
      </Button>
    </Group>
  );
};
