import { timeOfSnowflake } from '../snowflakes.ts';
import {
  AUTOMOD_RULES,
  DEFAULT_CHANNELS,
  EVENTS_FROM_MS,
  ONBOARDING_PROMPT,
  SOUNDS,
  WELCOME_CHANNELS,
} from './community-content.ts';
import { findChannel, type GuildBuilder, pickDrawnImage } from './guild-builder.ts';

const HOUR_MS = 3_600_000;

/** Rules, onboarding, welcome screen, widget, events, sounds, a role's icon and invites. */
export const makeCommunity = (builder: GuildBuilder) => {
  makeAutomod(builder);
  makeOnboarding(builder);
  makeWelcome(builder);
  makeEvents(builder);
  makeSounds(builder);
  makeRoleIcon(builder);
  makeInvites(builder);
};

const makeAutomod = ({ guild, nextId, roleIds }: GuildBuilder) => {
  const team = findChannel(guild, 'moderators').id;
  for (const { alertsTeam, actions, ...rule } of AUTOMOD_RULES) {
    const id = nextId();
    const alert = { type: 2, metadata: { channel_id: team } };
    guild.automod.set(id, {
      ...rule,
      id,
      guild_id: guild.id,
      creator_id: guild.settings.owner_id,
      event_type: 1,
      actions: alertsTeam ? [...actions, alert] : actions,
      enabled: true,
      exempt_roles: [roleIds.get('Moderator') ?? guild.id],
      exempt_channels: [team],
    });
  }
};

const makeOnboarding = ({ guild, nextId, roleIds }: GuildBuilder) => {
  const idOf = (name: string | undefined) => (name ? [findChannel(guild, name).id] : []);
  guild.onboarding = {
    enabled: true,
    mode: 0,
    default_channel_ids: DEFAULT_CHANNELS.flatMap(idOf),
    prompts: [
      {
        id: nextId(),
        title: ONBOARDING_PROMPT.title,
        ...{ single_select: false, required: false, in_onboarding: true, type: 0 },
        options: ONBOARDING_PROMPT.options.map(({ title, description, emoji, role, channel }) => ({
          id: nextId(),
          title,
          description,
          emoji: { id: null, name: emoji, animated: false },
          role_ids: role ? [roleIds.get(role) ?? guild.id] : [],
          channel_ids: idOf(channel),
        })),
      },
    ],
  };
};

const makeWelcome = ({ guild }: GuildBuilder) => {
  const { settings } = guild;
  settings.features = [...settings.features, 'WELCOME_SCREEN_ENABLED'];
  settings.widget_enabled = true;
  settings.widget_channel_id = findChannel(guild, 'introductions').id;
  guild.welcomeScreen = {
    description: 'Good to see you.',
    welcome_channels: WELCOME_CHANNELS.map(({ channel, description, emoji }) => ({
      ...{ channel_id: findChannel(guild, channel).id, description },
      ...{ emoji_id: null, emoji_name: emoji },
    })),
  };
};

const makeEvents = ({ guild, nextId, random, images }: GuildBuilder) => {
  const startMs = EVENTS_FROM_MS + random.below(300) * 24 * HOUR_MS;
  const at = (hours: number) => new Date(startMs + hours * HOUR_MS).toISOString();
  const common = {
    ...{ guild_id: guild.id, creator_id: guild.settings.owner_id, entity_id: null },
    ...{
      privacy_level: 2 as const,
      status: 1,
      recurrence_rule: null,
      user_count: random.below(20),
    },
  };
  const id = nextId();
  const image = Bun.hash(id).toString(16).padStart(32, '0');
  images.set(`guild-events/${id}/${image}`, pickDrawnImage(random));
  guild.events.set(id, {
    ...{ ...common, id, image, name: 'Harbour tour', description: 'Bring a coat.' },
    ...{ channel_id: null, entity_type: 3, entity_metadata: { location: 'The old pier' } },
    ...{ scheduled_start_time: at(0), scheduled_end_time: at(3) },
  });
  const meetingId = nextId();
  guild.events.set(meetingId, {
    ...{ ...common, id: meetingId, image: null, name: 'Monthly meeting', description: null },
    ...{ channel_id: findChannel(guild, 'Town hall').id, entity_type: 1, entity_metadata: null },
    ...{ scheduled_start_time: at(100), scheduled_end_time: null },
  });
};

/** Short texts instead of audio: nobody listens to them. */
const makeSounds = ({ guild, nextId, images }: GuildBuilder) => {
  for (const { name, emoji, volume } of SOUNDS) {
    const sound_id = nextId();
    guild.soundboard.set(sound_id, {
      ...{ sound_id, guild_id: guild.id, name, volume, emoji_id: null, emoji_name: emoji },
      ...{ available: true, user_id: guild.settings.owner_id },
    });
    const base64 = Buffer.from(`${name} of ${guild.id}`).toString('base64');
    images.set(`soundboard-sounds/${sound_id}`, { mime: 'audio/ogg', base64 });
  }
};

const makeRoleIcon = ({ guild, roleIds, random, images }: GuildBuilder) => {
  const role = guild.roles.get(roleIds.get('Supporter') ?? '');
  if (!role) return;
  role.icon = Bun.hash(role.id).toString(16).padStart(32, '0');
  images.set(`role-icons/${role.id}/${role.icon}`, pickDrawnImage(random));
};

const makeInvites = ({ guild, nextId }: GuildBuilder) => {
  const { settings } = guild;
  settings.features = [...settings.features, 'VANITY_URL'];
  settings.vanity_url_code = `harbour-${guild.id.slice(-6)}`;
  const channel = findChannel(guild, 'introductions');
  const id = nextId();
  const code = BigInt(id).toString(36);
  const created_at = new Date(timeOfSnowflake(id)).toISOString();
  guild.invites.set(code, {
    ...{ code, channel_id: channel.id, inviter_id: settings.owner_id },
    ...{ max_age: 0, max_uses: 0, temporary: false, uses: 12 },
    ...{ created_at, role_ids: [], target_user_ids: null },
  });
};
