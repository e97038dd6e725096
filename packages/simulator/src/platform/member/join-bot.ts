import { announce, byUser } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import type { BotAccess, Guild, Member } from '../guild/guild.ts';
import { newMember, newRole } from '../guild/new-guild.ts';
import { highestRoleOf } from '../guild/permissions.ts';
import { addMember } from '../guild/world.ts';
import type { Application, Platform, PlatformContext } from '../platform.ts';

/** Who was thrown out does not come back by asking. */
export const mayJoin = (guild: Guild, botId: string): boolean =>
  guild.botAccess.isMember && !guild.expelledIds.has(botId) && !guild.bans.has(botId);

/** As if the owner had added the bot: it becomes a member with a managed role of its own. */
export const joinBot = (
  platform: Platform,
  c: PlatformContext,
  guild: Guild,
  bot: Application,
  permissions?: string,
): Member => {
  const watched = watch(guild, ['members', bot.id], 'roles');
  const member = placeBot(platform, guild, bot, { permissions });
  announce(platform, byUser(c, guild.settings.owner_id), watched);
  platform.world.reportChange();
  return member;
};

type Placed = Partial<Pick<BotAccess, 'permissions' | 'rolePosition'>> & { roleId?: string };

/** Unless it is said, with the powers that the guild gives to bots that are not listed. */
export const placeBot = (
  { world, identities }: Platform,
  guild: Guild,
  { id, name }: Application,
  {
    roleId = world.nextId(),
    permissions = guild.botAccess.permissions,
    rolePosition = guild.botAccess.rolePosition,
  }: Placed = {},
): Member => {
  // A person who acts by a token is no bot.
  const isBot = (userId: string) =>
    identities.hasApplication(userId) && identities.findUser(userId)?.isBot === true;
  const position = rolePosition ?? positionBelowFirst(guild, isBot);
  for (const role of guild.roles.values()) if (role.position >= position) role.position += 1;
  const role = newRole(roleId, name, {
    ...{ permissions, position, managed: true, tags: { bot_id: id } },
  });
  guild.roles.set(role.id, role);
  const member = { ...newMember(id, new Date().toISOString()), roles: [role.id] };
  addMember(guild, member);
  return member;
};

/** The first bot goes to the top; those that come later go below the highest of those before them. */
const positionBelowFirst = (guild: Guild, isBot: (userId: string) => boolean): number => {
  let highestOfBots = 0;
  for (const member of guild.members.values()) {
    if (!isBot(member.user_id)) continue;
    highestOfBots = Math.max(highestOfBots, highestRoleOf(guild, member)?.position ?? 0);
  }
  return highestOfBots > 0 ? highestOfBots : highestPosition(guild) + 1;
};

const highestPosition = (guild: Guild): number => {
  let highest = 0;
  for (const role of guild.roles.values()) highest = Math.max(highest, role.position);
  return highest;
};
