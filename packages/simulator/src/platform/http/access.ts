import type { Thread } from '../guild/conversation.ts';
import type { Channel, Guild, Member } from '../guild/guild.ts';
import {
  canSeeThread,
  computeChannelPermissions,
  computeGuildPermissions,
  hasPermission,
  Permission,
} from '../guild/permissions.ts';
import { joinBot, mayJoin } from '../member/join-bot.ts';
import type { Application, Platform, PlatformContext } from '../platform.ts';
import { isSnowflake } from '../snowflakes.ts';
import {
  invalidField,
  mfaRequired,
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

/** Where messages are: a channel, or a thread, whose permissions are those of its channel. */
export type MessagesAccess = ChannelAccess & { thread: Thread | undefined; placeId: string };

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
  const self = memberOfBot(platform, c, guild, bot);
  const permissions = computeGuildPermissions(guild, self);
  requirePermissions(permissions, ...required);
  requireOwnerMfa(guild, bot, required);
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
  const self = memberOfBot(platform, c, guild, bot);
  const permissions = computeChannelPermissions(guild, self, channel);
  if (!hasPermission(permissions, Permission.ViewChannel)) throw missingAccess();
  requirePermissions(permissions, ...required);
  requireOwnerMfa(guild, bot, required);
  return { guild, bot, self, permissions, channel };
};

/** The channel or thread of the path, as a place for messages. */
export const accessMessages = (
  platform: Platform,
  c: PlatformContext,
  ...required: bigint[]
): MessagesAccess => {
  const placeId = requireSnowflake(c, 'channel');
  const thread = platform.world.guildOf(placeId)?.threads.get(placeId);
  if (!thread) {
    return { ...accessChannel(platform, c, ...required), thread: undefined, placeId };
  }
  return { ...accessThread(platform, c, ...required), placeId };
};

/** The thread of the path. A private one is open to its members and to moderators. */
export const accessThread = (
  platform: Platform,
  c: PlatformContext,
  ...required: bigint[]
): ChannelAccess & { thread: Thread } => {
  const bot = requireBot(c);
  const threadId = requireSnowflake(c, 'channel');
  const guild = platform.world.guildOf(threadId);
  const thread = guild?.threads.get(threadId);
  const channel = guild?.channels.get(thread?.parent_id ?? '');
  if (!guild || !thread || !channel) throw unknownChannel();
  const self = memberOfBot(platform, c, guild, bot);
  const permissions = computeChannelPermissions(guild, self, channel);
  if (!canSeeThread(thread, self, permissions)) throw missingAccess();
  requirePermissions(permissions, ...required);
  return { guild, bot, self, permissions, channel, thread };
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

const MODERATING =
  Permission.KickMembers |
  Permission.BanMembers |
  Permission.ManageChannels |
  Permission.ManageGuild |
  Permission.ManageMessages |
  Permission.ManageRoles |
  Permission.ManageWebhooks |
  Permission.ManageExpressions;

/** A guild can demand two-factor authentication of those who moderate: of a bot's owner, for a bot. */
const requireOwnerMfa = ({ settings }: Guild, bot: Application, used: bigint[]) => {
  if (settings.mfa_level !== 1 || bot.isOwnerMfaEnabled) return;
  if (used.some((permission) => (permission & MODERATING) !== 0n)) throw mfaRequired();
};

const memberOfBot = (
  platform: Platform,
  c: PlatformContext,
  guild: Guild,
  bot: Application,
): Member => {
  const member = guild.members.get(bot.id);
  if (member) return member;
  if (!mayJoin(guild, bot.id)) throw missingAccess();
  return joinBot(platform, c, guild, bot);
};
