import { useQuery } from '@tanstack/react-query';
import { useMatch } from 'react-router';
import { allServersQuery } from '../queries/servers.ts';
import {
  accountGroups,
  type DestinationGroup,
  serverDestinations,
  serverGroups,
} from './destinations.ts';

type Destinations = {
  /** The server whose pages are open. */
  serverId: string | undefined;
  server: DestinationGroup[];
  account: DestinationGroup[];
  servers: DestinationGroup;
};

/** Where one can go from here: what the navigation shows and the palette finds. */
export const useDestinations = (): Destinations => {
  const id = useMatch('/servers/:id/*')?.params.id;
  const serverId = id === 'new' ? undefined : id;
  const { data } = useQuery(allServersQuery);
  const servers = data?.data ?? [];
  const name = servers.find((one) => one.id === serverId)?.name ?? 'This server';
  return {
    serverId,
    server: serverId === undefined ? [] : serverGroups(serverId, name),
    account: accountGroups,
    servers: serverDestinations(servers.filter((one) => one.id !== serverId)),
  };
};
