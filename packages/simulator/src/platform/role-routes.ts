import { z } from 'zod';
import { type GuildAccess, openGuild } from './access.ts';
import { invalidRole, limitReached, missingPermissions, unknownRole } from './api-error.ts';
import type { Guild, Role } from './guild-state.ts';
import { newRole } from './new-guild.ts';
import { ALL_PERMISSIONS, isAbove, Permission, standsAboveRole } from './permissions.ts';
import type { Platform, PlatformApp, PlatformContext } from './platform.ts';
import { permissionsField, readBody, snowflakeField } from './read-body.ts';
import { removeRole } from './world.ts';

const MAX_ROLES = 250;

const roleSchema = z.object({
  name: z.string().max(100).nullish(),
  permissions: permissionsField.nullish(),
  color: z.int().min(0).max(0xffffff).nullish(),
  colors: z
    .object({
      primary_color: z.int().min(0).max(0xffffff),
      secondary_color: z.int().min(0).max(0xffffff).nullish(),
      tertiary_color: z.int().min(0).max(0xffffff).nullish(),
    })
    .nullish(),
  hoist: z.boolean().nullish(),
  unicode_emoji: z.string().nullish(),
  mentionable: z.boolean().nullish(),
});

const positionsSchema = z.array(
  z.object({ id: snowflakeField, position: z.int().min(0).nullish() }),
);

export const mountRoleRoutes = (app: PlatformApp, platform: Platform) => {
  app.get('/guilds/:guild/roles', (c) => c.json([...openGuild(platform, c).guild.roles.values()]));
  app.get('/guilds/:guild/roles/:role', (c) =>
    c.json(findRole(openGuild(platform, c).guild, c.req.param('role'))),
  );
  app.post('/guilds/:guild/roles', (c) => createRole(platform, c));
  app.patch('/guilds/:guild/roles', (c) => moveRoles(platform, c));
  app.patch('/guilds/:guild/roles/:role', (c) => editRole(platform, c, c.req.param('role')));
  app.delete('/guilds/:guild/roles/:role', (c) => {
    const access = openGuild(platform, c, Permission.ManageRoles);
    const role = findRole(access.guild, c.req.param('role'));
    demandManageable(access, role);
    if (role.managed || role.id === access.guild.id) throw invalidRole();
    removeRole(access.guild, role);
    return c.body(null, 204);
  });
};

export const findRole = (guild: Guild, roleId: string): Role => {
  const role = guild.roles.get(roleId);
  if (!role) throw unknownRole();
  return role;
};

/** A role equal to or above the bot's own highest is out of its reach. */
export const demandManageable = ({ guild, self }: GuildAccess, role: Role) => {
  if (!standsAboveRole(guild, self, role)) throw missingPermissions();
};

const createRole = async (platform: Platform, c: PlatformContext) => {
  const access = openGuild(platform, c, Permission.ManageRoles);
  const { guild } = access;
  const fields = await readBody(c, roleSchema);
  if (guild.roles.size >= MAX_ROLES) throw limitReached(30005, 'guild roles', MAX_ROLES);
  const everyone = guild.roles.get(guild.id);
  const role = newRole(platform.world.nextId(), 'new role', {
    permissions: everyone?.permissions ?? '0',
    position: 1,
  });
  applyFields(access, role, fields);
  // New roles come in at the bottom, above everyone; the others make room.
  for (const other of guild.roles.values()) if (other.position > 0) other.position += 1;
  guild.roles.set(role.id, role);
  return c.json(role);
};

const editRole = async (platform: Platform, c: PlatformContext, roleId: string) => {
  const access = openGuild(platform, c, Permission.ManageRoles);
  const role = findRole(access.guild, roleId);
  demandManageable(access, role);
  const fields = await readBody(c, roleSchema);
  const isEveryone = role.id === access.guild.id;
  // Only its permissions can be changed; the platform passes over the rest in silence.
  applyFields(access, role, isEveryone ? { permissions: fields.permissions } : fields);
  return c.json(role);
};

const applyFields = (access: GuildAccess, role: Role, fields: z.output<typeof roleSchema>) => {
  if (fields.permissions != null) {
    const wanted = BigInt(fields.permissions) & ALL_PERMISSIONS;
    demandGrantable(access, wanted & ~BigInt(role.permissions));
    role.permissions = wanted.toString();
  }
  if (fields.name != null) role.name = fields.name || 'new role';
  if (fields.hoist != null) role.hoist = fields.hoist;
  if (fields.mentionable != null) role.mentionable = fields.mentionable;
  if (fields.unicode_emoji !== undefined) role.unicode_emoji = fields.unicode_emoji;
  applyColours(role, fields);
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

/** Nobody gives what they do not have. */
export const demandGrantable = ({ permissions }: GuildAccess, added: bigint) => {
  if ((added & ~permissions) !== 0n) throw missingPermissions();
};

const moveRoles = async (platform: Platform, c: PlatformContext) => {
  const access = openGuild(platform, c, Permission.ManageRoles);
  const { guild } = access;
  const entries = await readBody(c, positionsSchema);
  const wanted = new Map<string, number>();
  for (const { id, position } of entries) {
    const role = findRole(guild, id);
    if (role.id === guild.id || position == null) continue;
    demandManageable(access, role);
    demandBelowSelf(access, { ...role, position });
    wanted.set(id, position);
  }
  renumber(guild, wanted);
  return c.json([...guild.roles.values()]);
};

const demandBelowSelf = ({ guild, self }: GuildAccess, moved: Role) => {
  const own = self.roles.map((id) => guild.roles.get(id)?.position ?? 0);
  const isOwner = guild.settings.owner_id === self.user_id;
  if (!isOwner && moved.position >= Math.max(0, ...own)) throw missingPermissions();
};

/**
 * Positions are kept 0…n−1 without gaps. A role that is moved upwards goes above the one that was
 * there, one that is moved downwards below it.
 */
const renumber = (guild: Guild, wanted: Map<string, number>) => {
  const targetOf = (role: Role) => wanted.get(role.id) ?? role.position;
  const keyOf = (role: Role) => {
    const target = targetOf(role);
    if (role.id === guild.id) return -1;
    if (target === role.position) return target;
    return target > role.position ? target + 0.5 : target - 0.5;
  };
  const ordered = [...guild.roles.values()]
    .map((role) => ({ role, key: keyOf(role) }))
    .sort((a, b) => a.key - b.key || targetOf(a.role) - targetOf(b.role) || lowerFirst(a, b));
  for (const [position, { role }] of ordered.entries()) role.position = position;
};

const lowerFirst = (a: { role: Role }, b: { role: Role }) => (isAbove(a.role, b.role) ? 1 : -1);
