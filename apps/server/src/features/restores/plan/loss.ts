import { dangerousNames, namePermissions } from '../../../platform/permissions.ts';
import type { SubjectType } from './action.ts';
import { nameSubject } from './subject-label.ts';

/** Reasons that need no data beyond the name of what is lost. */
const plainReasons = {
  categoryFull: 'its category is missing from the backup or full, so it stands outside',
  lastChannelKept: 'it stays, because the backup has no channel and a server needs one',
  channelNotAccessible: 'it was there before and should go, but the bot has no access to it',
  channelNotEditable: 'it differs from the backup, but the bot has no access to it',
  overwritesNotEditable: 'the bot may not say in it who may do what, so that stays as it is',
  channelNeededByCommunity:
    'it stays, because a community needs it and the backup has no text channel',
  roleOfChannelsMissing: 'channels have rules for it, but this server does not have it',
  roleOfMembersMissing: 'members had it, but this server does not have it',
  roleMovedDown: 'it stood above roles that the bot cannot move, and now stands below them',
  roleAboveBot: 'it stands as high as the bot or higher, and so stays as it is',
  roleTooHighToDelete: 'it is not in the backup, but too high for the bot to delete',
  roleNeededByBot: 'it is not in the backup, but the bot itself needs it',
  noGradientColors: 'this server does not have gradient colours',
  noRoleIcons: 'this server does not have role icons',
  roleIconNotStored: 'its icon could not be read for the backup',
  imageNotStored: 'its picture could not be read for the backup',
  stickerFormatNotAllowed: 'only verified and partnered servers may add stickers of this format',
  ownerNotBannable: 'the owner of this server cannot be banned',
  botNotBannable: 'the bot does not ban itself',
  memberAboveBot: 'they stand above the bot here',
  timeOutNotChangeable:
    'their time-out stays as it is: the bot needs the permission Moderate Members to change it',
  memberRolesAboveBot: 'some of their roles stand above the bot here',
  settingChannelMissing: 'its channel is not in this server',
  communityNotStartable:
    'only a bot that is an administrator can make the server a community, and it needs a text channel',
  communityNotEndable: 'only a bot that is an administrator can end it',
  pictureNotStored: 'the platform did not give the picture when it was backed up',
  pictureFeatureMissing: 'this server does not have the feature for it',
  membersNotReadable:
    "the bot may not list the members: switch on its Server Members Intent, on its application's page of the platform",
  partNotReadable: 'the bot may not read them here, so they stay as they are',
  soundNotStored: 'the sound itself could not be read for the backup',
  automodChannelMissing: 'the channel of its alerts is not in this server',
  eventChannelMissing: 'its channel is not in this server',
  webhookChannelMissing: 'its channel is not in this server',
  needsCommunity: 'only a community has it, and this server is none',
  bansNotReadable:
    'the bot may not see the bans of this server, or read them too often lately: give it the permission Ban Members, or restore them again later',
} as const;

export type LossReason =
  | { code: keyof typeof plainReasons }
  | { code: 'guildFull'; of: 'channels' | 'roles' }
  /** The guild's boosts decide how many it may have. */
  | { code: 'noSlot'; of: 'emojis' | 'stickers' }
  /** Permissions that the bot lacks and so cannot give to a role, or set in a channel. */
  | { code: 'permissionsNotGivable' | 'overwritesNotSettable'; permissions: bigint }
  | { code: 'wouldOpenPrivateChannels'; permissions: bigint }
  /** No key gives power to others than those who had it: by its permissions, or by roles that have power. */
  | { code: 'powerWithheld' | 'powerfulRolesWithheld'; permissions: bigint; roles: string[] }
  | { code: 'kindChanged'; from: string; to: string }
  | { code: 'noRoom'; limit: number }
  | { code: 'defaultChannelHidden'; channel: string }
  | { code: 'welcomeChannelMissing'; text: string }
  | { code: 'partPermissionMissing'; permissions: bigint }
  | { code: 'bitrateReduced'; bitrate: number };

/** Something of the backup that will not come back, and why. A restore with a loss ends `partial`. */
export type Loss = { type: SubjectType; name: string } & LossReason;

type Subject = Pick<Loss, 'type' | 'name'>;
type StoredReason<Reason extends LossReason> = Reason extends { permissions: bigint }
  ? Omit<Reason, 'permissions'> & { permissions: string }
  : Reason;

/** A loss as the database keeps it; earlier versions kept the reason in words. */
export type StoredLoss = Subject & (StoredReason<LossReason> | { reason: string });

/** JSON has no numbers as large as a set of permissions. */
export const toStoredLoss = (loss: Loss): StoredLoss =>
  'permissions' in loss ? { ...loss, permissions: loss.permissions.toString() } : loss;

export const describeLoss = (loss: StoredLoss): string => {
  const reason = 'reason' in loss ? loss.reason : describeReason(loss);
  return `${nameSubject(loss.type, loss.name)}: ${reason}`;
};

export const nameDangerous = ({ permissions }: { permissions: string }): string =>
  dangerousNames(BigInt(permissions)).join(', ');

export const onlyByPeople =
  ' by it, who did not have that: it is given only by a person, in the dashboard with a second factor';

const describeReason = (loss: StoredReason<LossReason>): string => {
  switch (loss.code) {
    case 'defaultChannelHidden':
      return `its default channel ${loss.channel} would not be visible to everyone, as the platform demands`;
    case 'welcomeChannelMissing':
      return `the channel of its line “${loss.text}” is not in this server`;
    case 'noRoom':
      return `there is only room for ${loss.limit} of them`;
    case 'partPermissionMissing':
      return `the bot lacks the permission to restore them (${namePermissions(BigInt(loss.permissions))})`;
    case 'guildFull':
      return `the server is full of ${loss.of} that cannot go`;
    case 'noSlot':
      return `this server has no room for more ${loss.of}: more needs boosts`;
    case 'permissionsNotGivable':
      return `the bot cannot give what it does not have: ${namePermissions(BigInt(loss.permissions))}`;
    case 'overwritesNotSettable':
      return `the bot cannot set what it may not do itself: ${namePermissions(BigInt(loss.permissions))}`;
    case 'wouldOpenPrivateChannels':
      return `it would open the private channels: ${namePermissions(BigInt(loss.permissions))}`;
    case 'powerWithheld':
      return `${loss.roles.join(', ')} would get ${nameDangerous(loss)}${onlyByPeople}`;
    case 'powerfulRolesWithheld':
      return `people would get ${loss.roles.join(', ')} (${nameDangerous(loss)})${onlyByPeople}`;
    case 'kindChanged':
      return `it comes back as a ${loss.to} channel: only a community has ${loss.from} channels`;
    case 'bitrateReduced':
      return `its bitrate is ${loss.bitrate}: more needs boosts`;
    default:
      return plainReasons[loss.code];
  }
};
