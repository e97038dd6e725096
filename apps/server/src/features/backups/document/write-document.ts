import { type CommunityDocument, documentFeatures } from '@holdfast/contract';
import type { Channel, ChannelKind, Overwrite } from '../../../platform/guild.ts';
import { permissionNames } from '../../../platform/permission-names.ts';
import { settableFlags } from '../../../platform/translate/channel-body.ts';
import { treeOf } from '../contents/channel-tree.ts';
import type { SectionEntry, Snapshot } from '../snapshot/snapshot.ts';
import {
  contentFilter,
  forumLayout,
  notificationLevel,
  sortOrder,
  verificationLevel,
} from './enumerations.ts';
import { nameOfImage } from './images.ts';
import { type References, referencesIn, rolesInOrder } from './references.ts';
import { usualBitrate, withoutUsual } from './usual-values.ts';
import { writeParts } from './write-parts.ts';

type Settings = CommunityDocument['settings'];
type DocumentRole = CommunityDocument['roles'][number];
type DocumentEntry = CommunityDocument['channels'][number];
type DocumentChannel = Exclude<DocumentEntry, { type: 'CATEGORY' }>;

/** The sections that every document has. */
const coreSections = ['settings', 'roles', 'channels'] as const;

export type Core = Snapshot & Required<Pick<Snapshot, (typeof coreSections)[number]>>;

export const hasCore = (snapshot: Snapshot): snapshot is Core =>
  coreSections.every((name) => snapshot[name] !== undefined);

/** The structure of a snapshot by names; overwrites for people only where they are asked for. */
export const writeDocument = (snapshot: Core, withPeople: boolean): CommunityDocument => {
  const roles = rolesInOrder(snapshot.roles, snapshot.guildId);
  const tree = treeOf(snapshot.channels);
  const refer = referencesIn(snapshot);
  const access = { refer, withPeople, rank: roles.map(({ id }) => id).reverse() };
  const [settings] = snapshot.settings;
  return {
    version: 1,
    settings: writeSettings(settings, refer),
    roles: roles.map(writeRole),
    channels: tree.map(({ thing, children }): DocumentEntry => {
      if (thing.kind !== 'category') return writeChannel(thing, thing.kind, access);
      const below = children.flatMap((child) =>
        child.kind === 'category' ? [] : [writeChannel(child, child.kind, access)],
      );
      const { name } = thing;
      const own = { type: 'CATEGORY' as const, name, ...writeAccess(thing.overwrites, access) };
      return below.length === 0 ? own : { ...own, channels: below };
    }),
    ...writeParts(snapshot, refer),
  };
};

const writeSettings = (
  settings: SectionEntry<'settings'> | undefined,
  { channel }: References,
): Settings => {
  if (!settings) throw new Error('A snapshot with settings has one entry of them');
  const refer = (id: string | null) => (id === null ? undefined : channel(id));
  const { icon, splash, discoverySplash, banner } = settings.pictures;
  return withoutUsual({
    name: settings.name,
    description: settings.description || undefined,
    icon: icon && nameOfImage(icon),
    splash: splash && nameOfImage(splash),
    discoverySplash: discoverySplash && nameOfImage(discoverySplash),
    banner: banner && nameOfImage(banner),
    verificationLevel: verificationLevel.nameOf(settings.verificationLevel),
    defaultMessageNotifications: notificationLevel.nameOf(settings.defaultMessageNotifications),
    explicitContentFilter: contentFilter.nameOf(settings.explicitContentFilter),
    preferredLocale: settings.preferredLocale,
    afkChannel: refer(settings.afkChannelId),
    afkTimeoutSeconds: settings.afkTimeoutSeconds,
    systemChannel: refer(settings.systemChannelId),
    systemChannelFlags: settings.systemChannelFlags || undefined,
    rulesChannel: refer(settings.rulesChannelId),
    publicUpdatesChannel: refer(settings.publicUpdatesChannelId),
    safetyAlertsChannel: refer(settings.safetyAlertsChannelId),
    progressBar: settings.isProgressBarEnabled,
    features: documentFeatures.filter((name) => settings.features.includes(name)),
  });
};

