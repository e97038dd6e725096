import { permissionNames } from '../../../platform/permission-names.ts';
import { permission } from '../../../platform/permissions.ts';

type Needed = { bit: bigint; reason: string };

/** What the bot does in a guild, and the permission that each needs. */
const limited: Needed[] = [
  { bit: permission.viewChannel, reason: 'Sees the channels that it saves and restores.' },
  {
    bit: permission.manageRoles,
    reason: 'Gives the verified role, restores roles, and takes roles from an attacker.',
  },
  { bit: permission.manageChannels, reason: 'Restores channels and who may see them.' },
  {
    bit: permission.manageGuild,
    reason: 'Restores the settings of the server, and pauses invites during a raid.',
  },
  { bit: permission.viewAuditLog, reason: 'Learns who deleted or changed something.' },
  { bit: permission.kickMembers, reason: 'Removes a bot that attacks, and raiders if you say so.' },
  {
    bit: permission.banMembers,
    reason: 'Saves and restores bans, and takes back those of an attacker.',
  },
  { bit: permission.moderateMembers, reason: 'Restores the time-outs of members.' },
  { bit: permission.manageNicknames, reason: 'Gives members back their nicknames.' },
  { bit: permission.createInstantInvite, reason: 'Brings members back who agreed to it.' },
  { bit: permission.sendMessages, reason: 'Posts panels and reports verifications.' },
  { bit: permission.embedLinks, reason: 'Shows panels with their colour and button.' },
  { bit: permission.readMessageHistory, reason: 'Saves messages, if a backup includes them.' },
  {
    bit: permission.manageWebhooks,
    reason: 'Saves webhooks, and posts restored messages under the names of their authors.',
  },
  { bit: permission.pinMessages, reason: 'Pins restored messages again.' },
  { bit: permission.createPublicThreads, reason: 'Opens restored threads.' },
  { bit: permission.sendMessagesInThreads, reason: 'Fills restored threads.' },
  { bit: permission.manageThreads, reason: 'Saves threads, and closes restored ones.' },
  {
    bit: permission.manageExpressions,
    reason: 'Edits and deletes emojis, stickers and sounds during a restore.',
  },
  { bit: permission.createExpressions, reason: 'Restores emojis, stickers and sounds.' },
  { bit: permission.manageEvents, reason: 'Edits and deletes scheduled events during a restore.' },
  { bit: permission.createEvents, reason: 'Restores scheduled events.' },
  { bit: permission.connect, reason: 'Restores voice channels: who cannot enter cannot edit.' },
];

/** A bot gives others only what it has itself, and a restore gives whatever the backup has. */
const full: Needed[] = [
  {
    bit: permission.administrator,
    reason:
      'A complete restore needs it: a bot can give roles only permissions that it has itself, and it sees private channels only as an administrator.',
  },
];

const bitsOf = (needed: Needed[]): bigint => needed.reduce((all, { bit }) => all | bit, 0n);

/** The two ways to invite a bot; what is asked for is written nowhere else. */
const inviteChoices = [
  { kind: 'FULL', needed: full, loses: [] },
  {
    kind: 'LIMITED',
    needed: limited,
    loses: [
      'Roles come back without the permissions that the bot lacks; administrators do not come back as administrators.',
      'Private channels are saved without their messages, unless you let the bot into each of them.',
      'A restore into a server where something is closed to the bot stays incomplete.',
    ],
  },
] as const;

export const fullPermissions = bitsOf(full);

export const describeInvites = (urlWith: (permissions: bigint) => string) =>
  inviteChoices.map(({ kind, needed, loses }) => ({
    kind,
    url: urlWith(bitsOf(needed)),
    permissions: needed.map(({ bit, reason }) => ({
      permission: permissionNames(bit).join(),
      reason,
    })),
    loses: [...loses],
  }));
