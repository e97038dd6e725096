import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'react-router';
import { Fold } from '../../components/fold.tsx';
import { Section, TextLink } from '../../components/page.tsx';
import { GuildSelect } from '../../components/select.tsx';
import type { Server } from '../../queries/records.ts';
import { botGuildsQuery } from '../../queries/setup.ts';
import type { SettingsForm } from './use-settings.ts';

type MoveProps = { server: Server; form: SettingsForm };

/** Another guild, chosen among those that the bot is in and that have no server yet. */
export const MoveSection = ({ server, form: { settings, edit, errorOf } }: MoveProps) => {
  const query = { ...botGuildsQuery(settings.customBotId), refetchInterval: false as const };
  const { data, error } = useQuery(query);
  const { hash } = useLocation();
  const isUnknown = error !== null || typeof data?.failure === 'string';
  return (
    <Section title="Move to another server" anchor="move">
      <Fold
        label="Choose another server"
        isOpenFirst={hash === '#move' || server.health === 'LOST'}
      >
        <Stack gap="md" mt="sm">
          <Text c="dimmed" size="sm">
            If the server was lost, create a new one on the platform, invite the bot, and choose it
            here. Members, backups and rules are kept: restore a backup into it, then bring your
            members back. Role and channel have to be chosen again.{' '}
            <TextLink to={`/servers/${server.id}/recover`}>Recover</TextLink> leads through all of
            it.
          </Text>
          <GuildSelect
            label="Server on the platform"
            description="Those that the bot is in and that are not added yet."
            choices={isUnknown ? null : data && choicesOf(server, data.guilds)}
            value={settings.platformGuildId}
            onChange={(id) => edit({ platformGuildId: id ?? server.platformGuildId })}
            error={errorOf('platformGuildId')}
          />
        </Stack>
      </Fold>
    </Section>
  );
};

type Guild = { platformId: string; name: string; serverId: string | null };

const choicesOf = ({ name, platformGuildId }: Server, guilds: Guild[]) => [
  { id: platformGuildId, name: `${name} (as now)` },
  ...guilds
    .filter(({ serverId }) => serverId === null)
    .map((guild) => ({ id: guild.platformId, name: guild.name })),
];
