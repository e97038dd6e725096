import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { errorWords } from '../../parts/error-words.ts';
import { Name, plainName } from '../../parts/name.tsx';

type RoleSelectProps = {
  serverId: string;
  value: string | null;
  onChange: (roleId: string | null) => void;
  error?: string;
};

/** A role of the server that they come to; it is the platform that knows them. */
export const RoleSelect = ({ serverId, value, onChange, error }: RoleSelectProps) => {
  const guild = useQuery({
    queryKey: ['guild', serverId],
    queryFn: () => api.getGuild({ params: { id: serverId } }),
    staleTime: 60_000,
  });
  return (
    <Select
      label="Role to give them"
      description={
        guild.error
          ? `The roles cannot be read now: ${errorWords(guild.error)}`
          : 'Optional. Everybody who comes gets it.'
      }
      placeholder="None"
      data={guild.data?.roles.map(({ id, name }) => ({ value: id, label: plainName(name) })) ?? []}
      renderOption={({ option }) => <Name>{option.label}</Name>}
      value={value}
      onChange={onChange}
      error={error}
      disabled={!guild.data}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Give no role' }}
    />
  );
};
