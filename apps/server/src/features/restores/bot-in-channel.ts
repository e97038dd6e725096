import type { Channel, Overwrite } from '../../platform/guild.ts';
import { includes, permission, without } from '../../platform/permissions.ts';
import type { BotPowers } from '../../platform/powers.ts';
import { letMember } from './visibility.ts';

/** Whether the bot may edit and delete a channel that is there. */
export const canManage = (powers: BotPowers, channel: Channel, guildId: string): boolean =>
  includes(
    permissionsIn(powers, channel, guildId),
    permission.viewChannel | permission.manageChannels,
  );

const permissionsIn = (powers: BotPowers, { overwrites }: Channel, guildId: string): bigint => {
  if (powers.isAdministrator) return powers.permissions;
  const isEveryone = ({ id, kind }: Overwrite) => kind === 'role' && id === guildId;
  const isRole = (one: Overwrite) =>
    one.kind === 'role' && !isEveryone(one) && powers.holds(one.id);
  const isSelf = ({ id, kind }: Overwrite) => kind === 'member' && id === powers.userId;
  // Everyone's first, then those of all its roles together, then its own.
  return [isEveryone, isRole, isSelf].reduce((granted, belongs) => {
    const some = overwrites.filter(belongs);
    const deny = some.reduce((all, one) => all | BigInt(one.deny), 0n);
    const allow = some.reduce((all, one) => all | BigInt(one.allow), 0n);
    return without(granted, deny) | allow;
  }, powers.permissions);
};

/** A closed channel would be closed to the bot as well, which must open it again. */
export const letBotIn = (powers: BotPowers, overwrites: Overwrite[]): Overwrite[] => {
  if (powers.isAdministrator) return overwrites;
  const needed = permission.viewChannel | permission.manageChannels | permission.connect;
  return letMember(overwrites, powers.userId, needed & powers.permissions);
};

/**
 * A bot sets only what it may do itself, and only an administrator says who manages permissions. What
 * it cannot forbid would be left allowed: whoever that concerns does not see the channel at all.
 */
export const settableOverwrites = (
  powers: BotPowers,
  overwrites: Overwrite[],
): { overwrites: Overwrite[]; refused: bigint } => {
  if (powers.isAdministrator) return { overwrites, refused: 0n };
  const settable = without(powers.permissions, permission.manageRoles);
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
