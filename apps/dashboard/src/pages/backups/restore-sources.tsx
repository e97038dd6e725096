import type { Output } from '@holdfast/sdk';
import { Anchor, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Name } from '../../parts/name.tsx';
import { componentWords, titleOf } from './backup-words.ts';
import { type RestoreRecord, useRestoreCourse } from './use-restores.ts';

/** Where it comes from, and what the server was before. */
export const RestoreSources = ({ restore }: { restore: RestoreRecord }) => {
  const { data: course } = useRestoreCourse(restore.id, restore.status);
  if (!course) return null;
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="md">
        From what, to what
      </Title>
      <Stack component="dl" gap="sm" m={0}>
        <Entry label="Backup that is restored">
          <BackupLink backup={course.backup} missing="Deleted since" />
        </Entry>
        <Entry label="Safety snapshot, taken before">
          <BackupLink
            backup={course.safetyBackup}
            missing={restore.safetyBackupId ? 'Deleted since' : 'Not taken'}
          />
        </Entry>
        <Entry label="Parts of the server">
          {course.components.map((name) => componentWords[name].label).join(', ')}
        </Entry>
      </Stack>
    </Paper>
  );
};

const Entry = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <Text component="dt" size="sm" c="dimmed">
      {label}
    </Text>
    <Text component="dd" m={0} size="sm" style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Text>
  </div>
);

type BackupLinkProps = { backup: Output<'getRestoreCourse'>['backup']; missing: string };

const BackupLink = ({ backup, missing }: BackupLinkProps) =>
  backup ? (
    <Anchor
      component={Link}
      to={`/servers/${backup.serverId}/backups/${backup.id}`}
      inherit
      underline="always"
    >
      <Name>{titleOf(backup)}</Name>
    </Anchor>
  ) : (
    missing
  );
