import { type ButtonProps, Group, List, Stack, Text } from '@mantine/core';
import { IconArrowBackUp, IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../../api.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { Moment, Name } from '../../components/display.tsx';
import { backupTitle } from '../../labels/backups.ts';
import { formatCount, plural } from '../../labels/format.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type {
  BackupRecord,
  RestorePlan,
  RestoreRecord,
  RestoreRequest,
} from '../../queries/records.ts';
import { restoreDetailsQuery } from '../../queries/recovery.ts';
import { allServersQuery, useServer } from '../../queries/servers.ts';
import { countDeletedChannels } from './plan-groups.ts';

type StartRestoreProps = { plan: RestorePlan; backup: BackupRecord; request: RestoreRequest };

export const StartRestore = ({ plan, backup, request }: StartRestoreProps) => {
  const server = useServer();
  const { data: servers } = useQuery(allServersQuery);
  const target =
    request.targetServerId === server.id
      ? server
      : servers?.data.find(({ id }) => id === request.targetServerId);
  if (!target) return null;
  return (
    <RestoreButton
      button={{
        color: plan.delete.length > 0 ? 'red' : undefined,
        children: 'Restore this',
        leftSection: <IconHistory size={18} aria-hidden />,
      }}
      title="Restore this backup?"
      label="Restore"
      targetName={target.name}
      backupId={backup.id}
      request={request}
      deletedChannels={countDeletedChannels(plan)}
    >
      <Name>{backupTitle(backup)}</Name> is restored into <Name>{target.name}</Name>:{' '}
      {formatCount(plan.create.length)} created, {formatCount(plan.update.length)} changed,{' '}
      {formatCount(plan.delete.length)} deleted, {formatCount(plan.keep)} kept as they are.
    </RestoreButton>
  );
};

/** Offered where the restore changed something and its safety backup still exists. */
export const UndoRestore = ({ restore }: { restore: RestoreRecord }) => {
  const server = useServer();
  const { data: details } = useQuery(restoreDetailsQuery(restore));
  if (!details || restore.steps.total === 0) return null;
  const { components, safetyBackup } = details;
  if (safetyBackup?.status !== 'completed') {
    return <Text size="sm">It cannot be undone: its safety backup is gone.</Text>;
  }
  return (
    <RestoreButton
      button={{
        ...{ variant: 'default', children: 'Undo this restore' },
        leftSection: <IconArrowBackUp size={18} aria-hidden />,
      }}
      title="Undo this restore?"
      label="Undo"
      targetName={server.name}
      backupId={safetyBackup.id}
      request={{
        ...{ components, targetServerId: server.id },
        ...{ mode: 'REPAIR', deleteExtra: true },
      }}
    >
      What this restore changed goes back to how it was on{' '}
      <Moment at={safetyBackup.createdAt} isExact />, right before it.
    </RestoreButton>
  );
};

type RestoreButtonProps = {
  button: ButtonProps;
  title: string;
  label: string;
  targetName: string;
  backupId: string;
  request: RestoreRequest;
  /** Undefined where there was no preview. */
  deletedChannels?: number;
  /** What happens, in a sentence. */
  children: ReactNode;
};

/** Starts a restore once the target's name was typed, and leads to its progress. */
const RestoreButton = (props: RestoreButtonProps) => {
  const { targetName, backupId, request, deletedChannels, children, ...dialog } = props;
  const { id } = useServer();
  const navigate = useNavigate();
  return (
    <Group>
      <ConfirmButton
        {...dialog}
        isDangerous
        word={targetName}
        action={() => api.restoreBackup({ params: { id, backupId }, body: request })}
        message="The restore has started."
        invalidates={[queryKeys.restores(request.targetServerId)]}
        onSuccess={(restore) => navigate(`/servers/${restore.serverId}/restores/${restore.id}`)}
      >
        <Stack gap="sm">
          <Text size="sm">{children}</Text>
          <Consequences
            targetName={targetName}
            request={request}
            deletedChannels={deletedChannels}
          />
        </Stack>
      </ConfirmButton>
    </Group>
  );
};

type ConsequencesProps = Pick<RestoreButtonProps, 'targetName' | 'request' | 'deletedChannels'>;

const Consequences = ({ targetName, request, deletedChannels }: ConsequencesProps) => (
  <List size="sm" spacing="xs">
    <List.Item>
      First a safety backup of <Name>{targetName}</Name> is made. With it the restore can be undone.
    </List.Item>
    {request.components.includes('channels') && (
      <ChannelConsequences {...{ request, deletedChannels }} />
    )}
    <List.Item>
      If something cannot be created, nothing is deleted in its place, and you are told.
    </List.Item>
  </List>
);

type ChannelConsequencesProps = Pick<ConsequencesProps, 'request' | 'deletedChannels'>;

const ChannelConsequences = ({ request, deletedChannels }: ChannelConsequencesProps) => {
  if (request.mode === 'REPAIR' && deletedChannels === 0) {
    return <List.Item>No channel is deleted: all messages stay.</List.Item>;
  }
  const which = request.mode === 'REPAIR' ? 'that the backup does not have' : 'that it has now';
  return (
    <>
      <List.Item>
        <b>
          {deletedChannels === undefined
            ? `Channels ${which} are deleted, with the messages in them.`
            : `${plural(deletedChannels, 'channel')} ${which} ${deletedChannels === 1 ? 'is' : 'are'} deleted, with the messages in them.`}
        </b>{' '}
        Undoing creates the channels again, but empty.
      </List.Item>
      <List.Item>
        What is new is created first and what is old deleted last, so the server is never empty.
      </List.Item>
    </>
  );
};
