import { Button, Group, Stack, Text } from '@mantine/core';
import { api } from '../../api.ts';
import { Moment, Name } from '../../components/display.tsx';
import { Note } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.ts';
import { formatTime, plural } from '../../labels/format.ts';
import { describePending, keepAsItIs } from '../../labels/protection.ts';
import { changedByProtection } from '../../queries/protection.ts';
import type { Protection } from '../../queries/records.ts';

type PendingProps = { serverId: string; protection: Protection };

/** Weakenings that wait: until then each can be taken back, without a code. */
export const PendingWeakenings = ({ serverId, protection }: PendingProps) => {
  const { pending } = protection;
  const keep = useAction(
    (field: string) =>
      api.updateProtection({ params: { id: serverId }, body: keepAsItIs(protection, field) }),
    { message: 'It stays as it is.', invalidates: changedByProtection(serverId) },
  );
  if (pending.length === 0) return null;
  return (
    <Note
      tone="warning"
      title={`${plural(pending.length, 'weakening waits', 'weakenings wait')} to take effect`}
    >
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {pending.map((waiting) => {
          const { label, from, to } = describePending(waiting);
          return (
            <Group key={waiting.field} component="li" justify="space-between" gap="sm">
              <Stack gap={0} flex={1} miw={200}>
                <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
                  {label}: {from} → <Name>{to}</Name>
                </Text>
                <Text size="sm" title={formatTime(waiting.at)}>
                  Takes effect <Moment at={waiting.at} />, at {formatTime(waiting.at)}
                </Text>
              </Stack>
              <Button
                size="xs"
                variant="default"
                aria-label={`Keep as it is: ${label}`}
                loading={keep.isPending && keep.variables === waiting.field}
                onClick={() => keep.mutate(waiting.field)}
              >
                Keep as it is
              </Button>
            </Group>
          );
        })}
      </Stack>
    </Note>
  );
};
