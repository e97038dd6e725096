import { Button, Group, Text } from '@mantine/core';
import { api } from '../../api.ts';
import { Moment } from '../../components/display.tsx';
import { Note } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.ts';
import { formatTime } from '../../labels/format.ts';
import { changedByIncident } from '../../queries/protection.ts';
import type { Incident } from '../../queries/records.ts';

const titles = {
  dismiss: 'A key has decided that this was honest work',
  'return-roles': 'A key has decided to give the roles back',
} as const;

/** What a key has decided: until it takes effect it can be taken back, without a code. */
export const WaitingDecision = ({
  incident: { id, serverId, pending },
}: {
  incident: Incident;
}) => {
  const keep = useAction(() => api.takeBackDecision({ params: { id } }), {
    message: 'It stays as it is.',
    invalidates: changedByIncident(serverId, id),
  });
  if (!pending) return null;
  return (
    <Note tone="warning" title={titles[pending.action]}>
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          Takes effect <Moment at={pending.at} />, at {formatTime(pending.at)}
        </Text>
        <Button size="xs" variant="default" loading={keep.isPending} onClick={() => keep.mutate()}>
          Keep as it is
        </Button>
      </Group>
    </Note>
  );
};
