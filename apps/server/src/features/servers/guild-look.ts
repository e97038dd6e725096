import { PlatformFailure } from '../../platform/failures.ts';
import type { CallOptions, Platform } from '../../platform/port.ts';
import { type BotOwner, type BotTools, BotUnusable, useBot } from '../bots/use-bot.ts';

/** What the platform shows of a guild beside its name. */
export type GuildLook = { iconUrl: string | null; memberCount: number };

const askingMs = 2000;

/** Undefined where the bot cannot say: not in the guild, switched off, or no answer. */
export const lookAtGuild = async (
  tools: BotTools,
  owner: BotOwner,
  guildId: string,
  options?: CallOptions,
): Promise<GuildLook | undefined> => {
  try {
    return await useBot(tools, owner, async (bot) => {
      const { settings, memberCount } = await bot.guild(guildId, options).read();
      return { iconUrl: iconUrlOf(tools.platform, guildId, settings.iconHash), memberCount };
    });
  } catch (error) {
    if (error instanceof PlatformFailure || error instanceof BotUnusable) return undefined;
    throw error;
  }
};

/** For somebody who waits for an answer: one attempt, and not for long. */
export const glanceAtGuild = (
  tools: BotTools,
  owner: BotOwner,
  guildId: string,
): Promise<GuildLook | undefined> =>
  lookAtGuild(tools, owner, guildId, { attempts: 1, signal: AbortSignal.timeout(askingMs) });

const iconUrlOf = (platform: Platform, guildId: string, hash: string | null): string | null =>
  hash === null ? null : platform.imageUrl({ kind: 'guildIcon', guildId, hash });
