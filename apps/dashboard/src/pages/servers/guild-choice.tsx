import { Badge, Group, Paper, Radio, Stack, Text } from '@mantine/core';
import { Name, Picture } from '../../components/display.tsx';
import { Note, TextLink } from '../../components/page.tsx';
import { endSentence, plural } from '../../labels/format.ts';
import type { BotGuild } from '../../queries/records.ts';
import classes from './guild-choice.module.css';

type GuildChoiceProps = {
  guilds: BotGuild[];
  failure: string | null;
  chosen: string | undefined;
  onChoose: (guildId: string) => void;
};

/** The guilds that the bot is in, by name and picture; those that have a server lead to it. */
export const GuildChoice = ({ guilds, failure, chosen, onChoose }: GuildChoiceProps) => {
  if (failure !== null) {
    return (
      <Note tone="warning" title="The platform could not be asked">
        {endSentence(failure)} This page asks again every few seconds.
      </Note>
    );
  }
  if (guilds.length === 0) {
    return (
      <Text role="status">
        The bot is in no server yet. Invite it below: your server appears here within seconds.
      </Text>
    );
  }
  return (
    <Radio.Group label="Server" value={chosen ?? ''} onChange={onChoose} required>
      <Stack gap="xs" mt={6} className={classes.list}>
        {guilds.map((guild) => (
          <Guild key={guild.platformId} guild={guild} />
        ))}
      </Stack>
    </Radio.Group>
  );
};

const Guild = ({ guild }: { guild: BotGuild }) =>
  guild.serverId === null ? (
    <Radio.Card value={guild.platformId} p="sm" radius="md" className={classes.card}>
      <Group gap="sm" wrap="nowrap">
        <Radio.Indicator />
        <Face guild={guild} />
      </Group>
    </Radio.Card>
  ) : (
    <Paper withBorder p="sm" radius="md">
      <Group gap="sm" wrap="nowrap">
        <Face guild={guild} />
        <Badge>added</Badge>
        <TextLink to={`/servers/${guild.serverId}`}>Open</TextLink>
      </Group>
    </Paper>
  );

const Face = ({ guild: { name, icon, memberCount } }: { guild: BotGuild }) => (
  <>
    <Picture src={icon} radius="md" size={36} />
    <Stack gap={0} flex={1} miw={0}>
      <Text fw={500}>
        <Name>{name}</Name>
      </Text>
      {memberCount !== null && (
        <Text size="sm" c="dimmed">
          {plural(memberCount, 'member')}
        </Text>
      )}
    </Stack>
  </>
);
