import { z } from 'zod';
import { announce, byCaller } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import type { WelcomeScreen } from '../guild/community.ts';
import type { Guild } from '../guild/guild.ts';
import { hasPermission, Permission } from '../guild/permissions.ts';
import { accessGuild, requireSnowflake } from '../http/access.ts';
import {
  invalidField,
  unknownChannel,
  unknownGuild,
  unknownWelcomeScreen,
  widgetDisabled,
} from '../http/api-error.ts';
import { readBody, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';

const SHOWN_FEATURE = 'WELCOME_SCREEN_ENABLED';

const welcomeSchema = z.object({
  description: z.string().max(140).nullish(),
  welcome_channels: z
    .array(
      z.object({
        channel_id: snowflakeField,
        description: z.string().min(1).max(50),
        emoji_id: snowflakeField.nullish().transform((id) => id ?? null),
        emoji_name: z
          .string()
          .nullish()
          .transform((name) => name ?? null),
      }),
    )
    .max(5)
    .nullish(),
  enabled: z.boolean().nullish(),
});

const widgetSchema = z.object({
  enabled: z.boolean().nullish(),
  channel_id: snowflakeField.nullish(),
});

/** What newcomers and strangers see first: the welcome screen and the widget. */
export const mountWelcomeRoutes = (app: PlatformApp, platform: Platform) => {
  app.get('/guilds/:guild/welcome-screen', (c) => {
    const { guild, permissions } = accessGuild(platform, c);
    const isShown = guild.settings.features.includes(SHOWN_FEATURE);
    const isManager = hasPermission(permissions, Permission.ManageGuild);
    if (!isCommunity(guild) || (!isShown && !isManager)) throw unknownWelcomeScreen();
    return c.json(guild.welcomeScreen);
  });
  app.patch('/guilds/:guild/welcome-screen', (c) => editWelcomeScreen(platform, c));
  app.get('/guilds/:guild/widget', (c) => {
    const { guild } = accessGuild(platform, c, Permission.ManageGuild);
    return c.json(presentWidget(guild));
  });
  app.patch('/guilds/:guild/widget', async (c) => {
    const { guild } = accessGuild(platform, c, Permission.ManageGuild);
    const { enabled, channel_id } = await readBody(c, widgetSchema);
    if (channel_id && !guild.channels.has(channel_id)) throw unknownChannel();
    const watched = watch(guild, 'settings');
    guild.settings.widget_enabled = enabled ?? guild.settings.widget_enabled;
    if (channel_id !== undefined) guild.settings.widget_channel_id = channel_id;
    announce(platform, byCaller(c), watched);
    return c.json(presentWidget(guild));
  });
  /** What strangers see: nobody has to be in the guild for it, and a bot that asks does not join. */
  app.get('/guilds/:guild/widget.json', (c) => {
    const guild = platform.world.findGuild(requireSnowflake(c, 'guild'));
    if (!guild) throw unknownGuild();
    if (!guild.settings.widget_enabled) throw widgetDisabled();
    return c.json(presentPublicWidget(guild));
  });
};

const isCommunity = ({ settings }: Guild): boolean => settings.features.includes('COMMUNITY');

const editWelcomeScreen = async (platform: Platform, c: PlatformContext) => {
  const { guild } = accessGuild(platform, c, Permission.ManageGuild);
  if (!isCommunity(guild)) throw unknownWelcomeScreen();
  const { description, welcome_channels, enabled } = await readBody(c, welcomeSchema);
  const { welcomeScreen: screen, settings } = guild;
  if (welcome_channels) requireChannels(guild, welcome_channels);
  const watched = watch(guild, 'settings', 'welcomeScreen');
  if (welcome_channels !== undefined) screen.welcome_channels = welcome_channels ?? [];
  if (description !== undefined) screen.description = description || null;
  if (enabled != null) {
    const others = settings.features.filter((feature) => feature !== SHOWN_FEATURE);
    settings.features = enabled ? [...others, SHOWN_FEATURE] : others;
  }
  announce(platform, byCaller(c), watched);
  return c.json(screen);
};

const requireChannels = (guild: Guild, channels: WelcomeScreen['welcome_channels']) => {
  for (const [index, { channel_id }] of channels.entries()) {
    if (guild.channels.has(channel_id)) continue;
    const path = ['welcome_channels', index, 'channel_id'];
    throw invalidField(path, 'BASE_TYPE_BAD', 'Unknown channel.');
  }
};

const presentWidget = ({ settings }: Guild) => ({
  enabled: settings.widget_enabled,
  channel_id: settings.widget_channel_id,
});

/** Voice channels and those who are online are not simulated. */
const presentPublicWidget = ({ id, settings }: Guild) => ({
  ...{ id, name: settings.name, instant_invite: null },
  ...{ channels: [], members: [], presence_count: 0 },
});
