import { type BackupsApi, backupsApi } from './backups-api.ts';
import { type MadeGuild, makeGuild, newSnowflake, type Sizes } from './backups-guilds.ts';
import { createBot, createServer } from './contents.ts';
import type { World } from './world.ts';

export type AddedGuild = { serverId: string; guildId: string; guild: MadeGuild };

/** An account with bots, and servers of any size. */
export type BackupOwner = {
  api: BackupsApi;
  /** The server of a new guild; the account's bots serve them by turns. */
  addGuild(sizes: Sizes): Promise<AddedGuild>;
};

let lastClientId = 100;

export const createBackupOwner = async (world: World, bots: number): Promise<BackupOwner> => {
  const tenant = await world.newTenant();
  const botIds: string[] = [];
  while (botIds.length < bots) {
    lastClientId += 1;
    botIds.push(await createBot(world, tenant, lastClientId));
  }
  let added = 0;
  return {
    api: backupsApi(world, tenant),
    async addGuild(sizes) {
      const guildId = newSnowflake();
      const guild = makeGuild(guildId, sizes);
      await world.simulator.setGuild(guildId, guild);
      const botId = botIds[added % botIds.length] ?? '';
      added += 1;
      const serverId = await createServer(world, tenant, botId, guildId);
      return { serverId, guildId, guild };
    },
  };
};
