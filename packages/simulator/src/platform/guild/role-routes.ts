import { z } from 'zod';
import { announce, byCaller } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import { storeImage } from '../cdn/images.ts';
import { accessGuild, type GuildAccess } from '../http/access.ts';
import {
  invalidRole,
  limitReached,
  missingPermissions,
  tooLarge,
  unknownRole,
} from '../http/api-error.ts';
import { permissionsField, readBody, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { requireFeatures } from './features.ts';
import type { Guild, Role } from './guild.ts';
import { newRole } from './new-guild.ts';
import { ALL_PERMISSIONS, isAbove, outranksRole, Permission } from './permissions.ts';
import { removeRole } from './world.ts';

const MAX_ROLES = 250;
const MAX_ICON_KB = 256;

const colour = z.int().min(0).max(0xffffff);

const roleSchema = z.object({
  name: z.string().max(100).nullish(),
  permissions: permissionsField.nullish(),
  color: colour.nullish(),
  colors: z
    .object({
      primary_color: colour,
      secondary_color: colour.nullish(),
      tertiary_color: colour.nullish(),
    })
    .nullish(),
  hoist: z.boolean().nullish(),
  icon: z.string().nullish(),
  unicode_emoji: z.string().nullish(),
  mentionable: z.boolean().nullish(),
});

const positionsSchema = z.array(
  z.object({ id: snowflakeField, position: z.int().min(0).nullish() }),
);

export const mountRoleRoutes = (app: PlatformApp, platform: Platform) => {
  app.get('/guilds/:guild/roles', (c) =>
    c.json([...accessGuild(platform, c).guild.roles.values()]),
  );
  app.get('/guilds/:guild/roles/:role', (c) =>
    c.json(findRole(accessGuild(platform, c).guild, c.req.param('role'))),
  );
  app.post('/guilds/:guild/roles', (c) => createRole(platform, c));
  app.patch('/guilds/:guild/roles', (c) => moveRoles(platform, c));
  app.patch('/guilds/:guild/roles/:role', (c) => editRole(platform, c, c.req.param('role')));
  app.delete('/guilds/:guild/roles/:role', (c) => {
    const access = accessGuild(platform, c, Permission.ManageRoles);
    const role = findRole(access.guild, c.req.param('role'));
    requireManageable(access, role);
    if (role.managed || role.id === access.guild.id) throw invalidRole();
    const watched = watch(access.guild, 'roles');
    removeRole(access.guild, role);
    announce(platform, byCaller(c), watched);
    return c.body(null, 204);
  });
};

export const findRole = (guild: Guild, roleId: string): Role => {
  const role = guild.roles.get(roleId);
  if (!role) throw unknownRole();
  return role;
};

/** A bot manages only roles below its own highest one. */
export const requireManageable = ({ guild, self }: GuildAccess, role: Role) => {
  if (!outranksRole(guild, self, role)) throw missingPermissions();
};

const createRole = async (platform: Platform, c: PlatformContext) => {
  const access = accessGuild(platform, c, Permission.ManageRoles);
  const { guild } = access;
  const fields = await readBody(c, roleSchema);
  if (guild.roles.size >= MAX_ROLES) throw limitReached(30005, 'guild roles', MAX_ROLES);
  const everyone = guild.roles.get(guild.id);
  const role = newRole(platform.world.nextId(), 'new role', {
    permissions: everyone?.permissions ?? '0',
    position: 1,
  });
  applyFields(access, role, fields);
  applyIcon(platform, role, fields);
  const watched = watch(guild, 'roles');
  // A new role goes to the bottom, just above @everyone; the others move up.
  for (const other of guild.roles.values()) if (other.position > 0) other.position += 1;
  guild.roles.set(role.id, role);
  announce(platform, byCaller(c), watched);
  return c.json(role);
};

const editRole = async (platform: Platform, c: PlatformContext, roleId: string) => {
  const access = accessGuild(platform, c, Permission.ManageRoles);
  const role = findRole(access.guild, roleId);
  requireManageable(access, role);
  const fields = await readBody(c, roleSchema);
  const isEveryone = role.id === access.guild.id;
  // Only its permissions can be changed; the platform ignores the rest.
  const applied = isEveryone ? { permissions: fields.permissions } : fields;
  // Applied to a copy first, so that a refused request changes nothing.
  const edited = { ...role };
  applyFields(access, edited, applied);
  applyIcon(platform, edited, applied);
  const watched = watch(access.guild, ['roles', role.id]);
  Object.assign(role, edited);
  announce(platform, byCaller(c), watched);
  return c.json(role);
};

const applyFields = (access: GuildAccess, role: Role, fields: z.output<typeof roleSchema>) => {
  requireRoleFeatures(access.guild, fields);
  if (fields.permissions != null) {
    const permissions = BigInt(fields.permissions) & ALL_PERMISSIONS;
    requireGrantable(access, permissions & ~BigInt(role.permissions));
    role.permissions = permissions.toString();
  }
  if (fields.name != null) role.name = fields.name || 'new role';
  if (fields.hoist != null) role.hoist = fields.hoist;
  if (fields.mentionable != null) role.mentionable = fields.mentionable;
  applyColours(role, fields);
};

/** Icons and colours that run into each other need features; their absence needs none. */
const requireRoleFeatures = (guild: Guild, fields: z.output<typeof roleSchema>) => {
  const { secondary_color, tertiary_color } = fields.colors ?? {};
  const gradient = 'ENHANCED_ROLE_COLORS';
  requireFeatures(guild, [
    { path: ['icon'], feature: fields.icon ? 'ROLE_ICONS' : undefined },
    { path: ['unicode_emoji'], feature: fields.unicode_emoji ? 'ROLE_ICONS' : undefined },
    ...[
      {
        path: ['colors', 'secondary_color'],
        feature: secondary_color == null ? undefined : gradient,
      },
      {
        path: ['colors', 'tertiary_color'],
        feature: tertiary_color == null ? undefined : gradient,
      },
    ],
  ]);
};

/** A picture or an emoji beside the name: one takes the other's place. */
const applyIcon = (
  { world }: Platform,
  role: Role,
  { icon, unicode_emoji }: z.output<typeof roleSchema>,
) => {
  if (icon && Buffer.byteLength(icon.split(',')[1] ?? '', 'base64') > MAX_ICON_KB * 1024) {
    throw tooLarge('icon', MAX_ICON_KB);
  }
  if (icon !== undefined) role.icon = icon && storeImage(world, 'role_icon', role.id, icon, 'icon');
  if (unicode_emoji !== undefined) role.unicode_emoji = unicode_emoji;
  if (icon) role.unicode_emoji = null;
  else if (unicode_emoji) role.icon = null;
};

const applyColours = (role: Role, { color, colors }: z.output<typeof roleSchema>) => {
  if (colors) {
    role.colors = {
      primary_color: colors.primary_color,
      secondary_color: colors.secondary_color ?? null,
      tertiary_color: colors.tertiary_color ?? null,
    };
  } else if (color != null) {
    role.colors = { primary_color: color, secondary_color: null, tertiary_color: null };
  }
  role.color = role.colors.primary_color;
};

/** A bot can grant only permissions that it has itself. */
const requireGrantable = ({ permissions }: GuildAccess, added: bigint) => {
  if ((added & ~permissions) !== 0n) throw missingPermissions();
};

const moveRoles = async (platform: Platform, c: PlatformContext) => {
  const access = accessGuild(platform, c, Permission.ManageRoles);
  const { guild } = access;
  const entries = await readBody(c, positionsSchema);
  const targets = new Map<string, number>();
  for (const { id, position } of entries) {
    const role = findRole(guild, id);
    if (role.id !== guild.id && position != null) targets.set(id, position);
  }
  const ordered = orderRoles(guild, targets);
  requireOthersInPlace(access, ordered);
  const watched = watch(guild, 'roles');
  for (const [position, role] of ordered.entries()) role.position = position;
  announce(platform, byCaller(c), watched);
  return c.json([...guild.roles.values()]);
};

/**
 * Clients send the whole list. It may name the bot's own role and those above it, as long as they stay
 * where they are.
 */
const requireOthersInPlace = (access: GuildAccess, ordered: Role[]) => {
  const current = orderRoles(access.guild, new Map());
  for (const [index, role] of current.entries()) {
    if (role !== ordered[index] && ordered[index]) {
      requireManageable(access, role);
      requireManageable(access, ordered[index]);
    }
  }
};

/**
 * From the lowest on; positions are 0…n−1 without gaps. A role that moves up goes above the role at its
 * target, one that moves down goes below it.
 */
const orderRoles = (guild: Guild, targets: Map<string, number>): Role[] => {
  const targetOf = (role: Role) => targets.get(role.id) ?? role.position;
  const keyOf = (role: Role) => {
    const target = targetOf(role);
    if (role.id === guild.id) return -1;
    if (target === role.position) return target;
    return target > role.position ? target + 0.5 : target - 0.5;
  };
  return [...guild.roles.values()]
    .map((role) => ({ role, key: keyOf(role) }))
    .sort((a, b) => a.key - b.key || targetOf(a.role) - targetOf(b.role) || lowerFirst(a, b))
    .map(({ role }) => role);
};

const lowerFirst = (a: { role: Role }, b: { role: Role }) => (isAbove(a.role, b.role) ? 1 : -1);
