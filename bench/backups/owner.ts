import { createBot, createServer } from '../lib/contents.ts';
import type { Bench } from '../lib/environment.ts';
import { type MadeGuild, makeGuild, newSnowflake, type Sizes } from '../lib/guilds.ts';
import { type BackupsApi, backupsApi } from './api.ts';

type AddedGuild = { serverId: string; guildId: string; guild: MadeGuild };

/** An account with bots, and servers of any size. */
export type BackupOwner = {
  api: BackupsApi;
  /** The server of a new guild; the account's bots serve them by turns. */
  addGuild(sizes: Sizes): Promise<AddedGuild>;
};

let lastClientId = 100;

export const createBackupOwner = async (bench: Bench, bots: number): Promise<BackupOwner> => {
  const tenant = await bench.newTenant();
  const botIds: string[] = [];
  while (botIds.length < bots) {
    lastClientId += 1;
    botIds.push(await createBot(bench, tenant, lastClientId));
  }
  let added = 0;
  return {
    api: backupsApi(bench, tenant),
    async addGuild(sizes) {
      const guildId = newSnowflake();
      const guild = makeGuild(guildId, sizes);
      await bench.simulator.setGuild(guildId, guild);
      const botId = botIds[added % botIds.length] ?? '';
      added += 1;
      const serverId = await createServer(bench, tenant, botId, guildId);
      return { serverId, guildId, guild };
    },
  };
};
