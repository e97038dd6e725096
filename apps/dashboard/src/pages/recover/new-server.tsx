import { Button, Group, List, Loader, Radio, Stack, Text } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { Name } from '../../components/display.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Note, Section } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.ts';
import { endSentence, plural } from '../../labels/format.ts';
import type { BackupRecord, NewGuild } from '../../queries/records.ts';
import { newGuildsQuery } from '../../queries/recovery.ts';
import { useServer } from '../../queries/servers.ts';
import { describeContents } from './plan-words.ts';
import { changedByRestore, startRestore } from './start-restore.ts';

/** The server is gone: its owner makes a new one and invites the bot; everything else goes on here. */
export const NewServer = ({ backup }: { backup: BackupRecord }) => {
  const { id } = useServer();
  const query = useQuery(newGuildsQuery(id));
  return (
    <Section title="The new server" padding="md">
      <Loaded query={query} height={200}>
        {({ inviteUrl, guilds, failure }) => (
          <Stack gap="md">
            <Instructions inviteUrl={inviteUrl} isFound={guilds.length > 0} />
            {failure && (
              <Note tone="warning" title="The platform cannot be asked now">
                {endSentence(failure)} This page tries again by itself.
              </Note>
            )}
            {guilds.length === 0 ? <Waiting /> : <Found backup={backup} guilds={guilds} />}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
};

type InstructionsProps = { inviteUrl: string; isFound: boolean };

const Instructions = ({ inviteUrl, isFound }: InstructionsProps) => (
  <List type="ordered" spacing="sm">
    <List.Item>
      In the platform’s app, add a server of your own. Its name and content do not matter.
    </List.Item>
    <List.Item>
      Invite the bot to it, as administrator: it can only give others what it may do itself.
      <Group mt="xs">
        <Button
          component="a"
          href={inviteUrl}
          target="_blank"
          rel="noreferrer"
          variant={isFound ? 'default' : 'filled'}
        >
          Invite the bot
        </Button>
      </Group>
    </List.Item>
    <List.Item>Come back here: the new server is found by itself.</List.Item>
  </List>
);

const Waiting = () => (
  <Group gap="sm" role="status" wrap="nowrap">
    <Loader size="sm" aria-hidden />
    <Text size="sm">Waiting for the bot to be in a new server…</Text>
  </Group>
);

type FoundProps = { backup: BackupRecord; guilds: NewGuild[] };

/** One alone is chosen already; of several the owner knows which. */
const Found = ({ backup, guilds }: FoundProps) => {
  const { id } = useServer();
  const [picked, setPicked] = useState<string>();
  const [only, ...more] = guilds;
  const chosen =
    guilds.find(({ platformId }) => platformId === picked) ?? (more[0] ? undefined : only);
  const move = useAction(
    async (platformGuildId: string) => {
      await api.updateServer({ params: { id }, body: { platformGuildId } });
      return startRestore(backup, id);
    },
    { invalidates: changedByRestore(id), onError: () => undefined },
  );
  return (
    <>
      <GuildChoice guilds={guilds} chosen={chosen} onChange={setPicked} />
      <Text size="sm">
        What is made there: {describeContents(backup)}. What is there already is not deleted. From
        then on the verify link, the backups and the rules belong to the new server.
      </Text>
      {move.error && <ErrorNote error={move.error} title="It did not start" />}
      <Group>
        <Button
          size="md"
          rightSection={<IconArrowRight size={18} aria-hidden />}
          disabled={!chosen}
          loading={move.isPending}
          onClick={() => chosen && move.mutate(chosen.platformId)}
        >
          Move there and restore
        </Button>
      </Group>
    </>
  );
};

type GuildChoiceProps = {
  guilds: NewGuild[];
  chosen: NewGuild | undefined;
  onChange: (platformId: string) => void;
};

const GuildChoice = ({ guilds, chosen, onChange }: GuildChoiceProps) => (
  <Radio.Group
    label={guilds.length === 1 ? 'The bot is in this server now' : 'Which one is the new server?'}
    value={chosen?.platformId ?? null}
    onChange={onChange}
  >
    <Stack gap="sm" mt="xs">
      {guilds.map(({ platformId, name, memberCount }) => (
        <Radio
          key={platformId}
          value={platformId}
          label={<Name>{name}</Name>}
          description={`${memberCount === null ? '' : `${plural(memberCount, 'member')}, `}ID ${platformId}`}
        />
      ))}
    </Stack>
  </Radio.Group>
);
