import { z } from 'zod';
import { openGuild } from './access.ts';
import { invalidField, unknownChannel } from './api-error.ts';
import type { Guild } from './guild-state.ts';
import { storeImage } from './images.ts';
import { Permission } from './permissions.ts';
import type { Platform, PlatformApp, PlatformContext } from './platform.ts';
import { presentCounts, presentEmoji, presentGuild, presentSticker } from './present.ts';
import { readBody, snowflakeField } from './read-body.ts';

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

const widgetSchema = z.object({
  enabled: z.boolean().optional(),
  channel_id: snowflakeField.nullish(),
});

export const mountGuildRoutes = (app: PlatformApp, platform: Platform) => {
  const { identities } = platform;
  app.get('/guilds/:guild', (c) => {
    const { guild } = openGuild(platform, c);
    const answer = presentGuild(identities, guild);
    const isCounted = c.req.query('with_counts') === 'true';
    return c.json(isCounted ? { ...answer, ...presentCounts(guild) } : answer);
  });
  app.patch('/guilds/:guild', (c) => editGuild(platform, c));
  app.get('/guilds/:guild/preview', (c) =>
    c.json(presentPreview(platform, openGuild(platform, c).guild)),
  );
  mountExtras(app, platform);
};

const editGuild = async (platform: Platform, c: PlatformContext) => {
  const { guild } = openGuild(platform, c, Permission.ManageGuild);
  const changes = await readBody(c, settingsSchema);
  demandChannels(guild, changes);
  demandCommunityChannels(guild, changes);
  applySettings(guild, changes);
  for (const kind of ['icon', 'splash', 'discovery_splash', 'banner'] as const) {
    const uri = changes[kind];
    if (uri === undefined) continue;
    guild.settings[kind] = uri === null ? null : storeImage(platform.world, kind, guild.id, uri);
  }
  return c.json(presentGuild(platform.identities, guild));
};

const CHANNEL_SETTINGS = [
  'afk_channel_id',
  'system_channel_id',
  'rules_channel_id',
  'public_updates_channel_id',
  'safety_alerts_channel_id',
] as const;

const demandChannels = (guild: Guild, changes: SettingsChange) => {
  for (const field of CHANNEL_SETTINGS) {
    const id = changes[field];
    if (id && !guild.channels.has(id)) throw unknownChannel();
  }
};

/** A guild becomes a community only together with its two channels. */
const demandCommunityChannels = ({ settings }: Guild, changes: SettingsChange) => {
  const isCommunity = settings.features.includes('COMMUNITY');
  if (isCommunity || !changes.features?.includes('COMMUNITY')) return;
  for (const field of ['rules_channel_id', 'public_updates_channel_id'] as const) {
    if (changes[field] ?? settings[field]) continue;
    throw invalidField([field], 'BASE_TYPE_REQUIRED', 'This field is required');
  }
};

const SETTABLE_FEATURES = ['COMMUNITY', 'DISCOVERABLE', 'INVITES_DISABLED', 'RAID_ALERTS_DISABLED'];

/** The others are the platform's to give: neither added nor lost here. */
const mergeFeatures = (before: string[], wanted: string[] | undefined): string[] => {
  if (!wanted) return before;
  const given = before.filter((feature) => !SETTABLE_FEATURES.includes(feature));
  return [...given, ...SETTABLE_FEATURES.filter((feature) => wanted.includes(feature))];
};

const applySettings = (guild: Guild, changes: SettingsChange) => {
  const { settings } = guild;
  for (const field of CHANNEL_SETTINGS) {
    const id = changes[field];
    if (id !== undefined) settings[field] = id;
  }
  settings.name = changes.name ?? settings.name;
  if (changes.description !== undefined) settings.description = changes.description;
  settings.afk_timeout = changes.afk_timeout ?? settings.afk_timeout;
  settings.verification_level = changes.verification_level ?? settings.verification_level;
  settings.default_message_notifications =
    changes.default_message_notifications ?? settings.default_message_notifications;
  settings.explicit_content_filter =
    changes.explicit_content_filter ?? settings.explicit_content_filter;
  settings.system_channel_flags = changes.system_channel_flags ?? settings.system_channel_flags;
  settings.preferred_locale = changes.preferred_locale ?? settings.preferred_locale;
  settings.features = mergeFeatures(settings.features, changes.features);
  settings.premium_progress_bar_enabled =
    changes.premium_progress_bar_enabled ?? settings.premium_progress_bar_enabled;
};

const presentPreview = ({ identities }: Platform, guild: Guild) => {
  const { name, icon, splash, discovery_splash, features, description } = guild.settings;
  return {
    id: guild.id,
    name,
    icon,
    splash,
    discovery_splash,
    features,
    description,
    home_header: null,
    ...presentCounts(guild),
    emojis: [...guild.emojis.values()].map((emoji) => presentEmoji(identities, emoji)),
    stickers: [...guild.stickers.values()].map((sticker) => presentSticker(identities, sticker)),
  };
};

const mountExtras = (app: PlatformApp, platform: Platform) => {
  const openManaged = (c: PlatformContext) => openGuild(platform, c, Permission.ManageGuild).guild;
  app.get('/guilds/:guild/threads/active', (c) => {
    openGuild(platform, c);
    return c.json({ threads: [], members: [], has_more: false });
  });
  app.get('/guilds/:guild/welcome-screen', (c) => {
    openGuild(platform, c);
    return c.json({ description: null, welcome_channels: [] });
  });
  app.get('/guilds/:guild/onboarding', (c) => {
    const { guild } = openGuild(platform, c);
    return c.json({
      guild_id: guild.id,
      prompts: [],
      default_channel_ids: [],
      enabled: false,
      mode: 0,
    });
  });
  app.get('/guilds/:guild/widget', (c) => c.json(presentWidget(openManaged(c))));
  app.patch('/guilds/:guild/widget', async (c) => {
    const guild = openManaged(c);
    const { enabled, channel_id } = await readBody(c, widgetSchema);
    guild.settings.widget_enabled = enabled ?? guild.settings.widget_enabled;
    if (channel_id !== undefined) guild.settings.widget_channel_id = channel_id;
    return c.json(presentWidget(guild));
  });
  app.get('/guilds/:guild/vanity-url', (c) =>
    c.json({ code: openManaged(c).settings.vanity_url_code, uses: 0 }),
  );
  app.get('/guilds/:guild/integrations', (c) => {
    openManaged(c);
    return c.json([]);
  });
};

const presentWidget = ({ settings }: Guild) => ({
  enabled: settings.widget_enabled,
  channel_id: settings.widget_channel_id,
});
