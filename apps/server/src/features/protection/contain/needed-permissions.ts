import { includes, permission, without } from '../../../platform/permissions.ts';

/** What the bot needs in a guild to protect it, and what it cannot do without. */
export const neededPermissions = [
  {
    bit: permission.viewAuditLog,
    detail:
      'Without VIEW_AUDIT_LOG the bot does not learn who did what. Give its role this permission.',
    isForRaids: false,
  },
  {
    bit: permission.manageRoles,
    detail:
      'Without MANAGE_ROLES the bot cannot take roles from an attacker. Give its role this permission.',
    isForRaids: false,
  },
  {
    bit: permission.kickMembers,
    detail:
      'Without KICK_MEMBERS the bot can neither remove another bot that attacks nor kick the newcomers of a raid for you. Give its role this permission.',
    isForRaids: true,
  },
  {
    bit: permission.manageGuild,
    detail: 'Without MANAGE_GUILD the bot cannot pause invites. Give its role this permission.',
    isForRaids: true,
  },
  {
    bit: permission.banMembers,
    detail:
      'Without BAN_MEMBERS the bot can neither ban the newcomers of a raid for you nor take back bans of an attacker. Give its role this permission.',
    isForRaids: true,
  },
];

const allNeeded = neededPermissions.reduce((all, { bit }) => all | bit, 0n);

const neededIn = (bits: bigint): bigint =>
  includes(bits, permission.administrator) ? allNeeded : bits & allNeeded;

/** Whether a role of the bot gave something that it needs, and does not any more. */
export const losesNeeded = (before: bigint, after: bigint): boolean =>
  without(neededIn(before), neededIn(after)) !== 0n;
