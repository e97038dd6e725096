import { Badge, Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { api } from '../../api.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { Moment, Name } from '../../components/display.tsx';
import { useLast } from '../../components/use-action.ts';
import { accountCreatedAt } from '../../labels/platform-id.ts';
import { blockReasonLabels } from '../../labels/rules.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { Appeal, AppealDecision, PendingDecision, Server } from '../../queries/records.ts';
import { useServer } from '../../queries/servers.ts';

type OpenAppealProps = { appeal: Appeal; onDecide: (decision: AppealDecision) => void };

export const OpenAppeal = ({ appeal, onDecide }: OpenAppealProps) => {
  const { username, platformId, reason, message, createdAt } = appeal;
  const server = useServer();
  const madeAt = accountCreatedAt(platformId);
  return (
    <Paper withBorder p="lg" component="article" aria-label={`Appeal of ${username}`}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start">
          <div>
            <Text fw={650}>
              <Name>{username}</Name>
            </Text>
            <Text size="sm" c="dimmed" className="holdfast-number">
              {platformId} · <Moment at={createdAt} />
              {madeAt !== null && (
                <>
                  {' '}
                  · account made <Moment at={madeAt} />
                </>
              )}
            </Text>
          </div>
          <Badge color="orange">Blocked: {blockReasonLabels[reason].label}</Badge>
        </Group>
        <AppealMessage>{message}</AppealMessage>
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed" flex="1 1 240px">
            {isOffNow(reason, server)
              ? 'This check is off now: they can simply try again.'
              : blockReasonLabels[reason].about}{' '}
            Letting them in adds a whitelist rule for this person.
          </Text>
          <SimpleGrid cols={2} spacing="sm" w={{ base: '100%', xs: 'auto' }}>
            <Button
              variant="default"
              leftSection={<IconX size={16} aria-hidden />}
              onClick={() => onDecide('REJECT')}
            >
              Reject
            </Button>
            <Button
              leftSection={<IconCheck size={16} aria-hidden />}
              onClick={() => onDecide('ACCEPT')}
            >
              Let them in
            </Button>
          </SimpleGrid>
        </Group>
      </Stack>
    </Paper>
  );
};

/** The check that blocked them may have been switched off since. */
const isOffNow = (reason: Appeal['reason'], server: Server): boolean => {
  if (reason === 'FIREWALL') return !server.firewallEnabled;
  if (reason === 'VPN') return !server.vpnBlockEnabled;
  if (reason === 'ALT') return !server.altDetectEnabled;
  return reason === 'ACCOUNT_AGE' && server.minAccountAgeDays === 0;
};

type DecisionLabels = { title: string; verb: string; message: string; meaning: string };

const decisionLabels: Record<AppealDecision, DecisionLabels> = {
  ACCEPT: {
    ...{ title: 'Let them in', verb: 'Let them in', message: 'They can verify now.' },
    meaning:
      'A whitelist rule for this person is added, and they can verify at once. Delete the rule to undo this. People on your blacklist stay blocked until you remove them from it.',
  },
  REJECT: {
    ...{ title: 'Reject the appeal', verb: 'Reject', message: 'The appeal is rejected.' },
    meaning:
      'They stay blocked, and their page says so. They can try and appeal again; blacklist them to end that.',
  },
};

type DecideAppealProps = { pending: PendingDecision | undefined; onClose: () => void };

/** Explains a decision before it is made, because it cannot be changed. */
export const DecideAppeal = ({ pending, onClose }: DecideAppealProps) => {
  const { id } = useServer();
  const shown = useLast(pending);
  if (!shown) return null;
  const { appeal, decision } = shown;
  const { title, verb, message, meaning } = decisionLabels[decision];
  return (
    <ConfirmDialog
      opened={pending !== undefined}
      onClose={onClose}
      title={title}
      label={verb}
      color={decision === 'REJECT' ? 'red' : undefined}
      action={() => api.decideAppeal({ params: { id, appealId: appeal.id }, body: { decision } })}
      message={message}
      invalidates={[queryKeys.appeals(id), queryKeys.rules(id, 'whitelist')]}
    >
      <Stack gap="md">
        <Text size="sm">
          <Name>{appeal.username}</Name> wrote:
        </Text>
        <AppealMessage>{appeal.message}</AppealMessage>
        <Text size="sm">{meaning}</Text>
      </Stack>
    </ConfirmDialog>
  );
};

/** Plain text with the line breaks of its author. */
const AppealMessage = ({ children }: { children: string }) => (
  <Text
    component="blockquote"
    size="sm"
    m={0}
    pl="md"
    style={{
      whiteSpace: 'pre-wrap',
      borderInlineStart: '3px solid var(--mantine-color-default-border)',
    }}
  >
    <Name>{children}</Name>
  </Text>
);
