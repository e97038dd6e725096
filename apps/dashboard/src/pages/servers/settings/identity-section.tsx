import { Alert, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api.ts';
import { errorWords } from '../../../parts/error-words.ts';
import type { Server } from '../../../parts/use-server.ts';
import { Card } from '../card.tsx';
import { NamedChoice } from './named-choice.tsx';
import { useGuild } from './use-guild.ts';
import type { SettingsForm } from './use-settings.ts';

type SectionProps = { server: Server; form: SettingsForm };

export const IdentitySection = ({ server, form }: SectionProps) => {
  const { settings, edit, errorOf } = form;
  const bots = useQuery({ queryKey: ['bots'], queryFn: () => api.listBots() });
  return (
    <Card title="Server and bot">
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="Name"
            description="As newcomers see it on the verify page."
            value={settings.name}
            onChange={({ currentTarget }) => edit({ name: currentTarget.value })}
            error={errorOf('name')}
            maxLength={100}
            required
          />
          <Select
            label="Bot"
            description="Members come back through the bot they consented to."
            data={bots.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
            value={settings.customBotId}
            onChange={(customBotId) => customBotId && edit({ customBotId })}
            error={errorOf('customBotId')}
            allowDeselect={false}
          />
        </SimpleGrid>
        <RoleAndChannel server={server} form={form} />
      </Stack>
    </Card>
  );
};

const RoleAndChannel = ({ server, form: { settings, edit, errorOf } }: SectionProps) => {
  const { data: guild, error } = useGuild(server);
  const unless = error ? null : undefined;
  const channels = guild?.channels.filter(({ type }) => ['text', 'announcement'].includes(type));
  return (
    <>
      {error && (
        <Alert color="yellow" variant="light" title="Roles and channels cannot be named just now">
          <Text size="sm">{errorWords(error)} Until then their IDs can be typed.</Text>
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NamedChoice
          label="Role for verified members"
          description="The bot's own role must stand above it."
          choices={guild?.roles ?? unless}
          value={settings.verifiedRoleId}
          onChange={(verifiedRoleId) => edit({ verifiedRoleId })}
          error={errorOf('verifiedRoleId')}
        />
        <NamedChoice
          label="Channel for reports"
          description="Each verification is reported there."
          choices={channels ?? unless}
          value={settings.logChannelId}
          onChange={(logChannelId) => edit({ logChannelId })}
          error={errorOf('logChannelId')}
        />
      </SimpleGrid>
    </>
  );
};
