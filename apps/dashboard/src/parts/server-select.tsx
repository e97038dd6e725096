import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api.ts';
import { Name, plainName } from './name.tsx';

/** More servers than fit into one answer are in no plan. */
const mostServers = 100;

/** All servers of the account, to choose from or to name one by its id. */
export const useServers = () =>
  useQuery({
    queryKey: ['servers', 'all'],
    queryFn: () => api.listServers({ query: { limit: mostServers } }),
    staleTime: 15_000,
  });

type ServerSelectProps = {
  label: string;
  description?: string;
  value: string;
  onChange: (serverId: string) => void;
  error?: string;
};

/** One of the account's own servers. */
export const ServerSelect = ({ onChange, ...field }: ServerSelectProps) => {
  const { data } = useServers();
  return (
    <Select
      {...field}
      data={data?.data.map(({ id, name }) => ({ value: id, label: plainName(name) })) ?? []}
      renderOption={({ option }) => <Name>{option.label}</Name>}
      onChange={(serverId) => serverId && onChange(serverId)}
      allowDeselect={false}
      searchable
    />
  );
};
