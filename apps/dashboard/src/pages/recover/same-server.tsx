import { Button, Group, Loader, Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmButton } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Note, Section } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.ts';
import { NoteList, WarningList } from '../../components/warning-list.tsx';
import { formatDuration, plural } from '../../labels/format.ts';
import type { BackupRecord, PullRecord, RestorePlan } from '../../queries/records.ts';
import { newGuildsQuery, recoveryPlanQuery, useNamesIn } from '../../queries/recovery.ts';
import { useServer } from '../../queries/servers.ts';
import { countDeletedChannels } from '../restores/plan-groups.ts';
import { PlanTree } from '../restores/plan-tree.tsx';
import { LostMembers } from './lost-members.tsx';
import { describePlan } from './plan-words.ts';
import { changedByRestore, recoveryRequest, startRestore } from './start-restore.ts';

type SameServerProps = { backup: BackupRecord; pulls: PullRecord[] };

/** The server is there: what the repair does, and the button that starts it. */
export const SameServer = ({ backup, pulls }: SameServerProps) => {
  const server = useServer();
  const [deletesExtra, setDeletesExtra] = useState(false);
  const isLost = server.health === 'LOST';
  const request = recoveryRequest(backup, server.id, deletesExtra);
  const query = useQuery({
    ...recoveryPlanQuery(backup, server.platformGuildId, request),
    enabled: !isLost,
  });
  if (isLost) return <BotMissing />;
  return (
    <>
      <Section title="What happens" padding="md">
        <Loaded query={query} height={160}>
          {(plan) => (
            <Stack gap="md">
              <PlanInWords plan={plan} backup={backup} />
              <Switch
                label="Also delete what the backup does not have"
                description="Such as channels and roles that an attacker has made. Bans, members and bots stay."
                checked={deletesExtra}
                onChange={({ currentTarget }) => setDeletesExtra(currentTarget.checked)}
              />
              {plan.calls > 0 && <Start plan={plan} backup={backup} deletesExtra={deletesExtra} />}
            </Stack>
          )}
        </Loaded>
      </Section>
      {query.data?.calls === 0 && <LostMembers since={backup.createdAt} pulls={pulls} />}
    </>
  );
};

/** The guild may still be there without the bot. */
const BotMissing = () => {
  const { id } = useServer();
  const { data } = useQuery(newGuildsQuery(id));
  return (
    <Section title="The bot is not in the server" padding="md">
      <Stack gap="md" align="flex-start">
        <Text size="sm">
          If the server still exists, invite the bot again and choose the same server there. This
          page goes on by itself as soon as the bot is back. If the server is gone, choose a new one
          above.
        </Text>
        {data && (
          <Button component="a" href={data.inviteUrl} target="_blank" rel="noreferrer">
            Invite the bot
          </Button>
        )}
        <Group gap="sm" role="status" wrap="nowrap">
          <Loader size="sm" aria-hidden />
          <Text size="sm">Waiting for the bot…</Text>
        </Group>
      </Stack>
    </Section>
  );
};

type PlanProps = { plan: RestorePlan; backup: BackupRecord };

const PlanInWords = ({ plan, backup }: PlanProps) => {
  const [isWhole, whole] = useDisclosure(false);
  const nameOf = useNamesIn(backup);
  if (plan.calls === 0) {
    return (
      <Note tone="success" title="The server is as in the backup">
        There is nothing to restore.
      </Note>
    );
  }
  return (
    <Stack gap="sm" role="status">
      {describePlan(plan).map((sentence) => (
        <Text key={sentence}>{sentence}</Text>
      ))}
      <Text size="sm" c="dimmed">
        About {formatDuration(plan.estimatedSeconds)}. A safety backup is made first: with it the
        restore can be undone.
      </Text>
      <WarningList warnings={plan.warnings} title="Read this before you continue" />
      <NoteList notes={plan.notes} />
      <Group>
        <Button variant="subtle" size="compact-sm" onClick={whole.toggle} aria-expanded={isWhole}>
          {isWhole ? 'Hide the changes' : 'Show every change'}
        </Button>
      </Group>
      {isWhole && <PlanTree plan={plan} nameOf={nameOf} />}
    </Stack>
  );
};

type StartProps = PlanProps & { deletesExtra: boolean };

/** What deletes channels is confirmed by the server's name, as everywhere. */
const Start = ({ plan, backup, deletesExtra }: StartProps) => {
  const server = useServer();
  const send = () => startRestore(backup, server.id, deletesExtra);
  const start = useAction(send, {
    ...{ invalidates: changedByRestore(server.id), onError: () => undefined },
  });
  const icon = <IconHistory size={18} aria-hidden />;
  if (plan.delete.length > 0) {
    const channels = countDeletedChannels(plan);
    return (
      <Group>
        <ConfirmButton
          isDangerous
          button={{ color: 'red', leftSection: icon, children: 'Restore the server' }}
          title="Restore the server?"
          label="Restore"
          word={server.name}
          action={send}
          invalidates={changedByRestore(server.id)}
        >
          {plural(plan.delete.length, 'object is', 'objects are')} deleted
          {channels > 0 && `, ${plural(channels, 'channel')} with all messages among them`}.
        </ConfirmButton>
      </Group>
    );
  }
  return (
    <>
      {start.error && <ErrorNote error={start.error} title="The restore did not start" />}
      <Group>
        <Button
          size="md"
          leftSection={icon}
          loading={start.isPending}
          onClick={() => start.mutate()}
        >
          Restore the server
        </Button>
      </Group>
    </>
  );
};
