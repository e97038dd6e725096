import { Anchor, Group, Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { TestRestoreBadge } from '../../components/backup-status.tsx';
import { Figure, Moment, Name, Picture } from '../../components/display.tsx';
import { ServerStatus } from '../../components/health-badge.tsx';
import { formatCount, formatPercent, plural } from '../../labels/format.ts';
import type { OverviewServer } from '../../queries/records.ts';

type Job = OverviewServer['running'][number];

type ServerCardProps = {
  server: OverviewServer;
  /** It has the whole width of the page. */
  isAlone: boolean;
};

export const ServerCard = ({ server, isAlone }: ServerCardProps) => {
  const { id, name, icon, memberCount, running } = server;
  return (
    <Paper withBorder p="lg" component="article" aria-labelledby={`server-${id}`}>
      <Stack gap="md">
        <Group gap="sm" justify="space-between">
          <Group gap="sm" wrap="nowrap">
            <Picture src={icon} radius="md" size={44} />
            <Stack gap={0} miw={0}>
              <Title order={3} size="h5" id={`server-${id}`}>
                <Anchor component={Link} to={`/servers/${id}`} inherit>
                  <Name>{name}</Name>
                </Anchor>
              </Title>
              <Text size="sm" c="dimmed">
                {plural(memberCount, 'member')}
              </Text>
            </Stack>
          </Group>
          <ServerStatus {...server} />
        </Group>
        <Figures server={server} isAlone={isAlone} />
        {running.map((job) => (
          <JobLine key={job.id} job={job} serverId={id} />
        ))}
        <Group gap="md">
          <CardLink to={`/servers/${id}/members`}>Members</CardLink>
          <CardLink to={`/servers/${id}/backups`}>Backups</CardLink>
          <CardLink to={`/servers/${id}/pulls`}>Bring members back</CardLink>
          <CardLink to={`/servers/${id}/recover`}>Recover</CardLink>
        </Group>
      </Stack>
    </Paper>
  );
};

const Figures = ({ server, isAlone }: ServerCardProps) => {
  const { members, pullableMembers, lastBackup } = server;
  return (
    <SimpleGrid cols={isAlone ? { base: 2, sm: 3 } : 2}>
      <Figure label="Verified" value={formatCount(members)} />
      <Figure label="Can be brought back" value={formatCount(pullableMembers)} />
      <Figure
        label="Last backup"
        value={
          <Text span inherit style={{ whiteSpace: 'nowrap' }}>
            <Moment at={lastBackup?.completedAt ?? null} never="never" />
          </Text>
        }
        hint={lastBackup && <TestRestoreBadge restorable={lastBackup.restorable} />}
      />
    </SimpleGrid>
  );
};

const CardLink = ({ to, children }: { to: string; children: string }) => (
  <Anchor component={Link} to={to} size="sm">
    {children}
  </Anchor>
);

const jobLabels: Record<Job['kind'], { label: string; path: string }> = {
  BACKUP: { label: 'Backing up', path: 'backups' },
  RESTORE: { label: 'Restoring', path: 'restores' },
  PULL: { label: 'Bringing members back', path: 'pulls' },
};

const JobLine = ({ job, serverId }: { job: Job; serverId: string }) => {
  const { label, path } = jobLabels[job.kind];
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Anchor component={Link} to={`/servers/${serverId}/${path}/${job.id}`} size="sm">
          {label}
        </Anchor>
        <Text size="sm" className="holdfast-number">
          {formatPercent(job.progress / 100)}
        </Text>
      </Group>
      <Progress value={job.progress} aria-label={label} animated />
    </Stack>
  );
};
