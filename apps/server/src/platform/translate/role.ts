import {
  type APIOverwrite,
  type APIRole,
  OverwriteType,
  type RESTPatchAPIGuildRoleJSONBody,
} from 'discord-api-types/v10';
import type { Overwrite, Role } from '../guild.ts';
import type { RoleWish } from '../port.ts';

export const roleOf = (role: APIRole): Role => ({
  id: role.id,
  name: role.name,
  colors: {
    primary: role.colors.primary_color,
    secondary: role.colors.secondary_color,
    tertiary: role.colors.tertiary_color,
  },
  isHoisted: role.hoist,
  isMentionable: role.mentionable,
  isManaged: role.managed,
  botId: role.tags?.bot_id ?? null,
  permissions: role.permissions,
  position: role.position,
  iconHash: role.icon ?? null,
  unicodeEmoji: role.unicode_emoji ?? null,
});

export const roleBodyOf = (wish: Partial<RoleWish>) =>
  ({
    name: wish.name,
    permissions: wish.permissions,
    colors: wish.colors && {
      primary_color: wish.colors.primary,
      secondary_color: wish.colors.secondary,
      tertiary_color: wish.colors.tertiary,
    },
    hoist: wish.isHoisted,
    mentionable: wish.isMentionable,
    unicode_emoji: wish.unicodeEmoji,
  }) satisfies RESTPatchAPIGuildRoleJSONBody;

/** A guild that may not have role emoji is not even asked to leave it empty. */
export const newRoleBodyOf = (wish: RoleWish) => ({
  ...roleBodyOf(wish),
  unicode_emoji: wish.unicodeEmoji ?? undefined,
});

export const overwriteOf = ({ id, type, allow, deny }: APIOverwrite): Overwrite => ({
  id,
  kind: type === OverwriteType.Member ? 'member' : 'role',
  allow,
  deny,
});

export const overwriteBodyOf = ({ id, kind, allow, deny }: Overwrite): APIOverwrite => ({
  id,
  type: kind === 'member' ? OverwriteType.Member : OverwriteType.Role,
  allow,
  deny,
});
