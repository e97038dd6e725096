import { askedWaitMs } from '../../../kernel/patience.ts';
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

/** The ids of what a guild has; a section that was not read is absent. */
export type SeenIds = {
  roles?: ReadonlySet<string>;
  /** Those among them that integrations have made. */
  managedRoles?: ReadonlySet<string>;
  channels?: ReadonlySet<string>;
};

type SeenGuild = {
  summary: GuildSummary;
  /** Channels only where they were asked for and could be read. */
  seen: SeenIds & { roles: ReadonlySet<string> };
};

type Reading = CallOptions & { readsChannels: boolean; isTriedAgain: boolean };

const requestTimeoutMs = 2000;

/**
 * `gone` where the bot is not in the guild; undefined where that is not known. One that is tried again throws
 * where it is only too early.
 */
export const readSeenGuild = (
  dependencies: BotDependencies,
  owner: BotOwner,
  guildId: string,
  { readsChannels, isTriedAgain, ...options }: Reading,
): Promise<SeenGuild | 'gone' | undefined> => {
  const ignoreTrouble = isTriedAgain ? ignoreUnlessEarly : ignoreAnyTrouble;
  return useBot(dependencies, owner, async (bot) => {
    const platform = bot.guild(guildId, options);
    const { settings, memberCount, roles } = await platform.read();
    const channels = readsChannels ? await platform.readChannels().catch(ignoreTrouble) : undefined;
    return {
      summary: {
        iconUrl: iconUrlOf(dependencies.platform, guildId, settings.iconHash),
        memberCount,
      },
      seen: {
        roles: idsOf(roles),
        managedRoles: idsOf(roles.filter(({ isManaged }) => isManaged)),
        ...(channels && { channels: idsOf(channels) }),
      },
    };
  }).catch((error) => (isNotInGuild(error) ? 'gone' : ignoreTrouble(error)));
};

const idsOf = (things: { id: string }[]): ReadonlySet<string> =>
  new Set(things.map(({ id }) => id));

const isNotInGuild = (error: unknown): boolean =>
  error instanceof PlatformFailure && (error.kind === 'noAccess' || error.kind === 'unknownGuild');

const ignoreAnyTrouble = (error: unknown): undefined => {
  if (error instanceof PlatformFailure || error instanceof BotUnusable) return undefined;
  throw error;
};

const ignoreUnlessEarly = (error: unknown): undefined => {
  if (askedWaitMs(error) !== undefined) throw error;
  return ignoreAnyTrouble(error);
};

/** For a request that waits: one attempt with a short timeout. */
export const readGuildSummaryOnce = async (
  dependencies: BotDependencies,
  owner: BotOwner,
  guildId: string,
): Promise<GuildSummary | undefined> => {
  const guild = await readSeenGuild(dependencies, owner, guildId, {
    ...{ attempts: 1, signal: AbortSignal.timeout(requestTimeoutMs) },
    ...{ readsChannels: false, isTriedAgain: false },
  });
  return guild === 'gone' ? undefined : guild?.summary;
};

export const iconUrlOf = (
  platform: Pick<Platform, 'imageUrl'>,
  guildId: string,
  hash: string | null,
): string | null =>
  hash === null ? null : platform.imageUrl({ kind: 'guildIcon', guildId, hash });
