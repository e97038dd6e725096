import { PlatformFailure } from '../../../platform/failures.ts';
import type { CallOptions, Platform } from '../../../platform/port.ts';
import {
  type BotDependencies,
  type BotOwner,
  BotUnusable,
  useBot,
} from '../../bots/use/use-bot.ts';

/** What a server shows of its guild beside the name. */
export type GuildSummary = { iconUrl: string | null; memberCount: number };

const requestTimeoutMs = 2000;

/** Undefined where the bot cannot read it: not in the guild, switched off, or no answer. */
export const readGuildSummary = async (
  dependencies: BotDependencies,
  owner: BotOwner,
  guildId: string,
  options?: CallOptions,
): Promise<GuildSummary | undefined> => {
  try {
    return await useBot(dependencies, owner, async (bot) => {
      const { settings, memberCount } = await bot.guild(guildId, options).read();
      return { iconUrl: iconUrlOf(dependencies.platform, guildId, settings.iconHash), memberCount };
    });
  } catch (error) {
    if (error instanceof PlatformFailure || error instanceof BotUnusable) return undefined;
    throw error;
  }
};

/** For a request that waits: one attempt with a short timeout. */
export const readGuildSummaryOnce = (
  dependencies: BotDependencies,
  owner: BotOwner,
  guildId: string,
): Promise<GuildSummary | undefined> =>
  readGuildSummary(dependencies, owner, guildId, {
    attempts: 1,
    signal: AbortSignal.timeout(requestTimeoutMs),
  });

const iconUrlOf = (platform: Platform, guildId: string, hash: string | null): string | null =>
  hash === null ? null : platform.imageUrl({ kind: 'guildIcon', guildId, hash });
