import { Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Note, TextLink } from '../../components/page.tsx';
import { NoteList, WarningList } from '../../components/warning-list.tsx';
import { restorableComponents, usualComponents } from '../../labels/backups.ts';
import { formatDuration, plural } from '../../labels/format.ts';
import type { BackupRecord, RestorePlan, RestoreRequest } from '../../queries/records.ts';
import { useNamesIn } from '../../queries/recovery.ts';
import { useServer } from '../../queries/servers.ts';
import { countDeletedChannels } from './plan-groups.ts';
import { PlanTree } from './plan-tree.tsx';
import { RestoreChoice } from './restore-choice.tsx';
import { StartRestore } from './start-restore.tsx';

/** Shows what would happen before it offers to do it. */
export const PreviewRestore = ({ backup }: { backup: BackupRecord }) => {
  const { id, health } = useServer();
  const restorable = restorableComponents(backup.components);
  const { values: request, ...form } = useForm<RestoreRequest>({
    initialValues: {
      ...{ mode: 'REPAIR', deleteExtra: false, targetServerId: id },
      components: restorable.filter((name) => usualComponents.includes(name)),
    },
  });
  const preview = useMutation({
    mutationFn: () => api.planRestore({ params: { id, backupId: backup.id }, body: request }),
  });
  const isShown = preview.data !== undefined;
  return (
    <Stack gap="lg">
      {health === 'LOST' && request.targetServerId === id && <LostGuild serverId={id} />}
      <form onSubmit={form.onSubmit(() => preview.mutate())}>
        <Stack gap="md" maw={760}>
          <RestoreChoice
            restorable={restorable}
            counts={backup.counts}
            request={request}
            onChange={(changes) => {
              form.setValues(changes);
              preview.reset();
            }}
          />
          <Group>
            <Button
              type="submit"
              variant={isShown ? 'default' : 'filled'}
              loading={preview.isPending}
              disabled={request.components.length === 0}
            >
              {isShown ? 'Preview again' : 'Show what would happen'}
            </Button>
            <Text size="sm" c="dimmed">
              A preview changes nothing.
            </Text>
          </Group>
        </Stack>
      </form>
      {preview.error && (
        <>
          <ErrorNote error={preview.error} />
          <TextLink to={`/servers/${id}/recover`}>
            If the server is gone: recover it in a new one
          </TextLink>
        </>
      )}
      {preview.data && <Plan plan={preview.data} backup={backup} request={request} />}
    </Stack>
  );
};

/** There is nothing to restore into: says so before a preview has to fail. */
const LostGuild = ({ serverId }: { serverId: string }) => (
  <Note tone="danger" title="This server has no guild to restore into">
    <Text size="sm">
      Its guild was deleted, or its bot is not in it. Choose another server below, or recover this
      one in a new guild, with its members.
    </Text>
    <TextLink to={`/servers/${serverId}/recover`}>Recover it step by step</TextLink>
  </Note>
);

type PlanProps = { plan: RestorePlan; backup: BackupRecord; request: RestoreRequest };

const Plan = ({ plan, backup, request }: PlanProps) => {
  const nameOf = useNamesIn(backup);
  const isUnchanged = plan.calls === 0;
  const kept =
    plan.keep > 0 && `${plural(plan.keep, 'object stays as it is', 'objects stay as they are')}.`;
  return (
    <Stack gap="md">
      {isUnchanged ? (
        <Note tone="success" title="There is nothing to do">
          What you chose is already as in the backup. {kept}
        </Note>
      ) : (
        <Text role="status">
          About {formatDuration(plan.estimatedSeconds)}, with {plural(plan.calls, 'call')} to the
          platform. {kept}
        </Text>
      )}
      <LostMessages plan={plan} request={request} />
      <WarningList warnings={plan.warnings} title="Read this before you continue" />
      <NoteList notes={plan.notes} />
      {!isUnchanged && <PlanTree plan={plan} nameOf={nameOf} />}
      {!isUnchanged && <StartRestore plan={plan} backup={backup} request={request} />}
    </Stack>
  );
};

type LostMessagesProps = Pick<PlanProps, 'plan' | 'request'>;

/** The one thing that no backup brings back. */
const LostMessages = ({ plan, request }: LostMessagesProps) => {
  const channels = countDeletedChannels(plan);
  if (channels === 0) return null;
  return (
    <Note
      tone="danger"
      title={`${plural(channels, 'channel goes', 'channels go')}, with all messages in them`}
    >
      {request.mode === 'REPLACE'
        ? 'Every channel that is there now is deleted once its new copy exists. A repair keeps those that the backup knows.'
        : 'They are not in the backup. Without “Also delete what the backup does not have” they stay.'}
    </Note>
  );
};
