import { Avatar, Box, Grid, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { Facts, Name } from '../../../components/display.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { allComponents, componentLabels, countOf } from '../../../labels/backups.ts';
import {
  contentFilterLabels,
  notificationLabels,
  verificationLevelLabels,
} from '../../../labels/contents.ts';
import { formatCount } from '../../../labels/format.ts';
import type { BackupContents, BackupRecord } from '../../../queries/records.ts';
import { contentsQuery } from '../../../queries/recovery.ts';
import { ChannelTree } from './channel-tree.tsx';
import classes from './contents.module.css';
import { countChannels, findChannels, findRoles } from './find-in-contents.ts';
import { RoleList } from './role-list.tsx';

/** The server as the backup holds it. */
export const Contents = ({ backup }: { backup: BackupRecord }) => (
  <Loaded query={useQuery(contentsQuery(backup))} height={400}>
    {(contents) => (
      <Stack gap="lg">
        {contents.settings && <Settings settings={contents.settings} />}
        <Structure contents={contents} />
        <AlsoHeld counts={backup.counts} />
      </Stack>
    )}
  </Loaded>
);

/** What is in the backup beside the lists above. */
const AlsoHeld = ({ counts }: Pick<BackupRecord, 'counts'>) => {
  const held = allComponents
    .filter((name) => name !== 'channels' && name !== 'roles')
    .map((name) => ({ ...componentLabels[name], count: countOf(counts, name) ?? 0 }))
    .filter(({ count }) => count > 0);
  if (held.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" className="holdfast-number">
      Also held: {held.map(({ label, count }) => `${label} (${formatCount(count)})`).join(', ')}.
      They are not listed here.
    </Text>
  );
};

type SettingsProps = { settings: NonNullable<BackupContents['settings']> };

const Settings = ({ settings }: SettingsProps) => (
  <Stack gap="md">
    {settings.banner && <img className={classes.banner} src={settings.banner} alt="" />}
    <Group gap="md" wrap="nowrap" align="flex-start">
      <Avatar
        src={settings.icon}
        alt=""
        size={56}
        radius="md"
        color="initials"
        name={settings.name}
      />
      <Box miw={0}>
        <Title order={2} size="h4">
          <Name>{settings.name}</Name>
        </Title>
        {settings.description && (
          <Text size="sm" c="dimmed">
            <Name>{settings.description}</Name>
          </Text>
        )}
      </Box>
    </Group>
    <Facts
      facts={[
        { label: 'Verification', value: verificationLevelLabels[settings.verificationLevel] },
        { label: 'Notifications', value: notificationLabels[settings.defaultMessageNotifications] },
        { label: 'Media filter', value: contentFilterLabels[settings.explicitContentFilter] },
        { label: 'Community', value: settings.features.includes('COMMUNITY') ? 'Yes' : 'No' },
      ]}
    />
  </Stack>
);

/** A server of more than so many channels begins with its categories closed. */
const openedAtFirst = 60;
/** A search is offered from so many channels and roles on. */
const searchedFrom = 15;

const Structure = ({ contents: { roles, channels } }: { contents: BackupContents }) => {
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search);
  const names = new Map(roles.map(({ platformId, name }) => [platformId, name]));
  const total = countChannels(channels);
  const shownChannels = findChannels(channels, wanted);
  const shownRoles = findRoles(roles, wanted);
  const isSearch = wanted.trim() !== '';
  return (
    <Stack gap="md">
      {total + roles.length >= searchedFrom && (
        <TextInput
          label="Find a channel or role"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
          type="search"
          maw={360}
        />
      )}
      <Grid gap="xl">
        <Column title="Channels" count={total} isEmpty={shownChannels.length === 0} span={7}>
          <ChannelTree
            // What a search found is shown open, and closes again with it.
            key={isSearch ? 'found' : 'all'}
            branches={shownChannels}
            nameRole={(id) => names.get(id) ?? 'A role that is not in the backup'}
            isOpen={isSearch || total <= openedAtFirst}
          />
        </Column>
        <Column title="Roles" count={roles.length} isEmpty={shownRoles.length === 0} span={5}>
          <RoleList roles={shownRoles} />
        </Column>
      </Grid>
    </Stack>
  );
};

type ColumnProps = {
  title: string;
  count: number;
  isEmpty: boolean;
  span: number;
  children: ReactNode;
};

const Column = ({ title, count, isEmpty, span, children }: ColumnProps) => (
  <Grid.Col span={{ base: 12, md: span }}>
    <Group gap="xs" align="baseline" mb="xs">
      <Title order={3} size="h5">
        {title}
      </Title>
      <Text size="sm" c="dimmed" className="holdfast-number">
        {formatCount(count)}
      </Text>
    </Group>
    {isEmpty ? (
      <Text size="sm" c="dimmed">
        {count === 0 ? 'The backup holds none.' : 'None of that name.'}
      </Text>
    ) : (
      children
    )}
  </Grid.Col>
);
