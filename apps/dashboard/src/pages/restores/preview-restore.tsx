import type { BackupComponent } from '@holdfast/contract';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { ServerSelect } from '../../components/select.tsx';
import { WarningList } from '../../components/warning-list.tsx';
import { restorableComponents } from '../../labels/backups.ts';
import { formatCount, formatDuration } from '../../labels/format.ts';
import type { BackupRecord, RestorePlan, RestoreRequest } from '../../queries/records.ts';
import { useServer } from '../../queries/servers.ts';
import { ComponentChoice } from '../backups/component-choice.tsx';
import { PlanTree } from './plan-tree.tsx';
import { StartRestore } from './start-restore.tsx';

/** Shows what would happen before it offers to do it. */
export const PreviewRestore = ({ backup }: { backup: BackupRecord }) => {
  const { id } = useServer();
  const restorable = restorableComponents(backup.components);
  const { values: request, ...form } = useForm<RestoreRequest>({
    initialValues: {
      ...{ components: restorable, targetServerId: id },
      ...{ mode: 'REPLACE', deleteExtra: false },
    },
  });
  const preview = useMutation({
    mutationFn: () => api.planRestore({ params: { id, backupId: backup.id }, body: request }),
  });
  if (restorable.length === 0) {
    return <Text size="sm">This backup contains only messages, which cannot be restored.</Text>;
  }
  return (
    <Stack gap="lg">
      <form onSubmit={form.onSubmit(() => preview.mutate())}>
        <Choice
          restorable={restorable}
          request={request}
          onChange={(changes) => {
            form.setValues(changes);
            preview.reset();
          }}
          isShown={preview.data !== undefined}
          isPending={preview.isPending}
        />
      </form>
      {preview.error && <ErrorNote error={preview.error} />}
      {preview.data && <Plan plan={preview.data} backup={backup} request={request} />}
    </Stack>
  );
};

type ChoiceProps = {
  restorable: BackupComponent[];
  request: RestoreRequest;
  onChange: (changes: Partial<RestoreRequest>) => void;
  isShown: boolean;
  isPending: boolean;
};

const Choice = ({ restorable, request, onChange, isShown, isPending }: ChoiceProps) => (
  <Stack gap="md" maw={720}>
    <ServerSelect
      label="Into which server"
      value={request.targetServerId}
      onChange={(targetServerId) => onChange({ targetServerId })}
    />
    <ComponentChoice
      label="What to restore"
      offered={restorable}
      chosen={request.components}
      onChange={(components) => onChange({ components })}
    />
    <Group>
      <Button
        type="submit"
        variant={isShown ? 'default' : 'filled'}
        loading={isPending}
        disabled={request.components.length === 0}
      >
        {isShown ? 'Preview again' : 'Show what would happen'}
      </Button>
      <Text size="sm" c="dimmed">
        A preview changes nothing.
      </Text>
    </Group>
  </Stack>
);

type PlanProps = { plan: RestorePlan; backup: BackupRecord; request: RestoreRequest };

const Plan = ({ plan, backup, request }: PlanProps) => {
  const isUnchanged = plan.calls === 0;
  return (
    <Stack gap="md">
      <Text role="status">
        {isUnchanged
          ? 'There is nothing to do: what you chose is already as in the backup.'
          : `About ${formatDuration(plan.estimatedSeconds)}, with ${formatCount(plan.calls)} calls to the platform.`}
      </Text>
      <WarningList warnings={plan.warnings} title="Read this before you continue" />
      {!isUnchanged && <PlanTree plan={plan} />}
      {!isUnchanged && <StartRestore plan={plan} backup={backup} request={request} />}
    </Stack>
  );
};
