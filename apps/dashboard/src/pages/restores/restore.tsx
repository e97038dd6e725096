import { Alert, Box, Group, Stack, Text } from '@mantine/core';
import { type Icon, IconAlertTriangle, IconCircleCheck, IconHandStop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { api } from '../../api.ts';
import { StopButton } from '../../components/confirm.tsx';
import { Facts, Moment, Name } from '../../components/display.tsx';
import { JobProgress, RecordPage } from '../../components/job-progress.tsx';
import { Note, PageHead, Section, TextLink } from '../../components/page.tsx';
import { NoteList, WarningList } from '../../components/warning-list.tsx';
import { backupTitle, componentLabels, countOf } from '../../labels/backups.ts';
import {
  endSentence,
  formatCount,
  formatDuration,
  formatPercent,
  formatRatio,
  formatTime,
  plural,
} from '../../labels/format.ts';
import { modeText, restoreMessage, waitsUntil } from '../../labels/restores.ts';
import { isRunning } from '../../labels/status.ts';
import type { RestoreDetails, RestoreRecord } from '../../queries/records.ts';
import { backupQuery, restoreDetailsQuery, restoreQuery } from '../../queries/recovery.ts';
import { NewWebhooks } from './new-webhooks.tsx';
import { RestoreStages } from './restore-stages.tsx';
import { UndoRestore } from './start-restore.tsx';

export const Restore = () => {
  const { restoreId = '' } = useParams();
  const query = useQuery(restoreQuery(restoreId));
  return (
    <RecordPage
      query={query}
      title="Restore"
      list={{ path: 'backups', label: 'All backups' }}
      path="restores"
    >
      {(restore) => (
        <>
          <RestoreHead restore={restore} />
          <Stack gap="lg">
            <RestoreOutcome restore={restore} />
            <QuotaWait restore={restore} />
            {restore.status !== 'completed' && <RestoreProgress restore={restore} />}
            <WarningList
              warnings={restore.warnings}
              title={restore.status === 'partial' ? 'What is missing or differs' : undefined}
            />
            <RestoreNotes restore={restore} />
            <NewWebhooks restore={restore} />
            {isRunning(restore) && (
              <Section title="Stages" padding="md">
                <RestoreStages restore={restore} />
              </Section>
            )}
            <RestoreSources restore={restore} />
          </Stack>
        </>
      )}
    </RecordPage>
  );
};

/** A restore that deletes took something away, also where everything of the backup came back. */
const RestoreNotes = ({ restore: { mode, deleteExtra, notes } }: { restore: RestoreRecord }) =>
  mode === 'REPLACE' || deleteExtra ? <WarningList warnings={notes} /> : <NoteList notes={notes} />;

const RestoreHead = ({ restore }: { restore: RestoreRecord }) => {
  const { data: details } = useQuery(restoreDetailsQuery(restore));
  const from = details?.backup ? backupTitle(details.backup) : undefined;
  return (
    <PageHead
      title={from === undefined ? 'Restore' : `${headings[restore.status] ?? 'Restoring'} ${from}`}
      description={
        <>
          Started <Moment at={restore.createdAt} isExact />
        </>
      }
      actions={isRunning(restore) && <StopRestore restore={restore} />}
    />
  );
};

/** Before the name of the backup. */
const headings: Partial<Record<RestoreRecord['status'], string>> = {
  completed: 'Restored from',
  partial: 'Restored from',
  failed: 'Failed restore from',
  cancelled: 'Stopped restore from',
};

export const StopRestore = ({ restore: { id } }: { restore: RestoreRecord }) => (
  <StopButton label="Stop the restore" action={() => api.cancelRestore({ params: { id } })}>
    It stops after the current step. What was done before that stays, so the server may be left
    between old and new. You can undo it afterwards.
  </StopButton>
);

/** The platform's quotas can last for hours or days; the restore goes on by itself. */
export const QuotaWait = ({ restore }: { restore: RestoreRecord }) => {
  const until = waitsUntil(restore);
  if (until === null) return null;
  return (
    <Note title={`Waits until ${formatTime(until)}`}>
      The platform lets a server make only so many channels, roles, emojis and stickers within some
      hours or days, and these are used up. What is done stays. The restore goes on by itself then:
      there is nothing you have to do.
    </Note>
  );
};

export const RestoreProgress = ({ restore }: { restore: RestoreRecord }) => {
  const { steps, progress } = restore;
  return (
    <JobProgress
      job={restore}
      kind="restore"
      isWaiting={waitsUntil(restore) !== null}
      message={isRunning(restore) ? restoreMessage(restore) : undefined}
      color={steps.failed > 0 ? 'yellow' : undefined}
      facts={[
        { label: 'Progress', value: formatPercent(progress / 100) },
        {
          label: 'Steps done',
          value: steps.total > 0 ? formatRatio(steps.done, steps.total) : '–',
        },
        { label: 'Steps failed', value: formatCount(steps.failed) },
      ]}
    />
  );
};

type Outcome = { title: string; color: string; icon: Icon };

const outcomes: Partial<Record<RestoreRecord['status'], Outcome>> = {
  completed: { title: 'Done', color: 'green', icon: IconCircleCheck },
  partial: { title: 'Done, with exceptions', color: 'yellow', icon: IconAlertTriangle },
  failed: { title: 'It failed', color: 'red', icon: IconAlertTriangle },
  cancelled: { title: 'Stopped', color: 'gray', icon: IconHandStop },
};

/** How the restore ended, and how to undo it. Nothing while it runs. */
const RestoreOutcome = ({ restore }: { restore: RestoreRecord }) => {
  const outcome = outcomes[restore.status];
  if (!outcome) return null;
  const { title, color, icon: Glyph } = outcome;
  return (
    <Alert color={color} title={title} icon={<Glyph aria-hidden />} role="status">
      <Stack gap="sm">
        <Text size="sm" className="holdfast-number">
          {restoreMessage(restore)} {restore.status === 'completed' && effortOf(restore)}
        </Text>
        {restore.error && <Text size="sm">{endSentence(restore.error)}</Text>}
        {(restore.status === 'failed' || restore.status === 'cancelled') && (
          <Text size="sm">{stepsMessage(restore)}</Text>
        )}
        <NextSteps restore={restore} />
        <UndoRestore restore={restore} />
      </Stack>
    </Alert>
  );
};

const effortOf = ({ steps, startedAt, completedAt }: RestoreRecord): string => {
  const tookMs = startedAt && completedAt ? Date.parse(completedAt) - Date.parse(startedAt) : 0;
  return `${plural(steps.done, 'step')} in ${formatDuration(tookMs / 1000)}.`;
};

/** What an owner does after a restore that worked. */
const NextSteps = ({ restore }: { restore: RestoreRecord }) => {
  const { data: details } = useQuery(restoreDetailsQuery(restore));
  if (restore.status !== 'completed' && restore.status !== 'partial') return null;
  const { serverId } = restore;
  const backup = details?.backup;
  return (
    <Group gap="md">
      <TextLink to={`/servers/${serverId}/pulls`} c="inherit">
        Bring members back
      </TextLink>
      {backup?.serverId === serverId && (
        <TextLink to={`/servers/${serverId}/backups/${backup.id}?tab=compare`} c="inherit">
          Compare with the backup
        </TextLink>
      )}
    </Group>
  );
};

const stepsMessage = ({ steps }: RestoreRecord): string =>
  steps.total === 0
    ? 'It ended before its first step: the server was not changed.'
    : `${plural(steps.done, 'step')} of ${steps.total} ${steps.done === 1 ? 'was' : 'were'} done; the rest was not.`;

/** The backup that is restored, and the safety backup made before. */
const RestoreSources = ({ restore }: { restore: RestoreRecord }) => {
  const { data: details } = useQuery(restoreDetailsQuery(restore));
  if (!details) return null;
  const { backup, safetyBackup, components } = details;
  const noSnapshot = restore.safetyBackupId ? 'Deleted since' : 'Not made';
  return (
    <Section title="Source and safety backup" padding="md">
      <Facts
        facts={[
          {
            label: 'Restored backup',
            value: <BackupLink backup={backup} missing="Deleted since" />,
          },
          {
            label: 'Safety backup, made before',
            value: <BackupLink backup={safetyBackup} missing={noSnapshot} />,
          },
          { label: 'Mode', value: modeText(restore) },
        ]}
      />
      <Text size="sm" c="dimmed" mt="md">
        {isRunning(restore) ? 'Being restored' : 'Restored'}:{' '}
        <RestoredParts backup={backup} components={components} />
      </Text>
      {!isRunning(restore) && (
        <Box mt="md">
          <RestoreStages restore={restore} />
        </Box>
      )}
    </Section>
  );
};

type RestoredPartsProps = Pick<RestoreDetails, 'backup' | 'components'>;

/** Each with how much the backup holds of it, while there is the backup; what it has none of is left out. */
const RestoredParts = ({ backup, components }: RestoredPartsProps) => {
  const { data: held } = useQuery({
    ...backupQuery(backup?.serverId ?? '', backup?.id ?? ''),
    enabled: backup !== null,
  });
  return components
    .map((name) => ({ name, count: held && countOf(held.counts, name) }))
    .filter(({ count }) => count !== 0)
    .map(({ name, count }) => {
      const { label } = componentLabels[name];
      return count === undefined ? label : `${label} (${formatCount(count)})`;
    })
    .join(', ');
};

type BackupLinkProps = { backup: RestoreDetails['backup']; missing: string };

const BackupLink = ({ backup, missing }: BackupLinkProps) =>
  backup ? (
    <TextLink to={`/servers/${backup.serverId}/backups/${backup.id}`}>
      <Name>{backupTitle(backup)}</Name>
    </TextLink>
  ) : (
    missing
  );
