import type { Channel, ForumTag, Role } from '../../../platform/guild.ts';
import type { SectionEntry, Snapshot } from '../../backups/snapshot.ts';
import { harmless } from '../../backups/template.ts';
import { createNeutralIds, type NeutralIds, neutralGuildId } from './neutral-ids.ts';
import { createTextScrubber } from './scrub-text.ts';

export type TemplateSnapshot = Snapshot &
  Required<Pick<Snapshot, 'roles' | 'channels'>> &
  Pick<Snapshot, 'settings' | 'emojis'>;

type Tools = { ids: NeutralIds; scrub(text: string): string };

/**
 * The layout of a server, without the server: no people, no roles of bots and integrations, no id of the
 * platform, no dangerous permission. Every field is named here, so that one that is added to a snapshot does not slip through.
 */
export const stripSnapshot = (snapshot: Snapshot): TemplateSnapshot => {
  const { settings, roles = [], channels = [], emojis } = snapshot;
  const ids = createNeutralIds(snapshot);
  const namesOf = (things: { id: string; name: string }[]) =>
    new Map(things.map(({ id, name }) => [id, name]));
  const ownRoles = roles.filter(({ isManaged }) => !isManaged);
  const scrub = createTextScrubber({ roles: namesOf(ownRoles), channels: namesOf(channels) });
  const tools = { ids, scrub };
  return {
    guildId: neutralGuildId,
    ...(settings && { settings: settings.map((entry) => stripSettings(entry, tools)) }),
    roles: ownRoles.map((role) => stripRole(role, tools)),
    channels: channels.map((channel) => stripChannel(channel, tools)),
    ...(emojis && {
      emojis: emojis.filter(({ isManaged }) => !isManaged).map((emoji) => stripEmoji(emoji, tools)),
    }),
  };
};

/** What a template does not hold is not there to be spoken of either. */
const kept = (id: string | null, neutral: (id: string) => string | undefined): string | null =>
  id === null ? null : (neutral(id) ?? null);

const counted = (id: string | undefined): string => {
  if (id === undefined) throw new Error('An entry of the snapshot was not counted');
  return id;
};

const stripSettings = (
  settings: SectionEntry<'settings'>,
  tools: Tools,
): SectionEntry<'settings'> => {
  const { pictures } = settings;
  const { channel } = tools.ids;
  return {
    name: tools.scrub(settings.name),
    description: settings.description === null ? null : tools.scrub(settings.description),
    // Which picture it is, its own bytes tell.
    iconHash: pictures.icon?.hash ?? null,
    splashHash: pictures.splash?.hash ?? null,
    discoverySplashHash: pictures.discoverySplash?.hash ?? null,
    bannerHash: pictures.banner?.hash ?? null,
    verificationLevel: settings.verificationLevel,
    defaultMessageNotifications: settings.defaultMessageNotifications,
    explicitContentFilter: settings.explicitContentFilter,
    preferredLocale: settings.preferredLocale,
    afkChannelId: kept(settings.afkChannelId, channel),
    afkTimeoutSeconds: settings.afkTimeoutSeconds,
    systemChannelId: kept(settings.systemChannelId, channel),
    systemChannelFlags: settings.systemChannelFlags,
    rulesChannelId: kept(settings.rulesChannelId, channel),
    publicUpdatesChannelId: kept(settings.publicUpdatesChannelId, channel),
    safetyAlertsChannelId: kept(settings.safetyAlertsChannelId, channel),
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

const stripRole = (role: Role, tools: Tools): Role => ({
  id: counted(tools.ids.role(role.id)),
  name: tools.scrub(role.name),
  colors: role.colors,
  isHoisted: role.isHoisted,
  isMentionable: role.isMentionable,
  isManaged: false,
  botId: null,
  permissions: harmless(role.permissions),
  position: role.position,
  // A backup does not hold the picture itself.
  iconHash: null,
  unicodeEmoji: role.unicodeEmoji,
});

const stripChannel = (channel: Channel, tools: Tools): Channel => ({
  id: counted(tools.ids.channel(channel.id)),
  kind: channel.kind,
  name: tools.scrub(channel.name),
  parentId: kept(channel.parentId, tools.ids.channel),
  position: channel.position,
  overwrites: channel.overwrites.flatMap(({ id, kind, allow, deny }) => {
    const roleId = kind === 'role' ? tools.ids.role(id) : undefined;
    return roleId === undefined ? [] : [{ id: roleId, kind, allow: harmless(allow), deny }];
  }),
  isAgeRestricted: channel.isAgeRestricted,
  topic: channel.topic === null ? null : tools.scrub(channel.topic),
  slowModeSeconds: channel.slowModeSeconds,
  bitrate: channel.bitrate,
  userLimit: channel.userLimit,
  rtcRegion: channel.rtcRegion,
  videoQualityMode: channel.videoQualityMode,
  threadArchiveMinutes: channel.threadArchiveMinutes,
  threadSlowModeSeconds: channel.threadSlowModeSeconds,
  tags: channel.tags.map((tag) => stripTag(tag, tools)),
  defaultReaction: channel.defaultReaction && {
    emojiId: kept(channel.defaultReaction.emojiId, tools.ids.emoji),
    emojiName: channel.defaultReaction.emojiName,
  },
  defaultSortOrder: channel.defaultSortOrder,
  defaultForumLayout: channel.defaultForumLayout,
  flags: channel.flags,
});

const stripTag = (tag: ForumTag, tools: Tools): ForumTag => ({
  id: counted(tools.ids.tag(tag.id)),
  name: tools.scrub(tag.name),
  isModerated: tag.isModerated,
  emojiId: kept(tag.emojiId, tools.ids.emoji),
  emojiName: tag.emojiName,
});

const stripEmoji = (emoji: SectionEntry<'emojis'>, tools: Tools): SectionEntry<'emojis'> => ({
  id: counted(tools.ids.emoji(emoji.id)),
  name: tools.scrub(emoji.name),
  isAnimated: emoji.isAnimated,
  isManaged: false,
  roleIds: emoji.roleIds.flatMap((id) => tools.ids.role(id) ?? []),
  image: emoji.image,
});
