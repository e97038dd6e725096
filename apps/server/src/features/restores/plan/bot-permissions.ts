import type { Channel, Overwrite } from '../../../platform/guild.ts';
import type { BotPermissions } from '../../../platform/permissions.ts';
import { includes, permission, without } from '../../../platform/permissions.ts';
import { allowMember } from './visibility.ts';

/** Whether the bot may edit and delete an existing channel. */
export const canManage = (bot: BotPermissions, channel: Channel, guildId: string): boolean =>
  includes(
    permissionsIn(bot, channel, guildId),
    permission.viewChannel | permission.manageChannels,
  );

const permissionsIn = (bot: BotPermissions, { overwrites }: Channel, guildId: string): bigint => {
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

/**
 * A bot sets only permissions that it has itself, and only an administrator says who manages
 * permissions. What the bot cannot deny would be left allowed: so the role or member concerned does
 * not see the channel at all.
 */
export const settableOverwrites = (
  bot: BotPermissions,
  overwrites: Overwrite[],
): { overwrites: Overwrite[]; refused: bigint } => {
  if (bot.isAdministrator) return { overwrites, refused: 0n };
  const settable = without(bot.permissions, permission.manageRoles);
  let refused = 0n;
  const set = overwrites.map((overwrite) => {
    const allow = BigInt(overwrite.allow);
    const deny = BigInt(overwrite.deny);
    const leftOpen = without(deny, settable) === 0n ? 0n : permission.viewChannel;
    refused |= without(allow | deny, settable);
    return {
      ...overwrite,
      allow: without(allow & settable, leftOpen).toString(),
      deny: ((deny & settable) | leftOpen).toString(),
    };
  });
  return { overwrites: set, refused };
};
