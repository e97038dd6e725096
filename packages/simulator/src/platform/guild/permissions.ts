import type { Thread } from './conversation.ts';
import type { Channel, Guild, Member, Role } from './guild.ts';

export const Permission = {
  CreateInvite: 1n << 0n,
  KickMembers: 1n << 1n,
  BanMembers: 1n << 2n,
  Administrator: 1n << 3n,
  ManageChannels: 1n << 4n,
  ManageGuild: 1n << 5n,
  AddReactions: 1n << 6n,
  ViewAuditLog: 1n << 7n,
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  ManageMessages: 1n << 13n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  MentionEveryone: 1n << 17n,
  Connect: 1n << 20n,
  Speak: 1n << 21n,
  MuteMembers: 1n << 22n,
  ManageNicknames: 1n << 27n,
  ManageRoles: 1n << 28n,
  ManageWebhooks: 1n << 29n,
  ManageExpressions: 1n << 30n,
  ManageEvents: 1n << 33n,
  ManageThreads: 1n << 34n,
  CreatePublicThreads: 1n << 35n,
  CreatePrivateThreads: 1n << 36n,
  SendMessagesInThreads: 1n << 38n,
  ModerateMembers: 1n << 40n,
  CreateExpressions: 1n << 43n,
  CreateEvents: 1n << 44n,
  PinMessages: 1n << 51n,
} as const;

/** Every bit that the platform defines (0–52 today). */
export const ALL_PERMISSIONS = (1n << 53n) - 1n;

export const hasPermission = (granted: bigint, required: bigint): boolean =>
  (granted & required) === required;

export const computeGuildPermissions = (guild: Guild, member: Member): bigint => {
  if (guild.settings.owner_id === member.user_id) return ALL_PERMISSIONS;
  const granted = grantedByRoles(guild, member.roles);
  if (hasPermission(granted, Permission.Administrator)) return ALL_PERMISSIONS;
  return granted & leftTo(member);
};

/** What these roles give, with what everyone has. */
export const grantedByRoles = (guild: Guild, roleIds: readonly string[]): bigint =>
  [guild.id, ...roleIds].reduce((all, id) => all | permissionsOfRole(guild.roles.get(id)), 0n);

/** Somebody who is timed out keeps only these, in whatever channel. */
const WHILE_TIMED_OUT = Permission.ViewChannel | Permission.ReadMessageHistory;

const leftTo = ({ communication_disabled_until: until }: Member): bigint =>
  until !== null && Date.parse(until) > Date.now() ? WHILE_TIMED_OUT : ALL_PERMISSIONS;

/** The overwrite of @everyone first, then those of all roles together, then the member's own. */
export const computeChannelPermissions = (
  guild: Guild,
  member: Member,
  channel: Channel,
): bigint => {
  let granted = computeGuildPermissions(guild, member);
  if (hasPermission(granted, Permission.Administrator)) return ALL_PERMISSIONS;
  let roleAllow = 0n;
  let roleDeny = 0n;
  let memberAllow = 0n;
  let memberDeny = 0n;
  for (const overwrite of channel.permission_overwrites) {
    if (overwrite.id === guild.id) {
      granted = (granted & ~BigInt(overwrite.deny)) | BigInt(overwrite.allow);
    } else if (overwrite.type === 0 && member.roles.includes(overwrite.id)) {
      roleAllow |= BigInt(overwrite.allow);
      roleDeny |= BigInt(overwrite.deny);
    } else if (overwrite.type === 1 && overwrite.id === member.user_id) {
      memberAllow = BigInt(overwrite.allow);
      memberDeny = BigInt(overwrite.deny);
    }
  }
  granted = (granted & ~roleDeny) | roleAllow;
  granted = ((granted & ~memberDeny) | memberAllow) & leftTo(member);
  return isVoiceLike(channel) ? withoutImplied(granted) : granted;
};

/** Whether members without any role can do this in the channel. */
export const canEveryone = (guild: Guild, channel: Channel, required: bigint): boolean => {
  const overwrite = channel.permission_overwrites.find(({ id }) => id === guild.id);
  const granted = permissionsOfRole(guild.roles.get(guild.id));
  const allowed = (granted & ~BigInt(overwrite?.deny ?? 0)) | BigInt(overwrite?.allow ?? 0);
  return hasPermission(granted, Permission.Administrator) || hasPermission(allowed, required);
};

/** A private thread is open to its members and to moderators. */
export const canSeeThread = (thread: Thread, member: Member, permissions: bigint): boolean => {
  if (!hasPermission(permissions, Permission.ViewChannel)) return false;
  const isPrivate = thread.type === 12;
  const isMember = thread.members.some(({ user_id }) => user_id === member.user_id);
  return !isPrivate || isMember || hasPermission(permissions, Permission.ManageThreads);
};

const isVoiceLike = ({ type }: Channel) => type === 2 || type === 13;

/** Who may not connect to a voice channel may not manage it either, whatever is granted. */
const withoutImplied = (granted: bigint): bigint =>
  hasPermission(granted, Permission.Connect) ? granted : granted & ~Permission.ManageChannels;

export const highestRoleOf = (guild: Guild, member: Member): Role | undefined => {
  let highest = guild.roles.get(guild.id);
  for (const roleId of member.roles) {
    const role = guild.roles.get(roleId);
    if (role && (!highest || isAbove(role, highest))) highest = role;
  }
  return highest;
};

/** Of two roles at one position the older one (lower id) is higher. */
export const isAbove = (role: Role, other: Role): boolean =>
  role.position === other.position
    ? BigInt(role.id) < BigInt(other.id)
    : role.position > other.position;

/** Whether the member may edit, assign, move or delete the role. The owner outranks every role. */
export const outranksRole = (guild: Guild, member: Member, role: Role): boolean => {
  if (guild.settings.owner_id === member.user_id) return true;
  const highest = highestRoleOf(guild, member);
  return highest !== undefined && isAbove(highest, role);
};

export const outranksMember = (guild: Guild, member: Member, other: Member): boolean => {
  if (guild.settings.owner_id === other.user_id) return false;
  const role = highestRoleOf(guild, other);
  return role === undefined || outranksRole(guild, member, role);
};

const permissionsOfRole = (role: Role | undefined): bigint =>
  role ? BigInt(role.permissions) : 0n;
