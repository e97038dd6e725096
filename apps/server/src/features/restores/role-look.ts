import { isDeepStrictEqual } from 'node:util';
import type { Role } from '../../platform/guild.ts';
import { namePermissions, without } from '../../platform/permissions.ts';
import type { BotPowers } from '../../platform/powers.ts';

export type RoleLook = Pick<
  Role,
  'name' | 'colors' | 'isHoisted' | 'isMentionable' | 'unicodeEmoji'
>;

export type ReachableRole = { look: RoleLook; permissions: bigint; lost: string[] };

/** A role as near to the backup's as the server's features and the bot's own permissions allow. */
export const reachableRole = (
  wanted: Role,
  current: Role | undefined,
  features: string[],
  powers: BotPowers,
): ReachableRole => {
  const lost: string[] = [];
  const look = reachableLook(wanted, current, features, lost);
  const now = BigInt(current?.permissions ?? 0);
  const permissions = BigInt(wanted.permissions) & (powers.permissions | now);
  const refused = without(BigInt(wanted.permissions), permissions);
  if (refused !== 0n) {
    lost.push(`the bot cannot give what it does not have: ${namePermissions(refused)}`);
  }
  return { look, permissions, lost };
};

const reachableLook = (
  wanted: Role,
  current: Role | undefined,
  features: string[],
  lost: string[],
): RoleLook => {
  const { name, isHoisted, isMentionable } = wanted;
  let { colors, unicodeEmoji } = wanted;
  const isGradientNew = colors.secondary !== null && !isDeepStrictEqual(colors, current?.colors);
  if (isGradientNew && !features.includes('ENHANCED_ROLE_COLORS')) {
    colors = { primary: colors.primary, secondary: null, tertiary: null };
    lost.push('this server does not have gradient colours');
  }
  const isEmojiNew = unicodeEmoji !== null && unicodeEmoji !== current?.unicodeEmoji;
  if (isEmojiNew && !features.includes('ROLE_ICONS')) {
    unicodeEmoji = current?.unicodeEmoji ?? null;
    lost.push('this server does not have role icons');
  }
  if (wanted.iconHash !== null && wanted.iconHash !== current?.iconHash) {
    lost.push('its icon is a picture, which a backup does not hold');
  }
  return { name, colors, isHoisted, isMentionable, unicodeEmoji };
};

/** Only what differs; a managed role's look belongs to its integration, and @everyone has none. */
export const lookChanges = (look: RoleLook, current: Role): Partial<RoleLook> => ({
  ...(look.name === current.name ? {} : { name: look.name }),
  ...(isDeepStrictEqual(look.colors, current.colors) ? {} : { colors: look.colors }),
  ...(look.isHoisted === current.isHoisted ? {} : { isHoisted: look.isHoisted }),
  ...(look.isMentionable === current.isMentionable ? {} : { isMentionable: look.isMentionable }),
  ...(look.unicodeEmoji === current.unicodeEmoji ? {} : { unicodeEmoji: look.unicodeEmoji }),
});
