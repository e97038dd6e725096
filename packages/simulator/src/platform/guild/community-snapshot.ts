import { z } from 'zod';
import { snowflakeField } from '../http/read-body.ts';
import type { OnboardingPrompt } from './community.ts';
import type { Guild } from './guild.ts';

const list = <Item extends z.ZodType>(item: Item) => z.array(item).default([]);
const withId = z.looseObject({ id: snowflakeField.optional() });

const promptSchema = withId.extend({
  title: z.string(),
  options: list(
    withId.extend({
      title: z.string(),
      role_ids: list(snowflakeField),
      channel_ids: list(snowflakeField),
    }),
  ),
});

const welcomeChannelSchema = z.looseObject({
  channel_id: snowflakeField,
  description: z.string().default(''),
  emoji_id: snowflakeField.nullable().default(null),
  emoji_name: z.string().nullable().default(null),
});

/** This part of a guild's state. The bytes of covers and sounds are among the images. */
export const communityFields = {
  automod: list(withId.extend({ name: z.string(), trigger_type: z.int() })),
  onboarding: z
    .looseObject({ prompts: list(promptSchema), default_channel_ids: list(snowflakeField) })
    .optional(),
  welcomeScreen: z
    .object({
      description: z.string().nullable().default(null),
      welcome_channels: list(welcomeChannelSchema),
    })
    .optional(),
  events: list(withId.extend({ name: z.string(), scheduled_start_time: z.string() })),
  soundboard: list(z.looseObject({ sound_id: snowflakeField.optional(), name: z.string() })),
};

const communitySchema = z.object(communityFields);
type CommunitySnapshot = z.output<typeof communitySchema>;

export const snapshotCommunity = (guild: Guild) => ({
  automod: [...guild.automod.values()],
  onboarding: guild.onboarding,
  welcomeScreen: guild.welcomeScreen,
  events: [...guild.events.values()],
  soundboard: [...guild.soundboard.values()],
});

export const restoreCommunity = (
  guild: Guild,
  snapshot: CommunitySnapshot,
  nextId: () => string,
) => {
  restoreAutomod(guild, snapshot, nextId);
  restoreEventsAndSounds(guild, snapshot, nextId);
  const { onboarding, welcomeScreen } = snapshot;
  if (onboarding) {
    const prompts = onboarding.prompts.map((prompt) => restorePrompt(nextId, prompt));
    guild.onboarding = { ...guild.onboarding, ...onboarding, prompts };
  }
  if (welcomeScreen) guild.welcomeScreen = welcomeScreen;
};

const restoreAutomod = (guild: Guild, { automod }: CommunitySnapshot, nextId: () => string) => {
  for (const { id = nextId(), ...fields } of automod) {
    guild.automod.set(id, {
      creator_id: guild.settings.owner_id,
      event_type: 1,
      trigger_metadata: {},
      actions: [],
      enabled: true,
      exempt_roles: [],
      exempt_channels: [],
      ...fields,
      id,
      guild_id: guild.id,
    });
  }
};

const restoreEventsAndSounds = (
  guild: Guild,
  { events, soundboard }: CommunitySnapshot,
  nextId: () => string,
) => {
  const { owner_id } = guild.settings;
  for (const { id = nextId(), ...fields } of events) {
    guild.events.set(id, {
      ...{ channel_id: null, creator_id: owner_id, description: null, image: null },
      ...{ scheduled_end_time: null, privacy_level: 2, status: 1, user_count: 0 },
      ...{ entity_type: 3, entity_id: null, recurrence_rule: null },
      entity_metadata: fields.channel_id ? null : { location: 'Somewhere' },
      ...fields,
      id,
      guild_id: guild.id,
    });
  }
  for (const { sound_id = nextId(), ...fields } of soundboard) {
    guild.soundboard.set(sound_id, {
      ...{ volume: 1, emoji_id: null, emoji_name: null, available: true, user_id: owner_id },
      ...fields,
      sound_id,
      guild_id: guild.id,
    });
  }
};

const restorePrompt = (
  nextId: () => string,
  { id = nextId(), options, ...fields }: z.output<typeof promptSchema>,
): OnboardingPrompt => ({
  ...{ single_select: false, required: false, in_onboarding: true, type: 0 },
  ...fields,
  id,
  options: options.map(({ id: optionId = nextId(), ...option }) => ({
    ...{ description: '', emoji: { id: null, name: null, animated: false } },
    ...option,
    id: optionId,
  })),
});
