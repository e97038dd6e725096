import type { Entry } from '@holdfast/sdk';
import { Alert, Anchor, List, Select, Stack, Text } from '@mantine/core';
import { IconShieldLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { api } from '../../api.ts';
import { fieldError } from '../../parts/error-words.ts';
import { Name } from '../../parts/name.tsx';
import { ServerSelect } from '../../parts/server-select.tsx';
import { momentWords, plural } from '../../parts/words.ts';

type Backup = Entry<'listBackups'>;

/** Without the roles that say who sees what, hidden channels would be open. */
const isFit = ({ status, components }: Backup): boolean =>
  status === 'completed' && components.includes('roles') && components.includes('channels');

type TemplateSourceProps = { value: string; onChange: (backupId: string) => void; error: unknown };

/** Of which backup of which server; and what of it nobody will ever see. */
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
  const { data } = useQuery({
    queryKey: ['backups', serverId, 'templates'],
    queryFn: () => api.listBackups({ params: { id: serverId }, query: { limit: 100 } }),
  });
  const backups = data?.data.filter(isFit);
  if (backups?.length === 0) {
    return (
      <Text size="sm">
        This server has no completed backup with roles and channels.{' '}
        <Anchor component={Link} to={`/servers/${serverId}/backups`} inherit underline="always">
          Back it up first
        </Anchor>
        .
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
      error={fieldError(error, 'backupId')}
      allowDeselect={false}
    />
  );
};

const BackupLine = ({ backup }: { backup: Backup | undefined }) =>
  backup && (
    <Stack gap={0}>
      <Text size="sm">
        <Name>{backup.name}</Name>
      </Text>
      <Text size="xs" c="dimmed">
        {momentWords(backup.createdAt)}, {plural(backup.counts.channels, 'channel')},{' '}
        {plural(backup.counts.roles, 'role')}
      </Text>
    </Stack>
  );

const LeftOut = () => (
  <Alert color="blue" icon={<IconShieldLock aria-hidden />} title="No people are sold">
    <List size="sm" spacing={4}>
      <List.Item>In it: settings, roles, channels, emojis, and who may see and do what.</List.Item>
      <List.Item>
        Left out: members, bans, messages, stickers, roles of bots, and rules for single people.
      </List.Item>
      <List.Item>
        Dangerous permissions, such as Administrator or Ban members, are taken out of roles and
        channels.
      </List.Item>
      <List.Item>Ids of the platform are replaced everywhere, also in texts.</List.Item>
      <List.Item>Before it is listed it is restored once, into a server in memory.</List.Item>
    </List>
  </Alert>
);
