import {
  invalidField,
  missingAccess,
  missingPermissions,
  unauthorized,
  unknownChannel,
  unknownGuild,
} from './api-error.ts';
import type { Channel, Guild, Member } from './guild-state.ts';
import type { Application } from './identity-types.ts';
import { newRole } from './new-guild.ts';
import {
  computeChannelPermissions,
  computeGuildPermissions,
  hasPermission,
  Permission,
} from './permissions.ts';
import type { Platform, PlatformContext } from './platform.ts';
import { isSnowflake } from './snowflakes.ts';
import { addMember, newMember } from './world.ts';

export type GuildAccess = {
  guild: Guild;
  bot: Application;
  /** The asking bot as a member of the guild. */
  self: Member;
  permissions: bigint;
};

export type ChannelAccess = GuildAccess & { channel: Channel };

export const demandBot = (c: PlatformContext): Application => {
  const bot = c.get('bot');
  if (!bot) throw unauthorized();
  return bot;
};

/** The guild of the path, for a bot that is a member and has all the permissions named. */
export const openGuild = (
  platform: Platform,
  c: PlatformContext,
  ...wanted: bigint[]
): GuildAccess => {
  const bot = demandBot(c);
  const guild = platform.world.findGuild(demandSnowflake(c, 'guild'));
  if (!guild) throw unknownGuild();
  const self = memberOfBot(platform, guild, bot);
  const permissions = computeGuildPermissions(guild, self);
  demandPermissions(permissions, ...wanted);
  return { guild, bot, self, permissions };
};

/** The channel of the path; who cannot see a channel has no access to it, whatever else is granted. */
export const openChannel = (
  platform: Platform,
  c: PlatformContext,
  ...wanted: bigint[]
): ChannelAccess => {
  const bot = demandBot(c);
  const channelId = demandSnowflake(c, 'channel');
  const guild = platform.world.homeOf(channelId);
  const channel = guild?.channels.get(channelId);
  if (!guild || !channel) throw unknownChannel();
  const self = memberOfBot(platform, guild, bot);
  const permissions = computeChannelPermissions(guild, self, channel);
  if (!hasPermission(permissions, Permission.ViewChannel)) throw missingAccess();
  demandPermissions(permissions, ...wanted);
  return { guild, bot, self, permissions, channel };
};

/** An id of the path; what is no number is a bad form, not an unknown thing. */
export const demandSnowflake = (c: PlatformContext, name: string): string => {
  const text = c.req.param(name) ?? '';
  if (isSnowflake(text)) return text;
  throw invalidField([`${name}_id`], 'NUMBER_TYPE_COERCE', `Value "${text}" is not snowflake.`);
};

export const demandPermissions = (granted: bigint, ...wanted: bigint[]) => {
  for (const permission of wanted) {
    if (!hasPermission(granted, permission)) throw missingPermissions();
  }
};

const memberOfBot = (platform: Platform, guild: Guild, bot: Application): Member => {
  const known = guild.members.get(bot.id);
  if (known) return known;
  if (!guild.botAccess.isMember) throw missingAccess();
  return joinBot(platform, guild, bot);
};

/** As when an owner adds the bot: it becomes a member and gets a managed role of its own. */
const joinBot = (platform: Platform, guild: Guild, bot: Application): Member => {
  const { permissions, rolePosition } = guild.botAccess;
  const position = rolePosition ?? highestPosition(guild) + 1;
  for (const role of guild.roles.values()) if (role.position >= position) role.position += 1;
  const role = newRole(platform.world.nextId(), bot.name, {
    permissions,
    position,
    managed: true,
    tags: { bot_id: bot.id },
  });
  guild.roles.set(role.id, role);
  const member = { ...newMember(bot.id, new Date().toISOString()), roles: [role.id] };
  addMember(guild, member);
  platform.world.reportChange();
  return member;
};

const highestPosition = (guild: Guild): number => {
  let highest = 0;
  for (const role of guild.roles.values()) highest = Math.max(highest, role.position);
  return highest;
};
