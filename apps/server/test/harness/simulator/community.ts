import type { TestSimulator } from './start.ts';

const pictureHash = 'abcdef0123456789abcdef0123456789';

/** Something of every part of a community, added to a guild of the simulator. */
export const addCommunity = async (simulator: Pick<TestSimulator, 'control'>, guildId: string) => {
  const guild = await simulator.control('GET', `/guilds/${guildId}`);
  const open = guild.channels.filter(
    ({ type, permission_overwrites }: OpenChannel) =>
      type === 0 && permission_overwrites.length === 0,
  );
  const texts = guild.channels.filter(({ type }: OpenChannel) => type === 0);
  const voice = guild.channels.find(({ type }: OpenChannel) => type === 2);
  const role = guild.roles.find(
    ({ id, managed }: { id: string; managed: boolean }) => id !== guildId && !managed,
  );
  const [channel] = open;
  const alert = texts.at(-1);
  const idAfter = (step: bigint) => (BigInt(guildId) + step).toString();
  const [eventId, soundId, webhookId] = [idAfter(1n), idAfter(2n), idAfter(3n)];
  await simulator.control('PUT', `/guilds/${guildId}`, {
    ...guild,
    guild: {
      ...guild.guild,
      features: [...new Set([...guild.guild.features, 'WELCOME_SCREEN_ENABLED', 'ROLE_ICONS'])],
      widget_enabled: true,
      widget_channel_id: channel.id,
      vanity_url_code: 'harbour',
    },
    roles: guild.roles.map((one: { id: string }) => ({
      ...one,
      icon: one.id === role.id ? pictureHash : null,
    })),
    automod: [
      {
        ...{ name: 'No spam', trigger_type: 1, event_type: 1, enabled: true },
        trigger_metadata: { keyword_filter: ['spam'], regex_patterns: [], allow_list: ['ham'] },
        actions: [{ type: 2, metadata: { channel_id: alert.id } }],
        ...{ exempt_roles: [role.id], exempt_channels: [channel.id] },
      },
      {
        ...{ name: 'No storms', trigger_type: 5, event_type: 1, enabled: false },
        trigger_metadata: { mention_total_limit: 7, mention_raid_protection_enabled: true },
        actions: [{ type: 1, metadata: { custom_message: 'Calm down' } }],
      },
    ],
    onboarding: {
      ...{ enabled: false, mode: 0, default_channel_ids: [channel.id] },
      prompts: [
        {
          title: 'Who are you?',
          ...{ single_select: true, required: false, in_onboarding: true, type: 0 },
          options: [
            {
              ...{ title: 'A sailor', description: 'Ahoy' },
              emoji: { id: null, name: '⚓', animated: false },
              ...{ role_ids: [role.id], channel_ids: [channel.id] },
            },
          ],
        },
      ],
    },
    welcomeScreen: {
      description: 'Welcome on board',
      welcome_channels: [
        { channel_id: channel.id, description: 'Say hello', emoji_id: null, emoji_name: '👋' },
      ],
    },
    events: [
      {
        ...{ name: 'Regatta', description: 'Boats', scheduled_start_time: '2100-06-01T10:00:00Z' },
        ...{ scheduled_end_time: '2100-06-01T12:00:00Z', entity_type: 3, image: pictureHash },
        ...{ id: eventId, entity_metadata: { location: 'The bay' } },
      },
      {
        ...{ name: 'Shanties', scheduled_start_time: '2100-07-01T10:00:00Z', entity_type: 2 },
        ...{ channel_id: voice.id, entity_metadata: null },
      },
    ],
    soundboard: [{ sound_id: soundId, name: 'horn', volume: 0.5, emoji_name: '📯' }],
    webhooks: [
      { channel_id: channel.id, name: 'News', type: 1, avatar: pictureHash, id: webhookId },
    ],
    invites: [{ code: `harbour${guildId.slice(-6)}`, channel_id: channel.id }],
    images: {
      ...guild.images,
      [`role-icons/${role.id}/${pictureHash}`]: picture('icon'),
      [`guild-events/${eventId}/${pictureHash}`]: picture('cover'),
      [`soundboard-sounds/${soundId}`]: { mime: 'audio/ogg', base64: btoa('OggS horn') },
      [`avatars/${webhookId}/${pictureHash}`]: picture('face'),
    },
  });
  return { roleName: role.name, channelName: channel.name };
};

