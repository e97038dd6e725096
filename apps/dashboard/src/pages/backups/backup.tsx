import { Paper, Stack, Title } from '@mantine/core';
import { useParams } from 'react-router';
import { BackLink } from '../../parts/back-link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useServer } from '../../parts/use-server.ts';
import { WarningList } from '../../parts/warning-list.tsx';
import { BackupFacts } from './backup-facts.tsx';
import { BackupTrouble } from './backup-trouble.tsx';
import { type BackupRecord, kindWords, titleOf } from './backup-words.ts';
import { DeleteBackup } from './delete-backup.tsx';
import { PreviewRestore } from './preview-restore.tsx';
import { useBackup } from './use-backups.ts';

export const Backup = () => {
  const { backupId = '' } = useParams();
  const { id } = useServer();
  const backup = useBackup(id, backupId);
  return (
    <>
      <BackLink to={`/servers/${id}/backups`}>All backups</BackLink>
      {!backup.data && <PageHead title="Backup" />}
      <Loaded query={backup} height={400}>
        {(record) => <OneBackup key={record.id} backup={record} />}
      </Loaded>
    </>
  );
};

const OneBackup = ({ backup }: { backup: BackupRecord }) => (
  <>
    <PageHead
      title={titleOf(backup)}
      description={
        <>
          {kindWords[backup.kind]}, <Moment at={backup.createdAt} isExact />
        </>
      }
      actions={<DeleteBackup backup={backup} />}
    />
    <Stack gap="lg">
      <BackupTrouble backup={backup} />
      <BackupFacts backup={backup} />
      <WarningList warnings={backup.warnings} />
      {backup.status === 'completed' && (
        <Paper withBorder p="md">
          <Title order={2} size="h4" mb="md">
            Preview a restore
          </Title>
          <PreviewRestore backup={backup} />
        </Paper>
      )}
    </Stack>
  </>
);
