import { z } from 'zod';
import { announce, byNobody } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import type { Guild } from '../guild/guild.ts';
import { newMember } from '../guild/new-guild.ts';
import { Permission } from '../guild/permissions.ts';
import { presentMember } from '../guild/present.ts';
import { findRole, requireManageable } from '../guild/role-routes.ts';
import { addMember } from '../guild/world.ts';
import { accessGuild, type GuildAccess, requirePermissions } from '../http/access.ts';
import { ApiError, unknownUser } from '../http/api-error.ts';
import { readBody, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformContext, PlatformUser } from '../platform.ts';

const addSchema = z.object({
  access_token: z.string(),
  nick: z.string().max(32).nullish(),
  roles: z.array(snowflakeField).nullish(),
  mute: z.boolean().nullish(),
  deaf: z.boolean().nullish(),
});

type Addition = z.output<typeof addSchema>;

const JOIN_SCOPE = 'guilds.join';

const invalidToken = () => new ApiError(403, 50025, 'Invalid OAuth2 access token');

/** Adds a user by the access token that they granted to the bot's application. Safe to repeat: 201, then 204. */
export const addByToken = async (platform: Platform, c: PlatformContext, userId: string) => {
  const access = accessGuild(platform, c, Permission.CreateInvite);
  const { guild } = access;
  const addition = await readBody(c, addSchema);
  const user = platform.identities.findUser(userId);
  if (!user || user.isUnknown) throw unknownUser();
  requireUsableToken(platform, access, user, addition);
  // The roles of the body are not applied to an existing member.
  if (guild.members.has(userId)) return c.body(null, 204);
  requireJoinable(guild, user);
  requireFieldPermissions(access, addition);
  const member = {
    ...newMember(userId, new Date().toISOString()),
    nick: addition.nick ?? null,
    roles: [...new Set(addition.roles ?? [])],
    mute: addition.mute ?? false,
    deaf: addition.deaf ?? false,
  };
  const watched = watch(guild, ['members', userId]);
  addMember(guild, member);
  // They came by their own consent: no entry of the audit log.
  announce(platform, byNobody(c), watched);
  return c.json(presentMember(platform.identities, member), 201);
};

const requireUsableToken = (
  { identities }: Platform,
  { bot }: GuildAccess,
  user: PlatformUser,
  { access_token }: Addition,
) => {
  const grant = identities.grantOf(access_token);
  const isUsersOwn =
    grant?.isUsable && grant.userId === user.id && grant.scopes.includes(JOIN_SCOPE);
  const isOfThisApplication = !bot.isBound || grant?.applicationId === bot.id;
  if (!isUsersOwn || !isOfThisApplication) throw invalidToken();
};

/** Whether the guild takes the user, and the user another guild. */
export const requireJoinable = (guild: Guild, user: PlatformUser) => {
  if (guild.bans.has(user.id)) {
    throw new ApiError(403, 40007, 'The user is banned from this guild.');
  }
  if (user.atGuildCap) throw new ApiError(400, 30001, 'Maximum number of guilds reached (100)');
  if (guild.members.size >= guild.settings.max_members) {
    throw new ApiError(400, 30019, 'Maximum number of server members reached');
  }
};

const requireFieldPermissions = (access: GuildAccess, addition: Addition) => {
  const { guild, permissions } = access;
  if (addition.nick) requirePermissions(permissions, Permission.ManageNicknames);
  if (addition.mute || addition.deaf) requirePermissions(permissions, Permission.MuteMembers);
  if (!addition.roles?.length) return;
  requirePermissions(permissions, Permission.ManageRoles);
  for (const roleId of addition.roles) requireManageable(access, findRole(guild, roleId));
};
