import {
  type BackupContents,
  contentFilters,
  type contentsChannelTypes,
  notificationLevels,
  verificationLevels,
} from '@holdfast/contract';
import type { Channel, ChannelKind, Overwrite, Role } from '../../../platform/guild.ts';
import { permissionNames } from '../../../platform/permission-names.ts';
import { compareRank, isVisibleToEveryone, permission } from '../../../platform/permissions.ts';
import type { SectionEntry, Snapshot } from '../snapshot/snapshot.ts';
import { treeOf } from './channel-tree.ts';
import { type DataUrls, findStoredObjects } from './inline-objects.ts';

type Settings = NonNullable<BackupContents['settings']>;
type ContentsRole = BackupContents['roles'][number];
type ContentsCategory = BackupContents['channels'][number];
type ContentsChannel = Omit<ContentsCategory, 'children'>;

/** A guild can have more than a hundred thousand; an answer must stay one that can be read. */
const mostOverwrites = 10_000;

/** The structure of a guild as it is shown: without people, and in the platform's order. */
export const describeContents = (snapshot: Snapshot, pictures: DataUrls): BackupContents => {
  const { guildId, settings: [settings] = [], roles = [], channels = [] } = snapshot;
  const everyone = roles.find(({ id }) => id === guildId);
  // A backup without roles does not say what everyone may see: then a channel's own denial decides.
  const permissionsOfEveryone = everyone ? BigInt(everyone.permissions) : permission.viewChannel;
  let listed = 0;
  const describe = (channel: Channel): ContentsChannel => {
    const ofRoles = channel.overwrites.filter(({ kind }) => kind === 'role');
    const shown = ofRoles.slice(0, Math.max(0, mostOverwrites - listed));
    listed += shown.length;
    return {
      ...describeChannel(channel),
      isPrivate: !isVisibleToEveryone(permissionsOfEveryone, channel.overwrites, guildId),
      overwrites: shown.map(describeOverwrite),
      overwriteCounts: {
        roles: ofRoles.length,
        members: channel.overwrites.length - ofRoles.length,
      },
    };
  };
  return {
    settings: settings ? describeSettings(settings, pictures) : null,
    roles: roles
      .toSorted((one, other) => compareRank(other, one))
      .map((role) => describeRole(role, pictures)),
    channels: treeOf(channels).map(({ thing, children }) => ({
      ...describe(thing),
      children: children.map(describe),
    })),
  };
};

const describeChannel = (channel: Channel) => ({
  platformId: channel.id,
  type: channelTypes[channel.kind],
  name: channel.name,
  topic: channel.topic,
  isAgeRestricted: channel.isAgeRestricted,
  slowModeSeconds: channel.slowModeSeconds,
  bitrate: channel.bitrate,
  userLimit: channel.userLimit,
  tags: channel.tags.map(({ name }) => name),
});

const channelTypes: Record<ChannelKind, (typeof contentsChannelTypes)[number]> = {
  text: 'TEXT',
  announcement: 'ANNOUNCEMENT',
  voice: 'VOICE',
  stage: 'STAGE',
  forum: 'FORUM',
  media: 'MEDIA',
  category: 'CATEGORY',
};

const describeOverwrite = ({ id, allow, deny }: Overwrite) => ({
  platformId: id,
  allow: permissionNames(allow),
  deny: permissionNames(deny),
});

const describeRole = (role: Role, pictures: DataUrls): ContentsRole => ({
  platformId: role.id,
  name: role.name,
  color: role.colors.primary,
  secondaryColor: role.colors.secondary,
  tertiaryColor: role.colors.tertiary,
  // The only object that a role refers to.
  icon: pictures.get(findStoredObjects(role)[0]?.hash ?? '') ?? null,
  unicodeEmoji: role.unicodeEmoji,
  position: role.position,
  isHoisted: role.isHoisted,
  isMentionable: role.isMentionable,
  isManaged: role.isManaged,
  permissions: permissionNames(role.permissions),
});

const describeSettings = (settings: SectionEntry<'settings'>, pictures: DataUrls): Settings => {
  const { icon, splash, discoverySplash, banner } = settings.pictures;
  const show = (picture: { hash: string } | null) => pictures.get(picture?.hash ?? '') ?? null;
  return {
    name: settings.name,
    description: settings.description,
    icon: show(icon),
    splash: show(splash),
    discoverySplash: show(discoverySplash),
    banner: show(banner),
    verificationLevel: verificationLevels[settings.verificationLevel] ?? 'UNKNOWN',
    defaultMessageNotifications:
      notificationLevels[settings.defaultMessageNotifications] ?? 'UNKNOWN',
    explicitContentFilter: contentFilters[settings.explicitContentFilter] ?? 'UNKNOWN',
    preferredLocale: settings.preferredLocale,
    afkChannelId: settings.afkChannelId,
    afkTimeoutSeconds: settings.afkTimeoutSeconds,
    systemChannelId: settings.systemChannelId,
    rulesChannelId: settings.rulesChannelId,
    publicUpdatesChannelId: settings.publicUpdatesChannelId,
    safetyAlertsChannelId: settings.safetyAlertsChannelId,
    features: settings.features,
  };
};
