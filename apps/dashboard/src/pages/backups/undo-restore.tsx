import type { BackupComponent } from '@holdfast/contract';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowBackUp } from '@tabler/icons-react';
import { ConfirmDanger } from '../../parts/confirm-danger.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useServer } from '../../parts/use-server.ts';
import { type RestoreRecord, useRestoreCourse } from './use-restores.ts';
import { useStartRestore } from './use-start-restore.ts';
import { WhatGoes } from './what-goes.tsx';

/** Offered where there is something to undo, and something to undo it with. */
export const UndoRestore = ({ restore }: { restore: RestoreRecord }) => {
  const { data: course } = useRestoreCourse(restore.id, restore.status);
  if (!course || restore.steps.total === 0) return null;
  const { components, safetyBackup } = course;
  if (safetyBackup?.status !== 'completed') {
    return <Text size="sm">It cannot be undone: its safety snapshot is gone.</Text>;
  }
  return <Undo components={components} safetyBackup={safetyBackup} />;
};

type UndoProps = {
  components: BackupComponent[];
  safetyBackup: { id: string; createdAt: string };
};

const Undo = ({ components, safetyBackup }: UndoProps) => {
  const server = useServer();
  const [isAsking, asking] = useDisclosure(false);
  const start = useStartRestore(server.id, safetyBackup.id);
  return (
    <Group>
      <Button
        variant="default"
        leftSection={<IconArrowBackUp size={18} aria-hidden />}
        onClick={asking.open}
      >
        Undo this restore
      </Button>
      <ConfirmDanger
        opened={isAsking}
        onClose={asking.close}
        title="Undo this restore?"
        word={server.name}
        label="Undo"
        onConfirm={() => start.mutateAsync({ components, targetServerId: server.id })}
      >
        <Stack gap="sm">
          <Text size="sm">
            What this restore touched goes back to how it was on{' '}
            <Moment at={safetyBackup.createdAt} isExact />, right before it.
          </Text>
          <WhatGoes serverName={server.name} restoresChannels={components.includes('channels')} />
        </Stack>
      </ConfirmDanger>
    </Group>
  );
};
