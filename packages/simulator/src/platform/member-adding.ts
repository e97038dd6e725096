import { z } from 'zod';
import { demandPermissions, type GuildAccess, openGuild } from './access.ts';
import { ApiError, unknownUser } from './api-error.ts';
import type { Guild } from './guild-state.ts';
import type { PlatformUser } from './identity-types.ts';
import { Permission } from './permissions.ts';
import type { Platform, PlatformContext } from './platform.ts';
import { presentMember } from './present.ts';
import { readBody, snowflakeField } from './read-body.ts';
import { demandManageable, findRole } from './role-routes.ts';
import { addMember, newMember } from './world.ts';

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

/** Joins a user by the access token they gave the bot's own application. Safe to repeat: 201, then 204. */
export const addByToken = async (platform: Platform, c: PlatformContext, userId: string) => {
  const access = openGuild(platform, c, Permission.CreateInvite);
  const { guild } = access;
  const addition = await readBody(c, addSchema);
  const user = platform.identities.findUser(userId);
  if (!user || user.isUnknown) throw unknownUser();
  demandUsableToken(platform, access, user, addition);
  // Roles of the body are not applied to who is already here.
  if (guild.members.has(userId)) return c.body(null, 204);
  demandRoom(guild, user);
  demandFieldPermissions(access, addition);
  const member = {
    ...newMember(userId, new Date().toISOString()),
    nick: addition.nick ?? null,
    roles: [...new Set(addition.roles ?? [])],
    mute: addition.mute ?? false,
    deaf: addition.deaf ?? false,
  };
  addMember(guild, member);
  return c.json(presentMember(platform.identities, member), 201);
};

const demandUsableToken = (
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

const demandRoom = (guild: Guild, user: PlatformUser) => {
  if (guild.bans.has(user.id)) {
    throw new ApiError(403, 40007, 'The user is banned from this guild.');
  }
  if (user.atGuildCap) throw new ApiError(400, 30001, 'Maximum number of guilds reached (100)');
  if (guild.members.size >= guild.settings.max_members) {
    throw new ApiError(400, 30019, 'Maximum number of server members reached');
  }
};

const demandFieldPermissions = (access: GuildAccess, addition: Addition) => {
  const { guild, permissions } = access;
  if (addition.nick) demandPermissions(permissions, Permission.ManageNicknames);
  if (addition.mute || addition.deaf) demandPermissions(permissions, Permission.MuteMembers);
  if (!addition.roles?.length) return;
  demandPermissions(permissions, Permission.ManageRoles);
  for (const roleId of addition.roles) demandManageable(access, findRole(guild, roleId));
};
