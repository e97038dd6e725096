import { z } from 'zod';
import { announce, byCaller } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import { parseDataUri, storeImage } from '../cdn/images.ts';
import { accessGuild } from '../http/access.ts';
import { invalidField, unknownChannel } from '../http/api-error.ts';
import { readBody, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { requireFeatures } from './features.ts';
import type { Guild } from './guild.ts';
import { Permission } from './permissions.ts';
import { presentCounts, presentExpressions, presentGuild } from './present.ts';

const imageField = z.string().nullish();

const settingsSchema = z.object({
  name: z.string().min(2).max(100).optional(),
  description: z.string().max(300).nullish(),
  icon: imageField,
  splash: imageField,
  discovery_splash: imageField,
  banner: imageField,
  afk_channel_id: snowflakeField.nullish(),
  afk_timeout: z.literal([60, 300, 900, 1800, 3600]).optional(),
  verification_level: z.int().min(0).max(4).nullish(),
  default_message_notifications: z.int().min(0).max(1).nullish(),
  explicit_content_filter: z.int().min(0).max(2).nullish(),
  system_channel_id: snowflakeField.nullish(),
  system_channel_flags: z.int().min(0).optional(),
  rules_channel_id: snowflakeField.nullish(),
  public_updates_channel_id: snowflakeField.nullish(),
  safety_alerts_channel_id: snowflakeField.nullish(),
  preferred_locale: z.string().nullish(),
  features: z.array(z.string()).optional(),
  premium_progress_bar_enabled: z.boolean().nullish(),
});

type SettingsChange = z.output<typeof settingsSchema>;

export const mountGuildRoutes = (app: PlatformApp, platform: Platform) => {
  const { identities } = platform;
  app.get('/guilds/:guild', (c) => {
    const { guild } = accessGuild(platform, c);
    const withCounts = c.req.query('with_counts') === 'true';
    return c.json({ ...presentGuild(identities, guild), ...(withCounts && presentCounts(guild)) });
  });
  app.patch('/guilds/:guild', (c) => editGuild(platform, c));
  app.get('/guilds/:guild/preview', (c) =>
    c.json(presentPreview(platform, accessGuild(platform, c).guild)),
  );
};

const editGuild = async (platform: Platform, c: PlatformContext) => {
  const { guild } = accessGuild(platform, c, Permission.ManageGuild);
  const changes = await readBody(c, settingsSchema);
  requireChannels(guild, changes);
  requireCommunityChannels(guild, changes);
  requirePictureFeatures(guild, changes);
  const watched = watch(guild, 'settings');
  applySettings(guild, changes);
  for (const kind of PICTURES) {
    const uri = changes[kind];
    if (uri === undefined) continue;
    guild.settings[kind] = uri === null ? null : storeImage(platform.world, kind, guild.id, uri);
  }
  announce(platform, byCaller(c), watched);
  return c.json(presentGuild(platform.identities, guild));
};

const PICTURES = ['icon', 'splash', 'discovery_splash', 'banner'] as const;

const FEATURE_OF_PICTURE = {
  icon: undefined,
  splash: 'INVITE_SPLASH',
  discovery_splash: 'DISCOVERABLE',
  banner: 'BANNER',
};

const ANIMATED_FEATURE: Record<string, string | undefined> = {
  icon: 'ANIMATED_ICON',
  banner: 'ANIMATED_BANNER',
};

const requirePictureFeatures = (guild: Guild, changes: SettingsChange) => {
  const demands = PICTURES.flatMap((kind) => {
    const uri = changes[kind];
    if (uri == null) return [];
    const isAnimated = parseDataUri(uri, kind).mime === 'image/gif';
    const features = [FEATURE_OF_PICTURE[kind], isAnimated ? ANIMATED_FEATURE[kind] : undefined];
    return features.map((feature) => ({ path: [kind], feature }));
  });
  requireFeatures(guild, demands);
};

const CHANNEL_SETTINGS = [
  'afk_channel_id',
  'system_channel_id',
  'rules_channel_id',
  'public_updates_channel_id',
  'safety_alerts_channel_id',
] as const;

const requireChannels = (guild: Guild, changes: SettingsChange) => {
  for (const field of CHANNEL_SETTINGS) {
    const id = changes[field];
    if (id && !guild.channels.has(id)) throw unknownChannel();
  }
};

/** A guild becomes a community only with its two required channels, and keeps them while it is one. */
const requireCommunityChannels = ({ settings }: Guild, changes: SettingsChange) => {
  const isCommunity = settings.features.includes('COMMUNITY');
  const staysCommunity = changes.features?.includes('COMMUNITY') ?? isCommunity;
  if (!staysCommunity) return;
  for (const field of ['rules_channel_id', 'public_updates_channel_id'] as const) {
    const change = changes[field];
    const isKept = isCommunity ? change !== null : (change ?? settings[field]);
    if (isKept) continue;
    throw invalidField([field], 'BASE_TYPE_REQUIRED', 'This field is required');
  }
};

const SETTABLE_FEATURES = ['COMMUNITY', 'DISCOVERABLE', 'INVITES_DISABLED', 'RAID_ALERTS_DISABLED'];

/** Other features belong to the platform: a request neither adds nor removes them. */
const mergeFeatures = (current: string[], requested: string[] | undefined): string[] => {
  if (!requested) return current;
  const fixed = current.filter((feature) => !SETTABLE_FEATURES.includes(feature));
  return [...fixed, ...SETTABLE_FEATURES.filter((feature) => requested.includes(feature))];
};

const PLAIN_SETTINGS = [
  'name',
  'afk_timeout',
  'verification_level',
  'default_message_notifications',
  'explicit_content_filter',
  'system_channel_flags',
  'preferred_locale',
  'premium_progress_bar_enabled',
] as const;

/** Null empties a channel or the description, and leaves any other setting as it is. */
const applySettings = ({ settings }: Guild, changes: SettingsChange) => {
  for (const field of [...CHANNEL_SETTINGS, 'description'] as const) {
    const value = changes[field];
    if (value !== undefined) settings[field] = value;
  }
  for (const field of PLAIN_SETTINGS) {
    if (changes[field] != null) Object.assign(settings, { [field]: changes[field] });
  }
  settings.features = mergeFeatures(settings.features, changes.features);
};

const presentPreview = ({ identities }: Platform, guild: Guild) => {
  const { name, icon, splash, discovery_splash, features, description } = guild.settings;
  return {
    id: guild.id,
    ...{ name, icon, splash, discovery_splash, features, description },
    home_header: null,
    ...presentCounts(guild),
    ...presentExpressions(identities, guild),
  };
};
