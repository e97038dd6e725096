import { List, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Name } from '../../../components/display.tsx';
import { Note, TextLink } from '../../../components/page.tsx';
import { ServerSelect } from '../../../components/select.tsx';
import { lastGoodFirst } from '../../../labels/backups.ts';
import { formatTime, plural } from '../../../labels/format.ts';
import type { BackupRecord } from '../../../queries/records.ts';
import { backupsQuery } from '../../../queries/recovery.ts';
import { allServersQuery } from '../../../queries/servers.ts';

/** Without the roles that decide who sees what, hidden channels would be visible. */
const isSuitable = ({ status, components }: BackupRecord): boolean =>
  status === 'completed' && components.includes('roles') && components.includes('channels');

type TemplateSourceProps = {
  value: string;
  onChange: (backupId: string) => void;
  error: ReactNode;
};

/** Which backup of which server is sold, and what is left out of it. */
export const TemplateSource = ({ value, onChange, error }: TemplateSourceProps) => {
  const [serverId, setServerId] = useState('');
  return (
    <Stack gap="md">
      <ServerSelect
        label="Which server"
        value={serverId}
        onChange={(id) => {
          setServerId(id);
          onChange('');
        }}
      />
      {serverId && (
        <BackupSelect serverId={serverId} value={value} onChange={onChange} error={error} />
      )}
      <LeftOut />
    </Stack>
  );
};

type BackupSelectProps = TemplateSourceProps & { serverId: string };

const BackupSelect = ({ serverId, value, onChange, error }: BackupSelectProps) => {
  const { data } = useQuery(backupsQuery(serverId, { limit: 100 }));
  const { data: servers } = useQuery(allServersQuery);
  const server = servers?.data.find(({ id }) => id === serverId);
  const backups = data && lastGoodFirst(data.data.filter(isSuitable), server?.lastGoodBackupId);
  if (backups?.length === 0) {
    return (
      <Text size="sm">
        This server has no completed backup with roles and channels.{' '}
        <TextLink to={`/servers/${serverId}/backups`}>Back it up first</TextLink>.
      </Text>
    );
  }
  return (
    <Select
      label="Which backup"
      data={backups?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
      renderOption={({ option }) => (
        <BackupLine backup={backups?.find(({ id }) => id === option.value)} />
      )}
      value={value || null}
      onChange={(id) => onChange(id ?? '')}
      error={error}
      allowDeselect={false}
    />
  );
};

const BackupLine = ({ backup }: { backup: BackupRecord | undefined }) =>
  backup && (
    <Stack gap={0}>
      <Text size="sm">
        <Name>{backup.name}</Name>
      </Text>
      <Text size="xs" c="dimmed">
        {formatTime(backup.createdAt)}, {plural(backup.counts.channels, 'channel')},{' '}
        {plural(backup.counts.roles, 'role')}
      </Text>
    </Stack>
  );

const LeftOut = () => (
  <Note title="Member data is never included">
    <List size="sm" spacing={4}>
      <List.Item>Included: settings, roles, channels, emojis and permissions.</List.Item>
      <List.Item>
        Left out: members, bans, messages, stickers, bot roles and permissions of single people.
      </List.Item>
      <List.Item>
        Dangerous permissions, such as Administrator or Ban members, are removed from roles and
        channels.
      </List.Item>
      <List.Item>Platform IDs are replaced everywhere, also in texts.</List.Item>
      <List.Item>Before it is listed it is test-restored.</List.Item>
    </List>
  </Note>
);
