import { Anchor, Badge, Button, Stack, Text } from '@mantine/core';
import { IconDatabaseExport } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { BackupStatus, TestRestore } from '../../components/backup-status.tsx';
import { isolatedName, Moment, Name } from '../../components/display.tsx';
import { type Column, PagedTable, usePageNumber } from '../../components/list.tsx';
import { Empty, Section } from '../../components/page.tsx';
import { backupKindLabels, backupTitle } from '../../labels/backups.ts';
import { formatBytes, plural } from '../../labels/format.ts';
import type { BackupRecord } from '../../queries/records.ts';
import { backupsQuery } from '../../queries/recovery.ts';
import { useServer } from '../../queries/servers.ts';

/** All backups of the server; `action` is offered where there are none. */
export const BackupList = ({ action }: { action: ReactNode }) => {
  const { id } = useServer();
  const backups = useQuery(backupsQuery(id, { page: usePageNumber() }));
  return (
    <PagedTable
      query={backups}
      height={320}
      caption="Backups, newest first"
      columns={columns}
      frame={(table) => (
        <Section
          title="All backups"
          note="A safety backup, made before a restore, is never the last good one."
          padding="md"
        >
          {table}
        </Section>
      )}
      empty={
        <Empty icon={IconDatabaseExport} title="No backup yet" action={action}>
          Make the first one now: it takes a minute, changes nothing in your server, and is
          test-restored as soon as it is done.
        </Empty>
      }
    />
  );
};

const BackupName = ({ backup }: { backup: BackupRecord }) => (
  <Stack gap={2} miw={0} align="flex-start">
    <Anchor
      component={Link}
      to={`/servers/${backup.serverId}/backups/${backup.id}`}
      fw={500}
      style={{ overflowWrap: 'anywhere' }}
    >
      <Name>{backupTitle(backup)}</Name>
    </Anchor>
    <Text size="sm" c="dimmed">
      {backupKindLabels[backup.kind]}
      {backup.warnings.length > 0 && `, ${plural(backup.warnings.length, 'warning')}`}
    </Text>
    <LastGoodBadge backupId={backup.id} />
    {(backup.status !== 'completed' || backup.suspicious) && <BackupStatus backup={backup} />}
  </Stack>
);

const RestoreLink = ({ backup }: { backup: BackupRecord }) =>
  backup.status === 'completed' && (
    <Button
      component={Link}
      to={`/servers/${backup.serverId}/backups/${backup.id}`}
      variant="default"
      size="xs"
      aria-label={`Restore from ${isolatedName(backupTitle(backup))}`}
    >
      Restore
    </Button>
  );

const LastGoodBadge = ({ backupId }: { backupId: string }) =>
  useServer().lastGoodBackupId === backupId && <Badge color="green">Last good</Badge>;

const Size = ({ backup }: { backup: BackupRecord }) =>
  backup.status === 'completed' ? (
    <Stack gap={2} style={{ whiteSpace: 'nowrap' }}>
      <span>{formatBytes(backup.sizeBytes)}</span>
      <Text span size="sm" c="dimmed">
        added {formatBytes(backup.storedBytes)}
      </Text>
    </Stack>
  ) : (
    '–'
  );

const columns: Column<BackupRecord>[] = [
  { header: 'Backup', cell: (backup) => <BackupName backup={backup} /> },
  { header: 'Made', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { header: 'Test restore', cell: (backup) => <TestRestore backup={backup} /> },
  { header: 'Size', cell: (backup) => <Size backup={backup} />, isNumber: true },
  { header: '', cell: (backup) => <RestoreLink backup={backup} /> },
];
