import type { Output } from '@holdfast/sdk';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api.ts';
import type { Server } from '../../../parts/use-server.ts';

export type Guild = Output<'getGuild'>;

/** Roles and channels by name, asked of the platform through the server's bot. */
export const useGuild = ({ id, customBotId, platformGuildId }: Server) =>
  useQuery({
    queryKey: ['guild', id, customBotId, platformGuildId],
    queryFn: () => api.getGuild({ params: { id } }),
    staleTime: 30_000,
  });
