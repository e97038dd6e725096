import type { Clock } from '../../../kernel/clock.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import { readBotMember } from '../../../platform/permissions.ts';
import { type BotDependencies, type BotOwner, useBot } from '../../bots/use/use-bot.ts';
import { messageOf } from '../../servers/guild/guild-view.ts';
import { type KnownServer, type Limit, limitsInGuild, limitsOfServer } from './cannot-stop.ts';

type Dependencies = BotDependencies & { clock: Clock };
type Guild = BotOwner & { guildId: string };

/** A request waits for the answers. */
const timeoutMs = 2000;
/** A page that is open asks again and again. */
const freshMs = 15_000;
const mostKept = 1000;

/** What cannot be stopped on a server at present, also where the platform cannot be asked. */
export type ReadLimits = (server: KnownServer & Guild) => Promise<Limit[]>;

export const createLimitReader = (dependencies: Dependencies): ReadLimits => {
  const kept = new Map<string, { limits: Limit[]; readAt: number }>();
  return async ({ botId, accountId, guildId, ...known }) => {
    const key = `${botId} ${guildId}`;
    const earlier = kept.get(key);
    const isFresh = earlier !== undefined && performance.now() - earlier.readAt < freshMs;
    const limits = isFresh
      ? earlier.limits
      : await readFromPlatform(dependencies, { botId, accountId, guildId });
    if (!isFresh) {
      kept.delete(key);
      kept.set(key, { limits, readAt: performance.now() });
      const [oldest] = kept.keys();
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    }
    return [...limitsOfServer(known), ...limits];
  };
};

const readFromPlatform = async (
  { clock, ...dependencies }: Dependencies,
  { guildId, ...owner }: Guild,
): Promise<Limit[]> => {
  const options = { attempts: 1, signal: AbortSignal.timeout(timeoutMs) };
  try {
    return await useBot(dependencies, owner, async (bot) => {
      const [{ ownerId, roles }, member] = await Promise.all([
        bot.guild(guildId, options).read(),
        readBotMember(bot, guildId, options),
      ]);
      const guild = { guildId, ownerId, roles };
      return limitsInGuild(guild, member, clock.now());
    });
  } catch (error) {
    const detail = `${messageOf(error)}.`;
    const isElsewhere =
      error instanceof PlatformFailure &&
      ['noAccess', 'unknownGuild', 'unknownMember'].includes(error.kind);
    return [{ code: isElsewhere ? 'NOT_IN_GUILD' : 'NOT_ASKED', detail }];
  }
};
