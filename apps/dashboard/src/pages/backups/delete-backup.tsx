import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconTrash } from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { api } from '../../api.ts';
import { ConfirmDanger } from '../../parts/confirm-danger.tsx';
import { Name } from '../../parts/name.tsx';
import { useAct } from '../../parts/use-act.ts';
import { useServer } from '../../parts/use-server.ts';
import { type BackupRecord, titleOf } from './backup-words.ts';

export const DeleteBackup = ({ backup }: { backup: BackupRecord }) => {
  const server = useServer();
  const navigate = useNavigate();
  const [isAsking, asking] = useDisclosure(false);
  const remove = useAct<void>(
    () => api.deleteBackup({ params: { id: server.id, backupId: backup.id } }),
    {
      done: 'The backup is deleted.',
      touches: [['backups', server.id], ['backup-usage'], ['server', server.id]],
      onDone: () => navigate(`/servers/${server.id}/backups`),
      isQuietOnError: true,
    },
  );
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconTrash size={18} aria-hidden />}
        onClick={asking.open}
      >
        Delete
      </Button>
      <ConfirmDanger
        opened={isAsking}
        onClose={asking.close}
        title="Delete this backup?"
        word={server.name}
        label="Delete the backup"
        onConfirm={() => remove.mutateAsync()}
      >
        <Stack gap="xs">
          <Text size="sm">
            <Name>{titleOf(backup)}</Name> is gone for good: nobody can bring it back. Your server
            and your other backups stay as they are.
          </Text>
          {backup.kind === 'PRE_RESTORE' && (
            <Text size="sm">
              It is a safety snapshot: without it, the restore it was taken for cannot be undone.
            </Text>
          )}
        </Stack>
      </ConfirmDanger>
    </>
  );
};
