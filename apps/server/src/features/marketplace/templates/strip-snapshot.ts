import type { Channel, ForumTag, Role } from '../../../platform/guild.ts';
import type { SectionEntry, Snapshot } from '../../backups/snapshot/snapshot.ts';
import { withoutDangerous } from '../../backups/snapshot/template.ts';
import { createNeutralIds, type NeutralIds, neutralGuildId } from './neutral-ids.ts';
import { createTextScrubber } from './scrub-text.ts';

export type TemplateSnapshot = Snapshot &
  Required<Pick<Snapshot, 'roles' | 'channels'>> &
  Pick<Snapshot, 'settings' | 'emojis'>;

type Neutralize = { ids: NeutralIds; scrub(text: string): string };

/**
 * Keeps the layout of a guild: no people, no roles of bots and integrations, no ids of the platform, no
 * dangerous permissions. Every field is listed, so that a field that is added to snapshots is not sold by
 * accident.
 */
export const stripSnapshot = (snapshot: Snapshot): TemplateSnapshot => {
  const { settings, roles = [], channels = [], emojis } = snapshot;
  const ids = createNeutralIds(snapshot);
  const namesOf = (named: { id: string; name: string }[]) =>
    new Map(named.map(({ id, name }) => [id, name]));
  const ownRoles = roles.filter(({ isManaged }) => !isManaged);
  const scrub = createTextScrubber({ roles: namesOf(ownRoles), channels: namesOf(channels) });
  const neutralize = { ids, scrub };
  return {
    guildId: neutralGuildId,
    ...(settings && { settings: settings.map((entry) => stripSettings(entry, neutralize)) }),
    roles: ownRoles.map((role) => stripRole(role, neutralize)),
    channels: channels.map((channel) => stripChannel(channel, neutralize)),
    ...(emojis && {
      emojis: emojis
        .filter(({ isManaged }) => !isManaged)
        .map((emoji) => stripEmoji(emoji, neutralize)),
    }),
  };
};

/** A reference to something that is not in the template becomes null. */
const neutralOrNull = (
  id: string | null,
  neutral: (id: string) => string | undefined,
): string | null => (id === null ? null : (neutral(id) ?? null));

const requireId = (id: string | undefined): string => {
  if (id === undefined) throw new Error('An entry of the snapshot has no neutral id');
  return id;
};

const stripSettings = (
  settings: SectionEntry<'settings'>,
  neutralize: Neutralize,
): SectionEntry<'settings'> => {
  const { pictures } = settings;
  const { channel } = neutralize.ids;
  return {
    name: neutralize.scrub(settings.name),
    description: settings.description === null ? null : neutralize.scrub(settings.description),
    // The hash of the picture's bytes, not the platform's.
    iconHash: pictures.icon?.hash ?? null,
    splashHash: pictures.splash?.hash ?? null,
    discoverySplashHash: pictures.discoverySplash?.hash ?? null,
    bannerHash: pictures.banner?.hash ?? null,
    verificationLevel: settings.verificationLevel,
    defaultMessageNotifications: settings.defaultMessageNotifications,
    explicitContentFilter: settings.explicitContentFilter,
    preferredLocale: settings.preferredLocale,
    afkChannelId: neutralOrNull(settings.afkChannelId, channel),
    afkTimeoutSeconds: settings.afkTimeoutSeconds,
    systemChannelId: neutralOrNull(settings.systemChannelId, channel),
    systemChannelFlags: settings.systemChannelFlags,
    rulesChannelId: neutralOrNull(settings.rulesChannelId, channel),
    publicUpdatesChannelId: neutralOrNull(settings.publicUpdatesChannelId, channel),
    safetyAlertsChannelId: neutralOrNull(settings.safetyAlertsChannelId, channel),
    isProgressBarEnabled: settings.isProgressBarEnabled,
    features: settings.features,
    pictures: {
      icon: pictures.icon,
      splash: pictures.splash,
      discoverySplash: pictures.discoverySplash,
      banner: pictures.banner,
    },
  };
};

const stripRole = (role: Role, neutralize: Neutralize): Role => ({
  id: requireId(neutralize.ids.role(role.id)),
  name: neutralize.scrub(role.name),
  colors: role.colors,
  isHoisted: role.isHoisted,
  isMentionable: role.isMentionable,
  isManaged: false,
  botId: null,
  permissions: withoutDangerous(role.permissions),
  position: role.position,
  // A template holds no icons of roles.
  iconHash: null,
  unicodeEmoji: role.unicodeEmoji,
});

const stripChannel = (channel: Channel, neutralize: Neutralize): Channel => ({
  id: requireId(neutralize.ids.channel(channel.id)),
  kind: channel.kind,
  name: neutralize.scrub(channel.name),
  parentId: neutralOrNull(channel.parentId, neutralize.ids.channel),
  position: channel.position,
  overwrites: channel.overwrites.flatMap(({ id, kind, allow, deny }) => {
    const roleId = kind === 'role' ? neutralize.ids.role(id) : undefined;
    return roleId === undefined ? [] : [{ id: roleId, kind, allow: withoutDangerous(allow), deny }];
  }),
  isAgeRestricted: channel.isAgeRestricted,
  topic: channel.topic === null ? null : neutralize.scrub(channel.topic),
  slowModeSeconds: channel.slowModeSeconds,
  bitrate: channel.bitrate,
  userLimit: channel.userLimit,
  rtcRegion: channel.rtcRegion,
  videoQualityMode: channel.videoQualityMode,
  threadArchiveMinutes: channel.threadArchiveMinutes,
  threadSlowModeSeconds: channel.threadSlowModeSeconds,
  tags: channel.tags.map((tag) => stripTag(tag, neutralize)),
  defaultReaction: channel.defaultReaction && {
    emojiId: neutralOrNull(channel.defaultReaction.emojiId, neutralize.ids.emoji),
    emojiName: channel.defaultReaction.emojiName,
  },
  defaultSortOrder: channel.defaultSortOrder,
  defaultForumLayout: channel.defaultForumLayout,
  flags: channel.flags,
});

const stripTag = (tag: ForumTag, neutralize: Neutralize): ForumTag => ({
  id: requireId(neutralize.ids.tag(tag.id)),
  name: neutralize.scrub(tag.name),
  isModerated: tag.isModerated,
  emojiId: neutralOrNull(tag.emojiId, neutralize.ids.emoji),
  emojiName: tag.emojiName,
});

const stripEmoji = (
  emoji: SectionEntry<'emojis'>,
  neutralize: Neutralize,
): SectionEntry<'emojis'> => ({
  id: requireId(neutralize.ids.emoji(emoji.id)),
  name: neutralize.scrub(emoji.name),
  isAnimated: emoji.isAnimated,
  isManaged: false,
  roleIds: emoji.roleIds.flatMap((id) => neutralize.ids.role(id) ?? []),
  image: emoji.image,
});
