import { Button, Divider, Group, Paper, Stack, Text } from '@mantine/core';
import { IconClock, IconHistory, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { api } from '../../api.ts';
import { BackupStatus, TestRestore } from '../../components/backup-status.tsx';
import { ConfirmButton } from '../../components/confirm.tsx';
import { Moment, Name } from '../../components/display.tsx';
import { Fold } from '../../components/fold.tsx';
import { RecordPage, RunningJob } from '../../components/job-progress.tsx';
import { useSearchParameter } from '../../components/list.tsx';
import { Note, PageHead } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.ts';
import { WarningList } from '../../components/warning-list.tsx';
import {
  backupKindLabels,
  backupTitle,
  componentLabels,
  countOf,
  restorableComponents,
} from '../../labels/backups.ts';
import { endSentence, formatBytes, formatCount, formatTime, plural } from '../../labels/format.ts';
import { isRunning } from '../../labels/status.ts';
import type { BackupRecord } from '../../queries/records.ts';
import { backupQuery, changedByBackup } from '../../queries/recovery.ts';
import { useServer } from '../../queries/servers.ts';
import classes from './backup.module.css';
import { BackupTabs, tabsId } from './backup-tabs.tsx';
import { DownloadBackup } from './download-backup.tsx';

export const Backup = () => {
  const { backupId = '' } = useParams();
  const { id } = useServer();
  const query = useQuery(backupQuery(id, backupId));
  return (
    <RecordPage
      query={query}
      title="Backup"
      list={{ path: 'backups', label: 'All backups' }}
      path="backups"
    >
      {(backup) => (
        <>
          <PageHead
            title={backupTitle(backup)}
            description={
              <>
                {backupKindLabels[backup.kind]}, <Moment at={backup.createdAt} isExact />
              </>
            }
            actions={
              <>
                {backup.status === 'completed' && <ToRestore />}
                {backup.status === 'completed' && <DownloadBackup backup={backup} />}
              </>
            }
          />
          <Stack gap="lg">
            <BackupAlerts backup={backup} />
            <BackupFacts backup={backup} />
            <WarningList warnings={backup.warnings} />
            {backup.status === 'completed' && <BackupTabs backup={backup} />}
          </Stack>
        </>
      )}
    </RecordPage>
  );
};

/** From another tab to the one that restores, which on a phone is out of sight. */
const ToRestore = () => {
  const [search, setSearch] = useSearchParameter();
  if (!search.has('tab')) return null;
  return (
    <Button
      leftSection={<IconHistory size={18} aria-hidden />}
      onClick={() => {
        setSearch('tab', null);
        document.getElementById(tabsId)?.scrollIntoView({ block: 'start' });
      }}
    >
      Restore
    </Button>
  );
};

/** What the owner has to know about a backup before anything else. */
const BackupAlerts = ({ backup }: { backup: BackupRecord }) => (
  <>
    {backup.pending && <WaitingAcceptance backup={backup} at={backup.pending.at} />}
    {isRunning(backup) && !backup.pending && (
      <RunningJob
        title={backup.status === 'queued' ? 'Waiting to start' : 'Being made'}
        icon={<IconClock aria-hidden />}
        kind="backup"
        progress={backup.progress}
      >
        You can leave this page; the backup continues by itself.
      </RunningJob>
    )}
    {backup.status === 'failed' && (
      <Note tone="danger" title="This backup could not be made">
        {endSentence(backup.error ?? 'The reason is not known')} It contains nothing and can be
        deleted.
      </Note>
    )}
    {backup.suspicious && (
      <Note tone="warning" title="The server may have been wrecked when this backup was made">
        More than a third of the channels or roles were gone since the backup before. If that was
        not you, restore an older one. A suspicious backup never replaces a good one.
      </Note>
    )}
    {backup.restorable === false && (
      <Note tone="danger" title="The test restore failed">
        What was missing is listed below. Keep the backup for what it still contains, and make a new
        one now.
      </Note>
    )}
  </>
);

type WaitingProps = { backup: BackupRecord; at: string };

/** A key has accepted the server as it is: until this is made, that can be taken back. */
const WaitingAcceptance = ({ backup: { id: backupId }, at }: WaitingProps) => {
  const { id } = useServer();
  const navigate = useNavigate();
  const refuse = useAction(() => api.deleteBackup({ params: { id, backupId } }), {
    message: 'It stays as it is.',
    invalidates: changedByBackup(id),
    onSuccess: () => navigate(`/servers/${id}/backups`),
  });
  return (
    <Note tone="warning" title="A key has accepted the server as it is">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          This backup is made <Moment at={at} />, at {formatTime(at)}, and becomes the last good
          one.
        </Text>
        <Button
          size="xs"
          variant="default"
          loading={refuse.isPending}
          onClick={() => refuse.mutate()}
        >
          Keep as it is
        </Button>
      </Group>
    </Note>
  );
};

const DeleteBackup = ({ backup }: { backup: BackupRecord }) => {
  const { id, name } = useServer();
  const navigate = useNavigate();
  return (
    <ConfirmButton
      isDangerous
      button={{
        ...{ variant: 'subtle', color: 'red', size: 'compact-sm', children: 'Delete' },
        leftSection: <IconTrash size={16} aria-hidden />,
      }}
      title="Delete this backup?"
      word={name}
      label="Delete the backup"
      action={() => api.deleteBackup({ params: { id, backupId: backup.id } })}
      message="The backup is deleted."
      invalidates={changedByBackup(id)}
      onSuccess={() => navigate(`/servers/${id}/backups`)}
    >
      <Stack gap="xs">
        <Text size="sm">
          <Name>{backupTitle(backup)}</Name> is deleted for good. Your server and your other backups
          stay as they are.
        </Text>
        {backup.kind === 'PRE_RESTORE' && (
          <Text size="sm">
            It is a safety backup: without it, the restore it was made for cannot be undone.
          </Text>
        )}
      </Stack>
    </ConfirmButton>
  );
};

/** First whether it can be relied on; what it holds is folded, since the tabs below show it. */
const BackupFacts = ({ backup }: { backup: BackupRecord }) => (
  <Paper withBorder p="md">
    <Stack gap="sm">
      {backup.status === 'completed' && !backup.suspicious ? (
        <Stack gap={4}>
          <Group gap="xs">
            <Text size="sm" fw={600}>
              Test restore
            </Text>
            <TestRestore backup={backup} />
          </Group>
          <Text size="sm" c="dimmed">
            {testRestoreMessage(backup)}
          </Text>
        </Stack>
      ) : (
        <BackupStatus backup={backup} />
      )}
      <Group justify="space-between" gap="xs">
        <Text size="sm" className="holdfast-number">
          {formatBytes(backup.sizeBytes)}, of which {formatBytes(backup.storedBytes)} were new in
          your storage.
        </Text>
        <DeleteBackup backup={backup} />
      </Group>
      <Divider />
      <Fold label={`What it holds: ${plural(backup.components.length, 'kind')}`}>
        <Components backup={backup} />
      </Fold>
    </Stack>
  </Paper>
);

/** What it holds, and how much of it. */
const Components = ({ backup }: { backup: BackupRecord }) => (
  <Group component="dl" gap="xs" m={0} mt="sm">
    {restorableComponents(backup.components).map((name) => (
      <ComponentPill
        key={name}
        label={componentLabels[name].label}
        count={countOf(backup.counts, name)}
      />
    ))}
  </Group>
);

type ComponentPillProps = { label: string; count: number | undefined };

const ComponentPill = ({ label, count }: ComponentPillProps) => (
  <Group gap={6} px="xs" py={2} className={classes.pill} wrap="nowrap">
    <Text component="dt" size="sm" c="dimmed">
      {label}
    </Text>
    <Text component="dd" m={0} size="sm" fw={600} className="holdfast-number">
      {count === undefined ? 'yes' : formatCount(count)}
    </Text>
  </Group>
);

const testRestoreMessage = ({ status, restorable, warnings }: BackupRecord): string => {
  if (status !== 'completed') return 'It is test-restored as soon as it is complete.';
  if (restorable === null) {
    return 'The test restore follows in a moment: the backup is restored into a simulated server, to see whether everything comes back.';
  }
  if (!restorable) return 'In the test restore something was missing or could not be read.';
  const passed =
    'It was read whole and restored into a simulated server. This is repeated every week.';
  return warnings.length === 0 ? `${passed} Everything came back.` : passed;
};
