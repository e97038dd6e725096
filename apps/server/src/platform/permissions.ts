import { type DangerousPermission, dangerousPermissions } from '@holdfast/contract';

/** The platform's permissions that we reason about, and what they are called. */
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
  moderateMembers: 1n << 40n,
  createExpressions: 1n << 43n,
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

/** Power over other people or over the server itself, as the contract lists it. */
export const dangerous = Object.values(bitOf).reduce((all, bit) => all | bit, 0n);

/** Never to be gained by a likeness of names: the dangerous ones, and power over people in calls. */
export const neverByName =
  dangerous | permission.muteMembers | permission.deafenMembers | permission.moveMembers;

/** The contract's names of the dangerous permissions in a set, in the contract's order. */
export const nameDangerous = (bits: bigint): DangerousPermission[] =>
  dangerousPermissions.filter((name) => includes(bits, bitOf[name]));

/** Each bit of a negative one is set: whoever has it has all permissions there are. */
export const allPermissions = -1n;

export const includes = (granted: bigint, wanted: bigint): boolean => (granted & wanted) === wanted;

export const without = (granted: bigint, taken: bigint): bigint => granted & ~taken;

/** "manage channels, kick members": for sentences an owner reads. */
export const namePermissions = (bits: bigint): string => {
  const named = Object.entries(permission).filter(([, bit]) => includes(bits, bit));
  const rest = named.reduce((left, [, bit]) => without(left, bit), bits);
  const words = named.map(([name]) =>
    name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  );
  return [...words, ...(rest === 0n ? [] : ['others'])].join(', ');
};
