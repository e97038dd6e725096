import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { TestRestoreBadge } from '../../components/backup-status.tsx';
import { Moment, Name, StatusBadge } from '../../components/display.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Section, TextLink } from '../../components/page.tsx';
import { backupTitle, lastBackupOf } from '../../labels/backups.ts';
import { plural } from '../../labels/format.ts';
import { pullSummary } from '../../labels/pulls.ts';
import type { BackupRecord, Server } from '../../queries/records.ts';
import { backupsQuery, pullsQuery } from '../../queries/recovery.ts';

export const LastBackupCard = ({ server }: { server: Server }) => {
  const { id, backupSchedule } = server;
  const backups = useQuery(backupsQuery(id));
  return (
    <Section title="Last backup" more={{ to: `/servers/${id}/backups`, label: 'Backups' }}>
      <Loaded query={backups} height={60}>
        {({ data }) => (
          <Stack gap="xs">
            <LastBackup server={server} latest={lastBackupOf(data)} />
            <Text size="sm" c="dimmed">
              {backupSchedule
                ? `Made automatically every ${plural(backupSchedule.everyHours, 'hour')}.`
                : 'Automatic backups are off.'}
            </Text>
          </Stack>
        )}
      </Loaded>
    </Section>
  );
};

type LastBackupProps = { server: Server; latest: BackupRecord | undefined };

const LastBackup = ({ server: { id, lastGoodBackupId }, latest }: LastBackupProps) => {
  if (!latest) return <Text>There is none yet.</Text>;
  return (
    <>
      {lastGoodBackupId !== null && latest.id !== lastGoodBackupId && (
        <TextLink to={`/servers/${id}/backups/${lastGoodBackupId}`}>
          Open the last good backup
        </TextLink>
      )}
      <JobLine
        to={`/servers/${id}/backups/${latest.id}`}
        label={<Name>{backupTitle(latest)}</Name>}
        job={latest}
        badge={latest.status === 'completed' && <TestRestoreBadge restorable={latest.restorable} />}
      />
    </>
  );
};

export const LastPullCard = ({ server: { id, _count } }: { server: Server }) => {
  const pulls = useQuery(pullsQuery(id, 1));
  return (
    <Section title="Last pull" more={{ to: `/servers/${id}/pulls`, label: 'Bring members back' }}>
      <Loaded query={pulls} height={60}>
        {({ data: [latest] }) => (
          <Stack gap="xs">
            {latest ? (
              <JobLine
                to={`/servers/${id}/pulls/${latest.id}`}
                label={pullSummary(latest)}
                job={latest}
              />
            ) : (
              <Text size="sm">No pull yet.</Text>
            )}
            <Text size="sm" c="dimmed">
              {plural(_count.pullableMembers, 'member')} agreed to be brought back.
            </Text>
          </Stack>
        )}
      </Loaded>
    </Section>
  );
};

type JobLineProps = {
  to: string;
  label: ReactNode;
  job: { status: string; createdAt: string; completedAt: string | null };
  /** Instead of the status. */
  badge?: ReactNode;
};

const JobLine = ({ to, label, job, badge }: JobLineProps) => (
  <>
    <Anchor component={Link} to={to}>
      {label}
    </Anchor>
    <Group gap="xs">
      {badge || <StatusBadge status={job.status} />}
      <Text size="sm">
        <Moment at={job.completedAt ?? job.createdAt} />
      </Text>
    </Group>
  </>
);
