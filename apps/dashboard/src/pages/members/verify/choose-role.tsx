import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api.ts';
import { Section } from '../../../components/page.tsx';
import { GuildSelect } from '../../../components/select.tsx';
import { useAction } from '../../../components/use-action.ts';
import { errorMessage } from '../../../labels/errors.ts';
import { queryKeys } from '../../../queries/query-keys.ts';
import { guildQuery, isHarmless, useServer } from '../../../queries/servers.ts';

/** The role that verified members get, before there is one: chosen among those there are, or made. */
export const ChooseRole = () => {
  const { id, customBotId, platformGuildId } = useServer();
  const guild = useQuery(guildQuery(id));
  const [chosen, setChosen] = useState<string | null>(null);
  const invalidates = [queryKeys.server(id), queryKeys.guild(id), queryKeys.overview];
  const use = useAction(
    (verifiedRoleId: string) => api.updateServer({ params: { id }, body: { verifiedRoleId } }),
    { message: 'This is the role of verified members now.', invalidates },
  );
  const make = useAction(
    () => api.makeVerifiedRole({ params: { id: customBotId, guildId: platformGuildId } }),
    { onSuccess: (role) => use.mutate(role.id) },
  );
  return (
    <Section
      title="There is no verified role yet"
      note="Choose the role that verified members get. Then you can give it to those who are there already."
      padding="md"
    >
      <Stack gap="md" maw={560}>
        <GuildSelect
          label="Role for verified members"
          description={
            guild.error
              ? `The roles cannot be read now: ${errorMessage(guild.error)}`
              : "The bot's own role must be above it."
          }
          placeholder="Choose a role"
          choices={guild.data?.roles.filter(isHarmless) ?? (guild.error ? null : undefined)}
          value={chosen}
          onChange={setChosen}
        />
        <Group gap="sm">
          <Button
            variant={chosen === null ? 'default' : 'filled'}
            disabled={chosen === null}
            loading={use.isPending}
            onClick={() => chosen !== null && use.mutate(chosen)}
          >
            Use this role
          </Button>
          <Button
            variant={chosen === null ? 'filled' : 'default'}
            loading={make.isPending}
            onClick={() => make.mutate()}
          >
            Make a role
          </Button>
        </Group>
      </Stack>
    </Section>
  );
};
