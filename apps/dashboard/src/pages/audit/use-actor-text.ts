import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import type { AuditRecord } from './audit-entry.tsx';
import { actorNames } from './use-audit-filter.ts';

/** The names of keys by their ids, as far as they are among the newest. */
export const useKeyName = () => {
  const { data } = useQuery({
    queryKey: ['keys', 'names'],
    queryFn: () => api.listKeys({ query: { limit: 100 } }),
    staleTime: 60_000,
  });
  return (id: string | null): string | undefined => data?.data.find((key) => key.id === id)?.name;
};

/** Who did something. */
export const useActorText = () => {
  const keyName = useKeyName();
  return ({ type, id }: AuditRecord['actor']): string => {
    if (type === 'USER') return 'You';
    if (type !== 'KEY') return actorNames[type];
    const name = keyName(id);
    return name === undefined ? 'An API key' : `The key “${name}”`;
  };
};
