import type { NewGuilds } from '@holdfast/contract';
import type { OwnGuild } from '../../../platform/port.ts';
import { findBotToUse } from '../../bots/queries.ts';
import { fullPermissions } from '../../bots/setup/needed-permissions.ts';
import { type BotDependencies, useBot } from '../../bots/use/use-bot.ts';
import { findGuildOfServer, listGuildIds } from '../queries.ts';
import { messageOf } from './guild-view.ts';

type Owned = { accountId: string; serverId: string };

/** Undefined where the server is deleted. */
export type FindNewGuilds = (server: Owned) => Promise<NewGuilds | undefined>;

const timeoutMs = 3000;
const mostShown = 25;

/** The guilds that a server can move to, and the link that adds its bot to one. */
export const createNewGuildFinder =
  (dependencies: BotDependencies): FindNewGuilds =>
  async (server) => {
    const { db, platform } = dependencies;
    const { accountId } = server;
    const guild = await findGuildOfServer(db, server);
    const bot = guild && (await findBotToUse(db, guild.botId, accountId));
    if (!bot) return undefined;
    const inviteUrl = platform.botInviteUrl(bot.clientId, fullPermissions);
    const options = { attempts: 1, signal: AbortSignal.timeout(timeoutMs) };
    try {
      const owner = { accountId, botId: bot.id };
      const own = await useBot(dependencies, owner, (client) => client.readGuilds(options));
      const taken = new Set(await listGuildIds(db, accountId));
      const guilds = own.filter(({ id }) => !taken.has(id)).sort(byAge);
      return { inviteUrl, guilds: guilds.slice(0, mostShown).map(guildOf), failure: null };
    } catch (error) {
      return { inviteUrl, guilds: [], failure: messageOf(error) };
    }
  };

/** Ids tell when a guild was made. */
export const byAge = (one: OwnGuild, other: OwnGuild): number =>
  BigInt(one.id) < BigInt(other.id) ? 1 : -1;

const guildOf = ({ id, name, memberCount }: OwnGuild) => ({ platformId: id, name, memberCount });
