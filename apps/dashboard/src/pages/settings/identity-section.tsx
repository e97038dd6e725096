import { Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { inputFirst } from '../../components/form.tsx';
import { anchorProps, Note, Section } from '../../components/page.tsx';
import { type GuildRole, PowerNote, powerfulRole } from '../../components/power-note.tsx';
import { GuildSelect } from '../../components/select.tsx';
import { useAction } from '../../components/use-action.ts';
import { errorMessage } from '../../labels/errors.ts';
import { botsQuery } from '../../queries/account.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { Server } from '../../queries/records.ts';
import { guildQuery } from '../../queries/servers.ts';
import { ConfirmRole } from './confirm-role.tsx';
import type { SettingsForm } from './use-settings.ts';

type IdentityProps = { server: Server; form: SettingsForm };

export const IdentitySection = ({ server, form }: IdentityProps) => {
  const { settings, edit, errorOf } = form;
  const bots = useQuery(botsQuery);
  return (
    <Section title="Server and bot">
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="Name"
            description="Newcomers see it on the verify page."
            value={settings.name}
            onChange={({ currentTarget }) => edit({ name: currentTarget.value })}
            error={errorOf('name')}
            maxLength={100}
            inputWrapperOrder={inputFirst}
            required
          />
          <Select
            label="Bot"
            description="Members can only be brought back through the bot they consented to."
            data={bots.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
            value={settings.customBotId}
            onChange={(customBotId) => customBotId && edit({ customBotId })}
            error={errorOf('customBotId')}
            inputWrapperOrder={inputFirst}
            allowDeselect={false}
          />
        </SimpleGrid>
        <RoleAndChannel server={server} form={form} />
      </Stack>
    </Section>
  );
};

const RoleAndChannel = ({ server, form }: IdentityProps) => {
  const { settings, edit, errorOf } = form;
  const isLost = server.health === 'LOST';
  const { data: guild, error } = useQuery({ ...guildQuery(server.id), enabled: !isLost });
  const problem = isLost ? 'The bot is not in the server.' : error && errorMessage(error);
  const missing = problem ? null : undefined;
  const power = powerfulRole(guild?.roles, server.verifiedRoleId);
  const channels = guild?.channels.filter(({ type }) => ['text', 'announcement'].includes(type));
  return (
    <>
      {problem && (
        <Note tone="warning" title="The names of roles and channels cannot be read now">
          <Text size="sm">{problem} Until then you can type their IDs.</Text>
        </Note>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Stack gap="xs" align="stretch" {...anchorProps('role')}>
          <GuildSelect
            label="Role for verified members"
            description="The bot's own role must be above it."
            inputWrapperOrder={inputFirst}
            choices={guild?.roles ?? missing}
            value={settings.verifiedRoleId}
            onChange={(verifiedRoleId) => edit({ verifiedRoleId })}
            error={
              errorOf('verifiedRoleId') ??
              goneFrom(
                guild?.roles,
                settings.verifiedRoleId,
                'role: newcomers verify, but get no role',
              )
            }
          />
          {guild && <MakeRole server={server} settings={settings} edit={edit} />}
          {power && <SavedPower form={form} role={power} />}
        </Stack>
        <Stack gap="xs" align="stretch" {...anchorProps('reports')}>
          <GuildSelect
            label="Log channel"
            description="Each verification is reported there."
            inputWrapperOrder={inputFirst}
            choices={channels ?? missing}
            value={settings.logChannelId}
            onChange={(logChannelId) => edit({ logChannelId })}
            error={
              errorOf('logChannelId') ??
              goneFrom(guild?.channels, settings.logChannelId, 'channel: nobody sees who verified')
            }
          />
          {guild && <MakeChannel server={server} settings={settings} edit={edit} />}
        </Stack>
      </SimpleGrid>
    </>
  );
};

/** A role that became dangerous after it was chosen: nobody gets it until then. */
const SavedPower = ({ form, role }: { form: SettingsForm; role: GuildRole }) => {
  const [isAsking, asking] = useDisclosure(false);
  return (
    <Stack gap="xs" align="start">
      <PowerNote role={role} />
      <Button variant="default" size="xs" onClick={asking.open}>
        Confirm this role
      </Button>
      <ConfirmRole {...{ form, role, changes: {} }} opened={isAsking} onClose={asking.close} />
    </Stack>
  );
};

type MakeProps = Pick<SettingsForm, 'settings' | 'edit'> & { server: Server };

const guildOf = ({ customBotId, platformGuildId }: Server) => ({
  params: { id: customBotId, guildId: platformGuildId },
});

/** What is not chosen can be made by the bot; it is still to be saved. */
const MakeRole = ({ server, settings, edit }: MakeProps) => {
  const make = useAction(() => api.makeVerifiedRole(guildOf(server)), {
    invalidates: [queryKeys.guild(server.id)],
    onSuccess: ({ id }) => edit({ verifiedRoleId: id }),
  });
  if (settings.verifiedRoleId !== null) return null;
  return <MakeButton make={make}>Make a role for verified members</MakeButton>;
};

const MakeChannel = ({ server, settings, edit }: MakeProps) => {
  const make = useAction(() => api.makeLogChannel(guildOf(server)), {
    invalidates: [queryKeys.guild(server.id)],
    onSuccess: ({ id }) => edit({ logChannelId: id }),
  });
  if (settings.logChannelId !== null) return null;
  return <MakeButton make={make}>Make a private channel for reports</MakeButton>;
};

type MakeButtonProps = { make: { mutate: () => void; isPending: boolean }; children: string };

const MakeButton = ({ make, children }: MakeButtonProps) => (
  <Group>
    <Button variant="default" size="xs" onClick={() => make.mutate()} loading={make.isPending}>
      {children}
    </Button>
  </Group>
);

/** Undefined where it is there, or where that is not known. */
const goneFrom = (
  there: { id: string }[] | undefined,
  chosen: string | null,
  what: string,
): string | undefined => {
  if (!there || chosen === null || there.some(({ id }) => id === chosen)) return undefined;
  return `The server no longer has this ${what}. Choose another, or restore a backup that has it.`;
};
