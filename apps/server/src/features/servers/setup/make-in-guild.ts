import { PlatformFailure } from '../../../platform/failures.ts';
import type { Channel, Role } from '../../../platform/guild.ts';
import {
  type BotPermissions,
  botPermissionsIn,
  includes,
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

/** A request waits for the answer. */
const timeoutMs = 4000;
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
const makeVerifiedRole: Make = (bot, guildId, options) => {
  const guild = bot.guild(guildId, options);
  return makeOnce({
    async list() {
      const current = await guild.read();
      const member = await readBotMember(bot, guildId, options);
      const permissions = botPermissionsIn(member, { guildId, ...current });
      requirePermission(permissions, permission.manageRoles);
      const isSame = (role: Role) =>
        role.name === verifiedRoleName &&
        BigInt(role.permissions) === 0n &&
        !role.isManaged &&
        permissions.reaches(role);
      return current.roles.filter(isSame);
    },
    make: () => guild.createRole(verifiedRole),
    remove: (id) => guild.deleteRole(id),
  });
};

/** Seen by nobody but the bot, and administrators, who see everything. */
const makeLogChannel: Make = (bot, guildId, options) => {
  const guild = bot.guild(guildId, options);
  const canWrite = permission.viewChannel | permission.sendMessages | permission.embedLinks;
  const deny = permission.viewChannel.toString();
  return makeOnce({
    async list() {
      const [{ roles }, channels] = await Promise.all([guild.read(), guild.readChannels()]);
      const everyone = BigInt(roles.find(({ id }) => id === guildId)?.permissions ?? 0);
      const isSame = ({ name, kind, overwrites }: Channel) =>
        name === logChannelName &&
        kind === 'text' &&
        !isVisibleToEveryone(everyone, overwrites, guildId);
      return channels.filter(isSame);
    },
    async make() {
      const [current, member] = await Promise.all([
        guild.read(),
        readBotMember(bot, guildId, options),
      ]);
      const { userId } = member;
      const permissions = botPermissionsIn(member, { guildId, ...current });
      requirePermission(permissions, permission.manageChannels);
      return guild.createChannel({
        ...logChannel,
        overwrites: [
          { id: guildId, kind: 'role', allow: '0', deny },
          { id: userId, kind: 'member', allow: canWrite.toString(), deny: '0' },
        ],
      });
    },
    remove: (id) => guild.deleteChannel(id),
  });
};

/** What the bot may not do is not tried: each refusal counts. */
const requirePermission = ({ permissions }: BotPermissions, needed: bigint): void => {
  if (!includes(permissions, needed)) throw new PlatformFailure('missingPermission');
};

type Named = { id: string; name: string };
type Making = {
  list(): Promise<Named[]>;
  make(): Promise<Named>;
  remove(id: string): Promise<void>;
};

/**
 * Who presses twice gets the same one. Of two that were made at the same moment the older one stays: its
 * maker finds it the oldest, and the other maker finds both.
 */
const makeOnce = async ({ list, make, remove }: Making): Promise<Made> => {
  const [existing] = (await list()).toSorted(byId);
  if (existing) return madeOf(existing, false);
  const made = await make();
  const [oldest = made] = (await list()).toSorted(byId);
  const isNew = oldest.id === made.id;
  if (!isNew) await remove(made.id);
  return madeOf(oldest, isNew);
};

/** Ids begin with the time. */
const byId = (one: Named, other: Named): number => (BigInt(one.id) < BigInt(other.id) ? -1 : 1);

const madeOf = ({ id, name }: Named, isNew: boolean): Made => ({ id, name, isNew });

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