type OpenChannel = { id: string; name: string; type: number; permission_overwrites: object[] };

const picture = (text: string) => ({ mime: 'image/png', base64: btoa(text) });

/** What a person sees of the parts, with names instead of ids. */
/** Deletes all of it, and leaves channels and roles alone. */
export const wreckCommunity = async (simulator: TestSimulator, guildId: string) => {
  const guild = await simulator.control('GET', `/guilds/${guildId}`);
  await simulator.control('PUT', `/guilds/${guildId}`, {
    ...guild,
    guild: {
      ...guild.guild,
      features: guild.guild.features.filter((name: string) => name !== 'WELCOME_SCREEN_ENABLED'),
      ...{ widget_enabled: false, widget_channel_id: null },
    },
    roles: guild.roles.map((role: object) => ({ ...role, icon: null })),
    ...{ automod: [], events: [], soundboard: [], webhooks: [], invites: [] },
    onboarding: { enabled: false, mode: 0, default_channel_ids: [], prompts: [] },
    welcomeScreen: { description: null, welcome_channels: [] },
  });
};

export const describeCommunity = async (simulator: TestSimulator, guildId: string) => {
  const guild = await simulator.control('GET', `/guilds/${guildId}`);
  const channels = namesById(guild.channels);
  const roles = namesById(guild.roles);
  const nameOf = (names: Map<string, string>) => (id: string | null) => id && names.get(id);
  const channel = nameOf(channels);
  const imageOf = (key: string) => guild.images[key]?.base64 ?? null;
  const sorted = <Thing extends { name: string }>(things: Thing[]) =>
    things.sort((one, other) => (one.name < other.name ? -1 : 1));
  return {
    automod: sorted(
      guild.automod.map(({ id: _, guild_id: __, creator_id: ___, ...rule }: AnyRecord) => ({
        ...rule,
        actions: rule.actions.map(({ type, metadata }: AnyRecord) => ({
          type,
          metadata: metadata.channel_id ? { channel: channel(metadata.channel_id) } : metadata,
        })),
        exempt_roles: rule.exempt_roles.map(nameOf(roles)),
        exempt_channels: rule.exempt_channels.map(channel),
      })),
    ),
    onboarding: {
      ...guild.onboarding,
      default_channel_ids: guild.onboarding.default_channel_ids.map(channel),
      prompts: guild.onboarding.prompts.map(({ id: _, options, ...prompt }: AnyRecord) => ({
        ...prompt,
        options: options.map(({ id: __, ...option }: AnyRecord) => ({
          ...option,
          role_ids: option.role_ids.map(nameOf(roles)),
          channel_ids: option.channel_ids.map(channel),
        })),
      })),
    },
    welcomeScreen: {
      isShown: guild.guild.features.includes('WELCOME_SCREEN_ENABLED'),
      description: guild.welcomeScreen.description,
      channels: guild.welcomeScreen.welcome_channels.map((one: AnyRecord) => ({
        ...one,
        channel_id: channel(one.channel_id),
      })),
    },
    widget: [guild.guild.widget_enabled, channel(guild.guild.widget_channel_id)],
    events: sorted(
      guild.events.map((event: AnyRecord) => ({
        ...{ name: event.name, description: event.description },
        startsAt: new Date(event.scheduled_start_time).toISOString(),
        ...{ place: channel(event.channel_id) ?? event.entity_metadata?.location },
        cover: imageOf(`guild-events/${event.id}/${event.image}`),
      })),
    ),
    sounds: sorted(
      guild.soundboard.map(({ sound_id, name, volume, emoji_name }: AnyRecord) => ({
        ...{ name, volume, emoji_name },
        bytes: imageOf(`soundboard-sounds/${sound_id}`),
      })),
    ),
    webhooks: sorted(
      guild.webhooks.map(({ id, name, channel_id, avatar }: AnyRecord) => ({
        ...{ name, channel: channel(channel_id) },
        avatar: imageOf(`avatars/${id}/${avatar}`),
      })),
    ),
    roleIcons: guild.roles.flatMap(({ id, name, icon }: AnyRecord) =>
      icon ? [[name, imageOf(`role-icons/${id}/${icon}`)]] : [],
    ),
  };
};

// biome-ignore lint/suspicious/noExplicitAny: the simulator's state as JSON.
type AnyRecord = any;

const namesById = (things: { id: string; name: string }[]): Map<string, string> =>
  new Map(things.map(({ id, name }) => [id, name]));
