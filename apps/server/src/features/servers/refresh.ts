import { z } from 'zod';
import type { Job } from '../../queue/job.ts';
import type { BotTools } from '../bots/use-bot.ts';
import { lookAtGuild } from './guild-look.ts';
import { findGuildOfServer, listServersToRefresh, storeGuildLook } from './queries.ts';

const refreshEveryMs = 60 * 60 * 1000;
const serversAtATime = 1000;
const atOnce = 8;

type Owned = { accountId: string; serverId: string };

/** Reads one server's icon and member count, after it was made or moved to another guild. */
export const refreshServer = {
  name: 'servers.refresh',
  payload: z.object({ serverId: z.guid(), accountId: z.guid() }),
};

/** And everybody's from time to time, those not looked at for longest first. */
export const refreshServers = { name: 'servers.refresh-all', payload: z.object({}) };

export const refreshServerJob = (tools: BotTools): Job<Owned> => ({
  ...refreshServer,
  concurrency: 4,
  run: (owner, signal) => refresh(tools, owner, signal),
});

export const refreshServersJob = (tools: BotTools): Job => ({
  ...refreshServers,
  cron: '*/10 * * * *',
  runsAtStart: true,
  async run(_, signal) {
    const before = new Date(Date.now() - refreshEveryMs);
    const due = await listServersToRefresh(tools.db, before, serversAtATime);
    const worker = async () => {
      for (let owner = due.pop(); owner && !signal.aborted; owner = due.pop()) {
        await refresh(tools, owner, signal);
      }
    };
    due.reverse();
    await Promise.all(Array.from({ length: atOnce }, worker));
  },
});

const refresh = async (tools: BotTools, owner: Owned, signal: AbortSignal): Promise<void> => {
  const guild = await findGuildOfServer(tools.db, owner);
  if (!guild) return;
  const { guildId, botId } = guild;
  const look = await lookAtGuild(tools, { botId, accountId: owner.accountId }, guildId, { signal });
  await storeGuildLook(tools.db, { ...owner, guildId }, look);
};