const writeRole = (role: SectionEntry<'roles'>): DocumentRole =>
  withoutUsual({
    name: role.name,
    managed: role.isManaged,
    color: role.colors.primary === 0 ? undefined : hex(role.colors.primary),
    secondaryColor: role.colors.secondary === null ? undefined : hex(role.colors.secondary),
    tertiaryColor: role.colors.tertiary === null ? undefined : hex(role.colors.tertiary),
    icon: role.icon && nameOfImage(role.icon),
    unicodeEmoji: role.unicodeEmoji,
    hoisted: role.isHoisted,
    mentionable: role.isMentionable,
    permissions: permissionNames(role.permissions),
  });

const hex = (color: number): string => `#${color.toString(16).padStart(6, '0')}`;

type Access = { refer: References; withPeople: boolean; rank: readonly string[] };

/** Everyone's first, then by rank; those for people by their ids. What says nothing is left out. */
const writeAccess = (all: readonly Overwrite[], { refer, withPeople, rank }: Access) => {
  const overwrites = all.filter(({ allow, deny }) => allow !== '0' || deny !== '0');
  const ofRoles = overwrites
    .filter(({ kind }) => kind === 'role')
    .toSorted((one, other) => rank.indexOf(one.id) - rank.indexOf(other.id))
    .map(({ id, ...bits }) => ({ role: refer.role(id), ...writeBits(bits) }));
  const ofMembers = overwrites
    .filter(({ kind }) => kind === 'member')
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ id, ...bits }) => ({ member: id, ...writeBits(bits) }));
  return {
    ...(ofRoles.length > 0 && { overwrites: ofRoles }),
    ...(withPeople && { memberOverwrites: ofMembers }),
  };
};

const writeBits = ({ allow, deny }: Pick<Overwrite, 'allow' | 'deny'>) =>
  withoutUsual({ allow: permissionNames(allow), deny: permissionNames(deny) });

const types = {
  text: 'TEXT',
  announcement: 'ANNOUNCEMENT',
  voice: 'VOICE',
  stage: 'STAGE',
  forum: 'FORUM',
  media: 'MEDIA',
} as const satisfies Record<Exclude<ChannelKind, 'category'>, DocumentChannel['type']>;

const writeChannel = (
  channel: Channel,
  kind: Exclude<ChannelKind, 'category'>,
  access: Access,
): DocumentChannel => {
  const { defaultReaction, defaultSortOrder: order, defaultForumLayout: layout } = channel;
  const { refer } = access;
  return {
    ...withoutUsual({
      type: types[kind],
      name: channel.name,
      topic: channel.topic || undefined,
      ageRestricted: channel.isAgeRestricted,
      slowModeSeconds: channel.slowModeSeconds || undefined,
      bitrate: channel.bitrate === usualBitrate ? undefined : channel.bitrate,
      userLimit: channel.userLimit || undefined,
      region: channel.rtcRegion,
      videoQuality: channel.videoQualityMode === 1 ? undefined : channel.videoQualityMode,
      threadArchiveMinutes: channel.threadArchiveMinutes,
      threadSlowModeSeconds: channel.threadSlowModeSeconds || undefined,
      tags: channel.tags.map(({ name, isModerated, emojiId, emojiName }) =>
        withoutUsual({ name, moderated: isModerated, emoji: refer.emoji(emojiId, emojiName) }),
      ),
      defaultReaction:
        defaultReaction && refer.emoji(defaultReaction.emojiId, defaultReaction.emojiName),
      sortOrder: order === null ? undefined : sortOrder.nameOf(order),
      layout: layout === null || layout === 0 ? undefined : forumLayout.nameOf(layout),
      flags: channel.flags & settableFlags || undefined,
    }),
    ...writeAccess(channel.overwrites, access),
  };
};
