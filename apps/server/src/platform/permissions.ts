import { type DangerousPermission, dangerousPermissions } from '@holdfast/contract';
import type { Channel, GuildMember, Overwrite, Role } from './guild.ts';
import type { BotPlatform, CallOptions } from './port.ts';

/** The platform's permission bits that our code refers to. */
export const permission = {
  createInstantInvite: 1n << 0n,
  kickMembers: 1n << 1n,
  banMembers: 1n << 2n,
  administrator: 1n << 3n,
  manageChannels: 1n << 4n,
  manageGuild: 1n << 5n,
  viewAuditLog: 1n << 7n,
  viewChannel: 1n << 10n,
  sendMessages: 1n << 11n,
  manageMessages: 1n << 13n,
  embedLinks: 1n << 14n,
  readMessageHistory: 1n << 16n,
  mentionEveryone: 1n << 17n,
  connect: 1n << 20n,
  muteMembers: 1n << 22n,
  deafenMembers: 1n << 23n,
  moveMembers: 1n << 24n,
  manageNicknames: 1n << 27n,
  manageRoles: 1n << 28n,
  manageWebhooks: 1n << 29n,
  manageExpressions: 1n << 30n,
  manageEvents: 1n << 33n,
  manageThreads: 1n << 34n,
  createPublicThreads: 1n << 35n,
  sendMessagesInThreads: 1n << 38n,
  moderateMembers: 1n << 40n,
  createExpressions: 1n << 43n,
  createEvents: 1n << 44n,
  pinMessages: 1n << 51n,
  bypassSlowMode: 1n << 52n,
} as const;

const bitOf: Record<DangerousPermission, bigint> = {
  ADMINISTRATOR: permission.administrator,
  MANAGE_GUILD: permission.manageGuild,
  MANAGE_ROLES: permission.manageRoles,
  MANAGE_CHANNELS: permission.manageChannels,
  MANAGE_WEBHOOKS: permission.manageWebhooks,
  BAN_MEMBERS: permission.banMembers,
  KICK_MEMBERS: permission.kickMembers,
  MODERATE_MEMBERS: permission.moderateMembers,
  MANAGE_MESSAGES: permission.manageMessages,
  MANAGE_NICKNAMES: permission.manageNicknames,
  MANAGE_THREADS: permission.manageThreads,
  MANAGE_GUILD_EXPRESSIONS: permission.manageExpressions,
  MANAGE_EVENTS: permission.manageEvents,
  VIEW_AUDIT_LOG: permission.viewAuditLog,
  MENTION_EVERYONE: permission.mentionEveryone,
};

/** Control over other people or over the server itself, as the contract lists it. */
export const dangerous = Object.values(bitOf).reduce((all, bit) => all | bit, 0n);

/** Never granted because role names match: the dangerous ones, and control over people in calls. */
export const neverMatchedByName =
  dangerous | permission.muteMembers | permission.deafenMembers | permission.moveMembers;

/** The contract's names of the dangerous permissions in a set, in the contract's order. */
export const dangerousNames = (bits: bigint): DangerousPermission[] =>
  dangerousPermissions.filter((name) => includes(bits, bitOf[name]));

/** The dangerous ones of a set; an administrator has them all. */
export const powerIn = (bits: bigint): bigint =>
  includes(bits, permission.administrator) ? dangerous : bits & dangerous;

/** Everything that a role gives its holders, in the server or in any channel. */
export const grantsOf = (
  role: Pick<Role, 'id' | 'permissions'>,
  channels: readonly Pick<Channel, 'overwrites'>[],
): bigint =>
  channels
    .flatMap(({ overwrites }) => overwrites)
    .filter(({ id, kind }) => kind === 'role' && id === role.id)
    .reduce((all, { allow }) => all | BigInt(allow), BigInt(role.permissions));

/** Since February 2026 these are permissions of their own; before, they came with others. */
export const splitPermissions =
  permission.createExpressions |
  permission.createEvents |
  permission.pinMessages |
  permission.bypassSlowMode;

/** In -1 every bit is set, also those of permissions unknown to us. */
const allPermissions = -1n;

export const includes = (granted: bigint, required: bigint): boolean =>
  (granted & required) === required;

