import {
  type APIOverwrite,
  type APIRole,
  OverwriteType,
  type RESTPatchAPIGuildRoleJSONBody,
} from 'discord-api-types/v10';
import type { Overwrite, Role } from '../guild.ts';
import type { RoleInput } from '../port.ts';

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
  // The platform marks these by a tag that is null.
  ...(role.tags?.premium_subscriber === null ? { isOfBoosters: true as const } : {}),
  ...(role.tags?.guild_connections === null ? { isLinked: true as const } : {}),
  permissions: role.permissions,
  position: role.position,
  iconHash: role.icon ?? null,
  unicodeEmoji: role.unicode_emoji ?? null,
});

export const roleBodyOf = (input: Partial<RoleInput>) =>
  ({
    name: input.name,
    permissions: input.permissions,
    colors: input.colors && {
      primary_color: input.colors.primary,
      secondary_color: input.colors.secondary,
      tertiary_color: input.colors.tertiary,
    },
    hoist: input.isHoisted,
    mentionable: input.isMentionable,
    unicode_emoji: input.unicodeEmoji,
  }) satisfies RESTPatchAPIGuildRoleJSONBody;

/** A guild without role icons refuses the field even when it is null. */
export const newRoleBodyOf = (input: RoleInput) => ({
  ...roleBodyOf(input),
  unicode_emoji: input.unicodeEmoji ?? undefined,
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
