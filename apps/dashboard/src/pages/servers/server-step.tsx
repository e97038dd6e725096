import type { Output } from '@holdfast/sdk/dashboard';
import { Button, Collapse, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { ApiForm, useApiForm } from '../../components/form.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Note } from '../../components/page.tsx';
import { GuildSelect } from '../../components/select.tsx';
import { errorMessage } from '../../labels/errors.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { BotGuild } from '../../queries/records.ts';
import { isHarmless } from '../../queries/servers.ts';
import { botGuildQuery, botGuildsQuery, botSetupQuery } from '../../queries/setup.ts';
import { InviteBot } from '../bots/invite-bot.tsx';
import { PortalLink } from '../bots/setup-checks.tsx';
import { GuildChoice } from './guild-choice.tsx';

type ServerStepProps = {
  botId: string | undefined;
  onAdded: (server: Output<'createServer'>) => void;
};

/** The server, chosen among those that the bot is in, or the bot invited to one. */
export const ServerStep = ({ botId, onAdded }: ServerStepProps) =>
  botId ? (
    <ChosenBotStep key={botId} botId={botId} onAdded={onAdded} />
  ) : (
    <Text c="dimmed">Once the bot is there, you choose your server here by its name.</Text>
  );

type StepProps = ServerStepProps & { botId: string };

const ChosenBotStep = ({ botId, onAdded }: StepProps) => {
  const guilds = useQuery(botGuildsQuery(botId));
  const setup = useQuery(botSetupQuery(botId));
  const [chosen, setChosen] = useState<string>();
  const [isInviting, { toggle }] = useDisclosure(false);
  const free = guilds.data?.guilds.filter(({ serverId }) => serverId === null) ?? [];
  const only = free.length === 1 ? free[0] : undefined;
  const guild = free.find(({ platformId }) => platformId === chosen) ?? only;
  return (
    <Loaded query={guilds} height={120}>
      {(found) => (
        <Stack gap="lg">
          <GuildChoice {...found} chosen={guild?.platformId} onChoose={setChosen} />
          {guild && (
            <GuildForm key={guild.platformId} botId={botId} guild={guild} onAdded={onAdded} />
          )}
          {free.length === 0 && found.guilds.length > 0 && (
            <Text>
              Every server that this bot is in is added already. Invite it to another one:
            </Text>
          )}
          {free.length > 0 && (
            <Group>
              <Button variant="subtle" size="xs" onClick={toggle} aria-expanded={isInviting}>
                Invite it to another server
              </Button>
            </Group>
          )}
          <Collapse expanded={isInviting || free.length === 0}>
            <Loaded query={setup} height={60}>
              {({ invites }) => <InviteBot invites={invites} isMain={free.length === 0} />}
            </Loaded>
            <ManagedGuilds botId={botId} />
          </Collapse>
        </Stack>
      )}
    </Loaded>
  );
};

/** The platform asks whether it may tell them; they are shown once, in a window of their own. */
const ManagedGuilds = ({ botId }: { botId: string }) => (
  <Text size="sm" mt="md">
    Not sure which?{' '}
    <PortalLink href={`/login/servers?bot=${botId}`}>Show the servers that I manage</PortalLink>{' '}
    <Text span inherit c="dimmed">
      The platform asks you first. The list is not stored.
    </Text>
  </Text>
);

/** Stands for a role or channel that is made when the server is added. */
const newOne = 'new';

type GuildFormProps = { botId: string; guild: BotGuild; onAdded: ServerStepProps['onAdded'] };

const GuildForm = ({ botId, guild, onAdded }: GuildFormProps) => {
  const { data: view, error } = useQuery(botGuildQuery(botId, guild.platformId));
  const form = useApiForm<Choices, Output<'createServer'>>(
    { verifiedRoleId: newOne, logChannelId: newOne },
    (choices) => addServer({ botId, guild }, choices),
    {
      message: ({ name }) => `${name} was added`,
      invalidates: [queryKeys.servers, queryKeys.account, queryKeys.overview],
      onSuccess: onAdded,
    },
  );
  const { values, setFieldValue, errors } = form;
  const channels = view?.channels.filter(({ type }) => ['text', 'announcement'].includes(type));
  return (
    <ApiForm form={form} label="Add the server" errorTitle="The server was not added">
      {error && <Note tone="warning">{errorMessage(error)}</Note>}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <GuildSelect
          label="Role for verified members"
          description="Everybody who verifies gets it."
          choices={
            view && [{ id: newOne, name: 'A new role: Verified' }, ...view.roles.filter(isHarmless)]
          }
          value={values.verifiedRoleId}
          onChange={(id) => setFieldValue('verifiedRoleId', id)}
          error={errors.verifiedRoleId}
        />
        <GuildSelect
          label="Log channel"
          description="Verifications and urgent alerts are reported there."
          choices={channels && [{ id: newOne, name: 'A new private channel' }, ...channels]}
          value={values.logChannelId}
          onChange={(id) => setFieldValue('logChannelId', id)}
          error={errors.logChannelId}
        />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        The new role has no permissions, and only the bot and administrators see the new channel.
      </Text>
    </ApiForm>
  );
};

type Choices = { verifiedRoleId: string | null; logChannelId: string | null };

/** What is to be made is made first; made twice, it is the same. */
const addServer = async (
  { botId, guild }: Pick<GuildFormProps, 'botId' | 'guild'>,
  { verifiedRoleId, logChannelId }: Choices,
) => {
  const params = { id: botId, guildId: guild.platformId };
  const idOf = async (chosen: string | null, make: () => Promise<{ id: string }>) =>
    chosen === newOne ? (await make()).id : chosen;
  return api.createServer({
    body: {
      customBotId: botId,
      platformGuildId: guild.platformId,
      name: guild.name.slice(0, 100),
      verifiedRoleId: await idOf(verifiedRoleId, () => api.makeVerifiedRole({ params })),
      logChannelId: await idOf(logChannelId, () => api.makeLogChannel({ params })),
    },
  });
};
