import type { BotGuilds } from '@holdfast/contract';
import type { Picture } from '../../../http/pages/placeholders.ts';
import { type BotDependencies, type BotOwner, useBot } from '../../bots/use/use-bot.ts';
import { iconUrlOf } from '../guild/guild-summary.ts';
import { messageOf } from '../guild/guild-view.ts';
import { byAge } from '../guild/new-guilds.ts';
import { findServersOfGuilds } from '../queries.ts';

/** A request waits for the answer. */
const timeoutMs = 3000;
/** A person chooses one of them by its name. */
const mostShown = 200;

/** The guilds that a bot is in, each with the server that the account has for it. */
export const listOwnGuilds = async (
  dependencies: BotDependencies & { picture: Picture },
  owner: BotOwner,
): Promise<BotGuilds> => {
  const { db, platform, picture } = dependencies;
  const options = { attempts: 1, signal: AbortSignal.timeout(timeoutMs) };
  try {
    const own = await useBot(dependencies, owner, (bot) => bot.readGuilds(options));
    const serverOf = await findServersOfGuilds(db, owner.accountId);
    const guilds = own.sort(byAge).map(({ id, name, iconHash, memberCount }) => ({
      ...{ platformId: id, name, memberCount, serverId: serverOf.get(id) ?? null },
      icon: picture('server', iconUrlOf(platform, id, iconHash)),
    }));
    const isFree = ({ serverId }: { serverId: string | null }) => serverId === null;
    const sorted = [...guilds.filter(isFree), ...guilds.filter((guild) => !isFree(guild))];
    return { guilds: sorted.slice(0, mostShown), failure: null };
  } catch (error) {
    return { guilds: [], failure: messageOf(error) };
  }
};
