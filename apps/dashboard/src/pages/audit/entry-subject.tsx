import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../../api.ts';
import { Name } from '../../parts/name.tsx';
import { subjectText } from './action-words.ts';
import type { AuditRecord } from './audit-entry.tsx';
import { useKeyName } from './use-actor-text.ts';

/** What it was done to: by its name where that is known, and on which server. */
export const EntrySubject = ({ entry: { subject, changes } }: { entry: AuditRecord }) => {
  const { data: servers } = useQuery({
    queryKey: ['servers', 'choice'],
    queryFn: () => api.listServers({ query: { limit: 100 } }),
  });
  const serverId = subject.type === 'server' ? subject.id : changes.serverId;
  const server = servers?.data.find(({ id }) => id === serverId);
  const keyName = useKeyName();
  const name = nameIn(changes) ?? keyName(subject.id);
  return (
    <>
      {subjectText(subject.type)}
      {name !== undefined && subject.type !== 'server' && (
        <>
          {' '}
          <Name>{name}</Name>
        </>
      )}
      {server && (
        <>
          {subject.type === 'server' ? ' ' : ' on '}
          <Anchor component={Link} to={`/servers/${server.id}`} inherit underline="always">
            <Name>{server.name}</Name>
          </Anchor>
        </>
      )}
    </>
  );
};

const nameIn = ({ name, title, value, platformId }: Record<string, unknown>): string | undefined =>
  [name, title, value, platformId].find((text) => typeof text === 'string');
