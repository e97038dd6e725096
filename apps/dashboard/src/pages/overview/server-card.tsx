import { Anchor, Group, Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { Figure } from '../../parts/figure.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { Picture } from '../../parts/picture.tsx';
import { countWords } from '../../parts/words.ts';
import { BackupProof } from '../servers/backup-proof.tsx';
import type { OverviewServer } from './attention.ts';

type Job = OverviewServer['running'][number];

export const ServerCard = ({ server }: { server: OverviewServer }) => {
  const { id, name, icon, memberCount, members, pullableMembers, lastBackup, running } = server;
  return (
    <Paper withBorder p="lg" component="article" aria-labelledby={`server-${id}`}>
      <Stack gap="md">
        <Group gap="sm" wrap="nowrap">
          <Picture src={icon} radius="md" size={44} />
          <Stack gap={0} miw={0}>
            <Title order={3} size="h5" id={`server-${id}`}>
              <Anchor component={Link} to={`/servers/${id}`} inherit>
                <Name>{name}</Name>
              </Anchor>
            </Title>
            <Text size="sm" c="dimmed">
              {countWords(memberCount)} on the platform
            </Text>
          </Stack>
        </Group>
        <SimpleGrid cols={2}>
          <Figure label="Verified" value={countWords(members)} />
          <Figure label="Can be called back" value={countWords(pullableMembers)} />
        </SimpleGrid>
        <Group gap="xs" justify="space-between">
          <Text size="sm">
            <Text span c="dimmed" inherit>
              Last backup{' '}
            </Text>
            <Moment at={lastBackup?.completedAt ?? null} never="never" />
          </Text>
          {lastBackup && <BackupProof restorable={lastBackup.restorable} />}
        </Group>
        {running.map((job) => (
          <RunningJob key={job.id} job={job} serverId={id} />
        ))}
        <Group gap="md">
          <CardLink to={`/servers/${id}/members`}>Members</CardLink>
          <CardLink to={`/servers/${id}/backups`}>Backups</CardLink>
          <CardLink to={`/servers/${id}/pulls`}>Pulls</CardLink>
        </Group>
      </Stack>
    </Paper>
  );
};

const CardLink = ({ to, children }: { to: string; children: string }) => (
  <Anchor component={Link} to={to} size="sm">
    {children}
  </Anchor>
);

const jobWords: Record<Job['kind'], { label: string; place: string }> = {
  BACKUP: { label: 'Backing up', place: 'backups' },
  RESTORE: { label: 'Restoring', place: 'restores' },
  PULL: { label: 'Calling members back', place: 'pulls' },
};

const RunningJob = ({ job, serverId }: { job: Job; serverId: string }) => {
  const { label, place } = jobWords[job.kind];
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Anchor component={Link} to={`/servers/${serverId}/${place}/${job.id}`} size="sm">
          {label}
        </Anchor>
        <Text size="sm" className="holdfast-number">
          {job.progress} %
        </Text>
      </Group>
      <Progress value={job.progress} aria-label={label} animated />
    </Stack>
  );
};
