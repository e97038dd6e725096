import type { Database } from '../../../db/connect.ts';
import { isPassing, PlatformFailure } from '../../../platform/failures.ts';
import type { Channel, Overwrite } from '../../../platform/guild.ts';
import { type BotPermissions, sameOverwrites } from '../../../platform/permissions.ts';
import type { GuildPlatform } from '../../../platform/port.ts';
import type { Lease } from '../../../queue/lease/lease.ts';
import { markForBot } from '../../restores/plan/mark-apart.ts';

import type { OfIncident } from '../queries/of-incident.ts';
import { beginStep, endStep } from '../queries/steps.ts';

type OverwritesOf = (channel: Channel) => Overwrite[];

/**
 * The platform makes every change of a category's overwrites to all its channels that have the same, too.
 * These are the channels that have the same either before what is to be done or after it: they would
 * follow from now on, or get what is meant for the category.
 */
export const listTurning = (
  channels: readonly Channel[],
  { before, after }: { before: OverwritesOf; after: OverwritesOf },
): Channel[] => {
  const byId = new Map(channels.map((one) => [one.id, one]));
  return channels.filter((channel) => {
    const category = byId.get(channel.parentId ?? '');
    const isAlike = (of: OverwritesOf) => category && sameOverwrites(of(channel), of(category));
    return isAlike(before) !== isAlike(after);
  });
};

export type InJournal = {
  db: Database;
  lease: Lease;
  owner: OfIncident;
  guild: GuildPlatform;
  bot: BotPermissions;
};

/**
 * Gives a channel something that its category does not have, for good: a permission for the bot itself.
 * False where that is not possible.
 */
export const setApart = async (
  { db, lease, owner, guild, bot }: InJournal,
  { id: channelId, overwrites }: Channel,
): Promise<boolean> => {
  const mark = markForBot(bot, overwrites);
  if (!mark) return false;
  const step = { kind: 'SET_APART', executorId: bot.userId, detail: { channelId } } as const;
  const seq = await lease.transaction(db, (tx) => beginStep(tx, owner, step));
  const isSet = await setOverwrite(guild, channelId, mark);
  const status = isSet ? 'done' : 'failed';
  await lease.transaction(db, (tx) => endStep(tx, owner, { seq, status }));
  return isSet;
};

/** False where the platform does not let the bot. */
export const setOverwrite = (
  guild: GuildPlatform,
  channelId: string,
  overwrite: Overwrite,
): Promise<boolean> =>
  guild.setOverwrite(channelId, overwrite).then(
    () => true,
    (error: unknown) => {
      if (error instanceof PlatformFailure && !isPassing(error)) return false;
      throw error;
    },
  );

/** The same overwrites, with permissions for one member; what they are denied stays denied. */
export const withAllowed = (
  overwrites: Overwrite[],
  platformId: string,
  bits: bigint,
): Overwrite[] => {
  const own = ownIn(overwrites, platformId);
  const allow = BigInt(own.allow) | (bits & ~BigInt(own.deny));
  const others = overwrites.filter((one) => one.kind !== 'member' || one.id !== platformId);
  return [...others, { ...own, allow: allow.toString() }];
};

/** What is said of one member; nothing, where nothing is. */
export const ownIn = (overwrites: readonly Overwrite[], platformId: string): Overwrite =>
  overwrites.find(({ kind, id }) => kind === 'member' && id === platformId) ?? {
    ...{ kind: 'member', id: platformId, allow: '0', deny: '0' },
  };
