import type { Channel, Guild, Member } from '../guild/guild.ts';
import { newMember, newRole } from '../guild/new-guild.ts';
import {
  computeChannelPermissions,
  computeGuildPermissions,
  hasPermission,
  Permission,
} from '../guild/permissions.ts';
import { addMember } from '../guild/world.ts';
import type { Application, Platform, PlatformContext } from '../platform.ts';
import { isSnowflake } from '../snowflakes.ts';
import {
  invalidField,
  missingAccess,
  missingPermissions,
  unauthorized,
  unknownChannel,
  unknownGuild,
} from './api-error.ts';

export type GuildAccess = {
  guild: Guild;
  bot: Application;
  /** The bot as a member of the guild. */
  self: Member;
  permissions: bigint;
};

export type ChannelAccess = GuildAccess & { channel: Channel };

export const requireBot = (c: PlatformContext): Application => {
  const bot = c.get('bot');
  if (!bot) throw unauthorized();
  return bot;
};

/** The guild of the path, if the bot is a member and has all these permissions. */
export const accessGuild = (
  platform: Platform,
  c: PlatformContext,
  ...required: bigint[]
): GuildAccess => {
  const bot = requireBot(c);
  const guild = platform.world.findGuild(requireSnowflake(c, 'guild'));
  if (!guild) throw unknownGuild();
  const self = memberOfBot(platform, guild, bot);
  const permissions = computeGuildPermissions(guild, self);
  requirePermissions(permissions, ...required);
  return { guild, bot, self, permissions };
};

/** The channel of the path. Without ViewChannel there is no access, whatever else is granted. */
export const accessChannel = (
  platform: Platform,
  c: PlatformContext,
  ...required: bigint[]
): ChannelAccess => {
  const bot = requireBot(c);
  const channelId = requireSnowflake(c, 'channel');
  const guild = platform.world.guildOf(channelId);
  const channel = guild?.channels.get(channelId);
  if (!guild || !channel) throw unknownChannel();
  const self = memberOfBot(platform, guild, bot);
  const permissions = computeChannelPermissions(guild, self, channel);
  if (!hasPermission(permissions, Permission.ViewChannel)) throw missingAccess();
  requirePermissions(permissions, ...required);
  return { guild, bot, self, permissions, channel };
};

/** An id of the path; text that is no number is an invalid form, not an unknown resource. */
export const requireSnowflake = (c: PlatformContext, name: string): string => {
  const text = c.req.param(name) ?? '';
  if (isSnowflake(text)) return text;
  throw invalidField([`${name}_id`], 'NUMBER_TYPE_COERCE', `Value "${text}" is not snowflake.`);
};

export const requirePermissions = (granted: bigint, ...required: bigint[]) => {
  for (const permission of required) {
    if (!hasPermission(granted, permission)) throw missingPermissions();
  }
};

const memberOfBot = (platform: Platform, guild: Guild, bot: Application): Member => {
  const member = guild.members.get(bot.id);
  if (member) return member;
  if (!guild.botAccess.isMember) throw missingAccess();
  return joinBot(platform, guild, bot);
};

/** As if the owner had added the bot: it becomes a member with a managed role of its own. */
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
