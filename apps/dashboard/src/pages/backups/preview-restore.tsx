import type { BackupComponent } from '@holdfast/contract';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { ServerSelect } from '../../parts/server-select.tsx';
import { useServer } from '../../parts/use-server.ts';
import { WarningList } from '../../parts/warning-list.tsx';
import { countWords, durationWords } from '../../parts/words.ts';
import { type BackupRecord, restorableOf } from './backup-words.ts';
import { ComponentChoice } from './component-choice.tsx';
import type { RestorePlan } from './plan-groups.ts';
import { PlanTree } from './plan-tree.tsx';
import { StartRestore } from './start-restore.tsx';
import type { RestoreWish } from './use-start-restore.ts';

/** First what would happen; only then the button that makes it happen. */
export const PreviewRestore = ({ backup }: { backup: BackupRecord }) => {
  const { id } = useServer();
  const held = restorableOf(backup.components);
  const [wish, setWish] = useState<RestoreWish>({ components: held, targetServerId: id });
  const preview = useMutation({
    mutationFn: () => api.planRestore({ params: { id, backupId: backup.id }, body: wish }),
  });
  if (held.length === 0) {
    return <Text size="sm">This backup holds only messages, which are kept to be read.</Text>;
  }
  return (
    <Stack gap="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          preview.mutate();
        }}
      >
        <Choice
          held={held}
          wish={wish}
          onChange={(changes) => {
            setWish({ ...wish, ...changes });
            preview.reset();
          }}
          isShown={preview.data !== undefined}
          isPending={preview.isPending}
        />
      </form>
      {preview.error && <ErrorNote error={preview.error} />}
      {preview.data && <Plan plan={preview.data} backup={backup} wish={wish} />}
    </Stack>
  );
};

type ChoiceProps = {
  held: BackupComponent[];
  wish: RestoreWish;
  onChange: (changes: Partial<RestoreWish>) => void;
  isShown: boolean;
  isPending: boolean;
};

const Choice = ({ held, wish, onChange, isShown, isPending }: ChoiceProps) => (
  <Stack gap="md" maw={720}>
    <ServerSelect
      label="Into which server"
      value={wish.targetServerId}
      onChange={(targetServerId) => onChange({ targetServerId })}
    />
    <ComponentChoice
      label="What to restore"
      offered={held}
      chosen={wish.components}
      onChange={(components) => onChange({ components })}
    />
    <Group>
      <Button
        type="submit"
        variant={isShown ? 'default' : 'filled'}
        loading={isPending}
        disabled={wish.components.length === 0}
      >
        {isShown ? 'Preview again' : 'Show what would happen'}
      </Button>
      <Text size="sm" c="dimmed">
        This only looks. Nothing is changed.
      </Text>
    </Group>
  </Stack>
);

type PlanProps = { plan: RestorePlan; backup: BackupRecord; wish: RestoreWish };

const Plan = ({ plan, backup, wish }: PlanProps) => {
  const isNothing = plan.calls === 0;
  return (
    <Stack gap="md">
      <Text role="status">
        {isNothing
          ? 'There is nothing to do: what you chose is already as in the backup.'
          : `About ${durationWords(plan.estimatedSeconds)}, with ${countWords(plan.calls)} calls to the platform.`}
      </Text>
      <WarningList warnings={plan.warnings} title="Read this before you go on" />
      {!isNothing && <PlanTree plan={plan} />}
      {!isNothing && <StartRestore plan={plan} backup={backup} wish={wish} />}
    </Stack>
  );
};