export const without = (granted: bigint, removed: bigint): bigint => granted & ~removed;

/**
 * Whether a member without roles sees a channel: the overwrite of @everyone decides over what its
 * permissions say, and an administrator sees all.
 */
export const isVisibleToEveryone = (
  everyonePermissions: bigint,
  overwrites: Overwrite[],
  everyoneId: string,
): boolean => {
  if (includes(everyonePermissions, permission.administrator)) return true;
  const own = overwrites.find(({ id, kind }) => kind === 'role' && id === everyoneId);
  const denied = without(everyonePermissions, BigInt(own?.deny ?? 0));
  return includes(denied | BigInt(own?.allow ?? 0), permission.viewChannel);
};

/** Such as "manage channels, kick members", for messages to an owner. */
export const namePermissions = (bits: bigint): string => {
  const named = Object.entries(permission).filter(([, bit]) => includes(bits, bit));
  const rest = named.reduce((left, [, bit]) => without(left, bit), bits);
  const labels = named.map(([name]) =>
    name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  );
  return [...labels, ...(rest === 0n ? [] : ['others'])].join(', ');
};

/** The bot as a member of a guild. */
export type BotMember = Pick<GuildMember, 'userId' | 'roleIds' | 'timedOutUntil'>;

export type BotPermissions = {
  userId: string;
  isAdministrator: boolean;
  permissions: bigint;
  /** Whether its highest role is above this one, so that it may edit, place, give and delete it. */
  reaches(role: Pick<Role, 'id' | 'position'>): boolean;
  holds(roleId: string): boolean;
};

type RankedRole = Pick<Role, 'id' | 'permissions' | 'position'>;
type RankedGuild<GuildRole extends RankedRole> = {
  guildId: string;
  ownerId: string;
  roles: readonly GuildRole[];
};

export const readBotMember = async (
  bot: BotPlatform,
  guildId: string,
  options: CallOptions,
): Promise<BotMember> => {
  const { userId } = await bot.readBot(options);
  const { roleIds, timedOutUntil } = await bot.guild(guildId, options).readMember(userId);
  return { userId, roleIds, timedOutUntil };
};

export const botPermissionsIn = <GuildRole extends RankedRole>(
  bot: BotMember,
  guild: RankedGuild<GuildRole>,
  permissionsOf: (role: GuildRole) => bigint = (role) => BigInt(role.permissions),
): BotPermissions => {
  const isOwner = guild.ownerId === bot.userId;
  const own = guild.roles.filter(({ id }) => bot.roleIds.includes(id));
  const everyone = guild.roles.filter(({ id }) => id === guild.guildId);
  const granted = [...own, ...everyone].map(permissionsOf).reduce((all, bits) => all | bits, 0n);
  const isAdministrator = isOwner || includes(granted, permission.administrator);
  const highest = [...own, ...everyone].sort(compareRank).at(-1);
  return {
    userId: bot.userId,
    isAdministrator,
    permissions: isAdministrator ? allPermissions : granted,
    reaches: (role) => isOwner || (highest !== undefined && compareRank(highest, role) > 0),
    holds: (roleId) => bot.roleIds.includes(roleId),
  };
};

type Ranked = Pick<Role, 'id' | 'position'>;

/** Lowest first. Of two roles on one position the older one is higher. */
export const compareRank = (one: Ranked, other: Ranked): number => {
  if (one.position !== other.position) return one.position - other.position;
  return BigInt(one.id) < BigInt(other.id) ? 1 : BigInt(one.id) > BigInt(other.id) ? -1 : 0;
};

/** The permissions that the bot may allow or deny in a channel. */
export const settableBy = ({ isAdministrator, permissions }: BotPermissions): bigint =>
  isAdministrator ? permissions : without(permissions, permission.manageRoles);

export const sameOverwrites = (some: Overwrite[], others: Overwrite[]): boolean =>
  spellOverwrites(some) === spellOverwrites(others);

/** In any order; what neither allows nor denies counts as absent. */
export const spellOverwrites = (all: Overwrite[]): string =>
  all
    .map(({ id, kind, allow, deny }) => `${kind}:${id}:${BigInt(allow)}:${BigInt(deny)}`)
    .filter((one) => !one.endsWith(':0:0'))
    .sort()
    .join();
