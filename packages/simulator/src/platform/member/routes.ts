import { z } from 'zod';
import { announce, byCaller, byNobody } from '../announce/announce.ts';
import { each, watch } from '../announce/watch.ts';
import type { Guild, Member } from '../guild/guild.ts';
import { grantedByRoles, hasPermission, outranksMember, Permission } from '../guild/permissions.ts';
import { presentMember } from '../guild/present.ts';
import { findRole, requireManageable } from '../guild/role-routes.ts';
import { channelsNaming, expelMember, sortedIndexOf } from '../guild/world.ts';
import {
  accessGuild,
  type GuildAccess,
  requirePermissions,
  requireSnowflake,
} from '../http/access.ts';
import {
  invalidRole,
  missingAccess,
  missingPermissions,
  unknownMember,
} from '../http/api-error.ts';
import { limitField, readBody, readQuery, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { addByToken } from './add-member.ts';

const listSchema = z.object({ limit: limitField(1, 1000), after: snowflakeField.default('0') });
const searchSchema = z.object({ query: z.string().min(1), limit: limitField(1, 1000) });

const editSchema = z.object({
  nick: z.string().max(32).nullish(),
  roles: z.array(snowflakeField).nullish(),
  mute: z.boolean().nullish(),
  deaf: z.boolean().nullish(),
  communication_disabled_until: z.iso.datetime({ offset: true }).nullish(),
});

export const mountMemberRoutes = (app: PlatformApp, platform: Platform) => {
  const { identities } = platform;
  app.get('/guilds/:guild/members', (c) => listMembers(platform, c));
  app.get('/guilds/:guild/members/search', (c) => searchMembers(platform, c));
  app.get('/guilds/:guild/members/:user', (c) =>
    c.json(presentMember(identities, findMember(accessGuild(platform, c).guild, c))),
  );
  app.put('/guilds/:guild/members/:user', (c) =>
    addByToken(platform, c, requireSnowflake(c, 'user')),
  );
  app.patch('/guilds/:guild/members/:user', (c) => editMember(platform, c));
  app.delete('/guilds/:guild/members/:user', (c) => {
    const access = accessGuild(platform, c, Permission.KickMembers);
    const member = findMember(access.guild, c);
    if (!outranksMember(access.guild, access.self, member)) throw missingPermissions();
    const { guild } = access;
    const watched = watch(guild, ['members', member.user_id]);
    const alongside = watch(guild, 'roles', ...each(channelsNaming(guild, member.user_id)));
    expelMember(guild, member.user_id);
    announce(platform, byCaller(c), watched);
    announce(platform, byNobody(c), alongside);
    return c.body(null, 204);
  });
  app.put('/guilds/:guild/members/:user/roles/:role', (c) => {
    const { guild, member, roleId } = accessMemberRole(platform, c, c.req.param('role'));
    const watched = watch(guild, ['members', member.user_id]);
    if (!member.roles.includes(roleId)) member.roles = [...member.roles, roleId];
    announce(platform, byCaller(c), watched);
    return c.body(null, 204);
  });
  app.delete('/guilds/:guild/members/:user/roles/:role', (c) => {
    const { guild, member, roleId } = accessMemberRole(platform, c, c.req.param('role'));
    const watched = watch(guild, ['members', member.user_id]);
    member.roles = member.roles.filter((id) => id !== roleId);
    announce(platform, byCaller(c), watched);
    return c.body(null, 204);
  });
};

const listMembers = (platform: Platform, c: PlatformContext) => {
  const { guild, bot } = accessGuild(platform, c);
  if (!bot.intents.includes('GUILD_MEMBERS')) throw missingAccess();
  const { limit, after } = readQuery(c, listSchema);
  const found = sortedIndexOf(guild.memberOrder, after);
  const start = guild.memberOrder[found] === after ? found + 1 : found;
  const page = guild.memberOrder.slice(start, start + limit);
  return c.json(presentAll(platform, guild, page));
};

const searchMembers = (platform: Platform, c: PlatformContext) => {
  const { guild } = accessGuild(platform, c);
  const { limit, query } = readQuery(c, searchSchema);
  const prefix = query.toLowerCase();
  const found: string[] = [];
  for (const [id, { nick }] of guild.members) {
    const username = platform.identities.findUser(id)?.username ?? '';
    const isFound = [username, nick ?? ''].some((name) => name.toLowerCase().startsWith(prefix));
    if (isFound) found.push(id);
    if (found.length === limit) break;
  }
  return c.json(presentAll(platform, guild, found));
};

const presentAll = ({ identities }: Platform, guild: Guild, userIds: string[]) =>
  userIds.flatMap((id) => {
    const member = guild.members.get(id);
    return member ? [presentMember(identities, member)] : [];
  });

const findMember = (guild: Guild, c: PlatformContext): Member => {
  const member = guild.members.get(c.req.param('user') ?? '');
  if (!member) throw unknownMember();
  return member;
};

const accessMemberRole = (platform: Platform, c: PlatformContext, roleId: string) => {
  const access = accessGuild(platform, c, Permission.ManageRoles);
  const member = findMember(access.guild, c);
  requireAssignable(access, roleId);
  return { guild: access.guild, member, roleId };
};

const requireAssignable = (access: GuildAccess, roleId: string) => {
  const role = findRole(access.guild, roleId);
  if (role.managed || role.id === access.guild.id) throw invalidRole();
  requireManageable(access, role);
};

const editMember = async (platform: Platform, c: PlatformContext) => {
  const access = accessGuild(platform, c);
  const { guild, self, permissions } = access;
  const userId = c.req.param('user') === '@me' ? self.user_id : (c.req.param('user') ?? '');
  const member = guild.members.get(userId);
  if (!member) throw unknownMember();
  const change = await readBody(c, editSchema);
  const isSelf = member === self;
  if (!isSelf && !outranksMember(guild, self, member)) throw missingPermissions();
  if (change.nick !== undefined && !isSelf) {
    requirePermissions(permissions, Permission.ManageNicknames);
  }
  if (change.communication_disabled_until !== undefined) {
    requirePermissions(permissions, Permission.ModerateMembers);
  }
  if (change.communication_disabled_until) requireNoAdministrator(guild, member, change.roles);
  const watched = watch(guild, ['members', userId]);
  if (change.roles) replaceRoles(access, member, change.roles);
  if (change.communication_disabled_until !== undefined) {
    member.communication_disabled_until = change.communication_disabled_until;
  }
  if (change.nick !== undefined) member.nick = change.nick || null;
  if (change.mute != null) member.mute = change.mute;
  if (change.deaf != null) member.deaf = change.deaf;
  announce(platform, byCaller(c), watched);
  return c.json(presentMember(platform.identities, member));
};

/** Nobody can time out an administrator, nor whom the same request makes one or has be one no more. */
const requireNoAdministrator = (
  guild: Guild,
  member: Member,
  roles: string[] | null | undefined,
) => {
  for (const ids of [member.roles, roles ?? []]) {
    if (hasPermission(grantedByRoles(guild, ids), Permission.Administrator)) {
      throw missingPermissions();
    }
  }
};

/** The bot must be able to manage every role that is added or removed. */
const replaceRoles = (access: GuildAccess, member: Member, roleIds: string[]) => {
  requirePermissions(access.permissions, Permission.ManageRoles);
  const before = new Set(member.roles);
  const after = new Set(roleIds.filter((id) => id !== access.guild.id));
  for (const id of before.symmetricDifference(after)) requireAssignable(access, id);
  member.roles = [...after];
};
