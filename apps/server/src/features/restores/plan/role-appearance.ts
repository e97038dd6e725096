import { isDeepStrictEqual } from 'node:util';
import type { Role } from '../../../platform/guild.ts';
import type { BotPermissions } from '../../../platform/permissions.ts';
import { without } from '../../../platform/permissions.ts';
import type { SectionEntry } from '../../backups/snapshot/snapshot.ts';
import { type ActionOf, appearanceFields } from './action.ts';
import type { LossReason } from './loss.ts';

type SavedRole = SectionEntry<'roles'>;
type RoleAppearance = ActionOf<'createRole'>['wish'];
type ReachableRole = { appearance: RoleAppearance; permissions: bigint; lost: LossReason[] };

/** A role as near to the backup's as the guild's features and the bot's own permissions allow. */
export const reachableRole = (
  saved: SavedRole,
  current: Role | undefined,
  features: string[],
  bot: BotPermissions,
): ReachableRole => {
  const lost: LossReason[] = [];
  const appearance = reachableAppearance(saved, current, features, lost);
  const now = BigInt(current?.permissions ?? 0);
  const permissions = BigInt(saved.permissions) & (bot.permissions | now);
  const refused = without(BigInt(saved.permissions), permissions);
  if (refused !== 0n) lost.push({ code: 'permissionsNotGivable', permissions: refused });
  return { appearance, permissions, lost };
};

const reachableAppearance = (
  saved: SavedRole,
  current: Role | undefined,
  features: string[],
  lost: LossReason[],
): RoleAppearance => {
  const { name, isHoisted, isMentionable } = saved;
  let { colors, unicodeEmoji } = saved;
  const isGradientNew = colors.secondary !== null && !isDeepStrictEqual(colors, current?.colors);
  if (isGradientNew && !features.includes('ENHANCED_ROLE_COLORS')) {
    colors = { primary: colors.primary, secondary: null, tertiary: null };
    lost.push({ code: 'noGradientColors' });
  }
  const isEmojiNew = unicodeEmoji !== null && unicodeEmoji !== current?.unicodeEmoji;
  if (isEmojiNew && !features.includes('ROLE_ICONS')) {
    unicodeEmoji = current?.unicodeEmoji ?? null;
    lost.push({ code: 'noRoleIcons' });
  }
  // An icon that is stored is set by a step of its own.
  if (saved.iconHash !== null && !saved.icon && saved.iconHash !== current?.iconHash) {
    lost.push({ code: 'roleIconNotStored' });
  }
  return { name, colors, isHoisted, isMentionable, unicodeEmoji };
};

/** Only what differs. Not for a managed role, whose integration sets it, nor for @everyone. */
export const appearanceChanges = (
  appearance: RoleAppearance,
  current: Role,
): Partial<RoleAppearance> =>
  Object.fromEntries(
    appearanceFields
      .filter((field) => !isDeepStrictEqual(appearance[field], current[field]))
      .map((field) => [field, appearance[field]]),
  );
