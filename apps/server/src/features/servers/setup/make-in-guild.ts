import { PlatformFailure } from '../../../platform/failures.ts';
import type { Channel, Role } from '../../../platform/guild.ts';
import {
  botPermissionsIn,
  isVisibleToEveryone,
  permission,
  readBotMember,
} from '../../../platform/permissions.ts';
import type { BotPlatform, ChannelInput, RoleInput } from '../../../platform/port.ts';
import { type BotDependencies, type BotOwner, useBot } from '../../bots/use/use-bot.ts';
import { auditReasons } from '../guild/audit-reasons.ts';
import { messageOf } from '../guild/guild-view.ts';

/** Not new where it was made so before. */
type Made = { id: string; name: string; isNew: boolean };

/** Makes something in a guild through the bot, or says why it could not. */
export type MakeInGuild = (owner: BotOwner, guildId: string) => Promise<Made | { failure: string }>;

const timeoutMs = 5000;
const mayNotMake =
  'The bot may not make this: invite it again with the permissions to manage roles and channels';
const verifiedRoleName = 'Verified';
const logChannelName = 'holdfast-log';

const verifiedRole: RoleInput = {
  name: verifiedRoleName,
  permissions: '0',
  colors: { primary: 0, secondary: null, tertiary: null },
  isHoisted: false,
  isMentionable: false,
  unicodeEmoji: null,
};

const logChannel: Omit<ChannelInput, 'overwrites'> = {
  ...{ kind: 'text', name: logChannelName, topic: 'Reports of Holdfast', parentId: null },
  ...{ position: 0, isAgeRestricted: false, slowModeSeconds: 0, flags: 0, tags: [] },
  ...{ bitrate: null, userLimit: null, rtcRegion: null, videoQualityMode: null },
  ...{ threadArchiveMinutes: null, threadSlowModeSeconds: null, defaultReaction: null },
  ...{ defaultSortOrder: null, defaultForumLayout: null },
};

type Make = (bot: BotPlatform, guildId: string, options: Options) => Promise<Made>;
type Options = { attempts: number; signal: AbortSignal; reason: string };

/** A role without permissions. The platform puts new roles at the bottom: below the bot's. */
const makeVerifiedRole: Make = async (bot, guildId, options) => {
  const guild = bot.guild(guildId, options);
  const current = await guild.read();
  const member = await readBotMember(bot, guildId, options);
  const permissions = botPermissionsIn(member, { guildId, ...current });
  // Who presses twice gets the same role.
  const isSame = (role: Role) =>
    role.name === verifiedRoleName &&
    BigInt(role.permissions) === 0n &&
    !role.isManaged &&
    permissions.reaches(role);
  const existing = current.roles.find(isSame);
  if (existing) return madeOf(existing, false);
  return madeOf(await guild.createRole(verifiedRole), true);
};

/** Seen by nobody but the bot, and administrators, who see everything. */
const makeLogChannel: Make = async (bot, guildId, options) => {
  const guild = bot.guild(guildId, options);
  const [{ roles }, channels] = await Promise.all([guild.read(), guild.readChannels()]);
  const everyone = BigInt(roles.find(({ id }) => id === guildId)?.permissions ?? 0);
  const isSame = ({ name, kind, overwrites }: Channel) =>
    name === logChannelName &&
    kind === 'text' &&
    !isVisibleToEveryone(everyone, overwrites, guildId);
  const existing = channels.find(isSame);
  if (existing) return madeOf(existing, false);
  const { userId } = await bot.readBot(options);
  const canWrite = permission.viewChannel | permission.sendMessages | permission.embedLinks;
  const deny = permission.viewChannel.toString();
  const made = await guild.createChannel({
    ...logChannel,
    overwrites: [
      { id: guildId, kind: 'role', allow: '0', deny },
      { id: userId, kind: 'member', allow: canWrite.toString(), deny: '0' },
    ],
  });
  return madeOf(made, true);
};

const madeOf = ({ id, name }: { id: string; name: string }, isNew: boolean): Made => ({
  ...{ id, name, isNew },
});

const inGuild =
  (make: Make) =>
  (dependencies: BotDependencies): MakeInGuild =>
  async (owner, guildId) => {
    const reason = auditReasons.setup();
    const options = { attempts: 1, signal: AbortSignal.timeout(timeoutMs), reason };
    try {
      return await useBot(dependencies, owner, (bot) => make(bot, guildId, options));
    } catch (error) {
      const isForbidden = error instanceof PlatformFailure && error.kind === 'missingPermission';
      return { failure: isForbidden ? mayNotMake : messageOf(error) };
    }
  };

export const createRoleMaker = inGuild(makeVerifiedRole);
export const createLogChannelMaker = inGuild(makeLogChannel);
