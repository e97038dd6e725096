import { Anchor, Paper, Stack, Text, Title } from '@mantine/core';
import { IconDatabaseExport } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { PageTurner, usePageNumber } from '../../parts/page-turner.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { useServer } from '../../parts/use-server.ts';
import { plural, sizeWords } from '../../parts/words.ts';
import { BackupState, Proof } from './backup-state.tsx';
import { type BackupRecord, kindWords, titleOf } from './backup-words.ts';
import { useBackups } from './use-backups.ts';

/** All backups of the server; `action` is what to do where there are none. */
export const BackupList = ({ action }: { action: ReactNode }) => {
  const { id } = useServer();
  const backups = useBackups(id, usePageNumber());
  return (
    <Loaded query={backups} height={320}>
      {({ data, pagination }) =>
        pagination.total === 0 ? (
          <Empty icon={IconDatabaseExport} title="No backup yet" action={action}>
            Make the first one now: it takes a minute, changes nothing in your server, and is proved
            by a drill as soon as it is done.
          </Empty>
        ) : (
          <Paper withBorder p="md">
            <Title order={2} size="h4" mb="xs">
              All backups
            </Title>
            <RecordTable caption="Backups, newest first" columns={columns} rows={data} />
            <PageTurner pagination={pagination} />
          </Paper>
        )
      }
    </Loaded>
  );
};

const BackupName = ({ backup }: { backup: BackupRecord }) => (
  <Stack gap={2} miw={0}>
    <Anchor
      component={Link}
      to={`/servers/${backup.serverId}/backups/${backup.id}`}
      fw={500}
      style={{ overflowWrap: 'anywhere' }}
    >
      <Name>{titleOf(backup)}</Name>
    </Anchor>
    <Text size="sm" c="dimmed">
      {kindWords[backup.kind]}
      {backup.warnings.length > 0 && `, ${plural(backup.warnings.length, 'warning')}`}
    </Text>
  </Stack>
);

const Size = ({ backup }: { backup: BackupRecord }) =>
  backup.status === 'completed' ? (
    <Stack gap={2} style={{ whiteSpace: 'nowrap' }}>
      <span>{sizeWords(backup.sizeBytes)}</span>
      <Text span size="sm" c="dimmed">
        added {sizeWords(backup.storedBytes)}
      </Text>
    </Stack>
  ) : (
    '–'
  );

const columns: Column<BackupRecord>[] = [
  { header: 'Backup', cell: (backup) => <BackupName backup={backup} /> },
  { header: 'Made', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { header: 'State', cell: (backup) => <BackupState backup={backup} /> },
  { header: 'Proof', cell: (backup) => <Proof backup={backup} /> },
  { header: 'Size', cell: (backup) => <Size backup={backup} />, isNumber: true },
];
