import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { queryKeys } from './query-keys.ts';
import { refetchMs, staleMs } from './refetch.ts';

/** Where a bot is made. */
export const setupQuery = queryOptions({
  queryKey: queryKeys.setup,
  queryFn: () => api.getSetup(),
  staleTime: staleMs.rarelyChanged,
});

/** What the owner changes in the developer portal is not told: the platform is asked again on return. */
export const botSetupQuery = (botId: string) =>
  queryOptions({
    queryKey: queryKeys.botSetup(botId),
    queryFn: () => api.getBotSetup({ params: { id: botId } }),
    refetchOnWindowFocus: true,
  });

/** Nobody tells of guilds that have no server yet, so the platform is asked again and again. */
export const botGuildsQuery = (botId: string) =>
  queryOptions({
    queryKey: queryKeys.botGuilds(botId),
    queryFn: () => api.listBotGuilds({ params: { id: botId } }),
    refetchInterval: refetchMs.live,
    refetchOnWindowFocus: true,
  });

/** Roles and channels of a guild that need not have a server yet. */
export const botGuildQuery = (botId: string, guildId: string) =>
  queryOptions({
    queryKey: [...queryKeys.botGuild(botId), guildId],
    queryFn: () => api.getBotGuild({ params: { id: botId, guildId } }),
    staleTime: staleMs.guild,
  });
