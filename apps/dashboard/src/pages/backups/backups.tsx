import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { PageHead } from '../../components/page.tsx';
import { RestoreList, RunningRestore } from '../restores/restore-list.tsx';
import { BackupList } from './backup-list.tsx';
import { BackupSummary } from './backup-summary.tsx';
import { CreateBackup } from './create-backup.tsx';

export const Backups = () => {
  const [isCreating, creating] = useDisclosure(false);
  const createButton = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={creating.open}>
      Back up now
    </Button>
  );
  return (
    <>
      <PageHead
        title="Backups"
        description="Snapshots of this server from which it can be restored. Every backup is test-restored."
        actions={createButton}
      />
      <Stack gap="lg">
        <RunningRestore />
        <BackupSummary />
        <BackupList action={createButton} />
        <RestoreList />
      </Stack>
      <CreateBackup opened={isCreating} onClose={creating.close} />
    </>
  );
};
