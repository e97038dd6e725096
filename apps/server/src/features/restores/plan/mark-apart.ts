import type { Overwrite } from '../../../platform/guild.ts';
import {
  type BotPermissions,
  includes,
  permission,
  settableBy,
} from '../../../platform/permissions.ts';
import type { PlanContext } from './plan-context.ts';
import { allowMember, denyRole } from './visibility.ts';

/** None of them gives anybody power, and a bot can set those that it has. */
const bits = [
  permission.viewChannel,
  permission.sendMessages,
  permission.readMessageHistory,
  permission.connect,
  permission.embedLinks,
  permission.createInstantInvite,
  permission.createPublicThreads,
  permission.sendMessagesInThreads,
];

/**
 * The same overwrites, with something that nobody else has: permissions for the bot itself; where it has them
 * all, something less for @everyone. Nobody is in a category, so this harms nobody.
 */
export const markApart = (
  { bot, snapshot }: PlanContext,
  overwrites: Overwrite[],
  isTaken: (marked: Overwrite[]) => boolean,
): Overwrite[] => {
  const settable = bitsOf(bot);
  const marks = [
    ...settable.map((bit) => (all: Overwrite[]) => allowMember(all, bot.userId, bit)),
    ...settable.map((bit) => (all: Overwrite[]) => denyRole(all, snapshot.guildId, bit)),
  ];
  for (let nth = 1; nth < 2 ** marks.length; nth++) {
    const chosen = marks.filter((_, index) => nth & (1 << index));
    const marked = chosen.reduce((all, mark) => mark(all), overwrites);
    if (!isTaken(marked)) return marked;
  }
  return overwrites;
};

/**
 * Something that the bot alone has, for a channel where people are; undefined where all of that is decided
 * for it already.
 */
export const markForBot = (bot: BotPermissions, overwrites: Overwrite[]): Overwrite | undefined => {
  const isOwn = ({ id, kind }: Overwrite) => id === bot.userId && kind === 'member';
  const own = overwrites.find(isOwn);
  const decided = BigInt(own?.allow ?? 0) | BigInt(own?.deny ?? 0);
  const bit = bitsOf(bot).findLast((one) => !includes(decided, one));
  return bit === undefined ? undefined : allowMember(overwrites, bot.userId, bit).find(isOwn);
};

const bitsOf = (bot: BotPermissions): bigint[] =>
  bits.filter((bit) => includes(settableBy(bot), bit));
