import type { Channel, Overwrite } from '../../../platform/guild.ts';
import type { BotPermissions } from '../../../platform/permissions.ts';
import { includes, permission, settableBy, without } from '../../../platform/permissions.ts';
import { sortingGroup } from './channel-kinds.ts';
import { allowMember } from './visibility.ts';

type Entered = Pick<Channel, 'kind' | 'overwrites'>;

/** Whether the bot may edit and delete an existing channel. */
export const canManage = (bot: BotPermissions, channel: Entered, guildId: string): boolean =>
  includes(permissionsIn(bot, channel, guildId), permission.manageChannels | entryTo(channel));

/** Whether the bot may also say who may do what in it. */
export const canSetOverwrites = (bot: BotPermissions, channel: Entered, guildId: string): boolean =>
  includes(permissionsIn(bot, channel, guildId), permission.manageRoles | entryTo(channel));

/** Whether it may do so by an edit of the channel. */
export const canEditAccess = (bot: BotPermissions, channel: Entered, guildId: string): boolean =>
  canManage(bot, channel, guildId) && canSetOverwrites(bot, channel, guildId);

/** Who cannot enter a channel can do nothing in it, whatever else they are allowed. */
const entryTo = (channel: Pick<Channel, 'kind'>): bigint =>
  permission.viewChannel | (sortingGroup(channel) === 'voice' ? permission.connect : 0n);

const permissionsIn = (bot: BotPermissions, { overwrites }: Entered, guildId: string): bigint => {
  if (bot.isAdministrator) return bot.permissions;
  const isEveryone = ({ id, kind }: Overwrite) => kind === 'role' && id === guildId;
  const isRole = (one: Overwrite) => one.kind === 'role' && !isEveryone(one) && bot.holds(one.id);
  const isSelf = ({ id, kind }: Overwrite) => kind === 'member' && id === bot.userId;
  // The platform's order: first that of @everyone, then those of all roles together, then its own.
  return [isEveryone, isRole, isSelf].reduce((granted, belongs) => {
    const some = overwrites.filter(belongs);
    const deny = some.reduce((all, one) => all | BigInt(one.deny), 0n);
    const allow = some.reduce((all, one) => all | BigInt(one.allow), 0n);
    return without(granted, deny) | allow;
  }, bot.permissions);
};

/** A closed channel would be closed to the bot as well, which must open it again. */
export const letBotIn = (bot: BotPermissions, overwrites: Overwrite[]): Overwrite[] => {
  if (bot.isAdministrator) return overwrites;
  const needed = permission.viewChannel | permission.manageChannels | permission.connect;
  return allowMember(overwrites, bot.userId, needed & bot.permissions);
};

/** Whether the bot gets into any channel of this kind, also one that is closed to all others. */
export const canBeLetInto = (bot: BotPermissions, channel: Pick<Channel, 'kind'>): boolean =>
  includes(bot.permissions, entryTo(channel));

type AboutOverwrites = {
  nowOf(overwrite: Overwrite): Overwrite | undefined;
  /** Whether it is about the bot alone. */
  isOfBot(overwrite: Overwrite): boolean;
};

/**
 * A bot sets only permissions that it has itself, and only an administrator says who manages
 * permissions; what stays as it is now needs no permission. What the bot cannot deny would be left
 * allowed: so the role or member concerned does not see the channel at all, unless that is the bot.
 */
export const settableOverwrites = (
  bot: BotPermissions,
  overwrites: Overwrite[],
  { nowOf, isOfBot }: AboutOverwrites,
): { overwrites: Overwrite[]; refused: bigint } => {
  if (bot.isAdministrator) return { overwrites, refused: 0n };
  const settable = settableBy(bot);
  let refused = 0n;
  const set = overwrites.map((overwrite) => {
    const now = nowOf(overwrite);
    const allow = settableBits(overwrite.allow, now?.allow, settable);
    const deny = settableBits(overwrite.deny, now?.deny, settable);
    refused |= allow.refused | allow.stuck | deny.refused | deny.stuck;
    const isLeftOpen = deny.refused !== 0n && !isOfBot(overwrite);
    const leftOpen = isLeftOpen ? permission.viewChannel : 0n;
    return {
      ...overwrite,
      allow: without(allow.bits, leftOpen).toString(),
      deny: (deny.bits | leftOpen).toString(),
    };
  });
  return { overwrites: set, refused };
};

/** Bits that cannot be set stay as they are: `refused` should be set, `stuck` should not. */
const settableBits = (wanted: string, now: string | undefined, settable: bigint) => {
  const fixed = without(BigInt(now ?? 0), settable);
  return {
    bits: (BigInt(wanted) & settable) | fixed,
    refused: without(BigInt(wanted), settable | fixed),
    stuck: without(fixed, BigInt(wanted)),
  };
};
