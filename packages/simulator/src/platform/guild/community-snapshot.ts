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

/** The part of a guild's state that community-snapshot.ts reads and sets. */
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
};

const communitySchema = z.object(communityFields);
type CommunitySnapshot = z.output<typeof communitySchema>;

export const snapshotCommunity = (guild: Guild) => ({
  automod: [...guild.automod.values()],
  onboarding: guild.onboarding,
  welcomeScreen: guild.welcomeScreen,
});

export const restoreCommunity = (
  guild: Guild,
  snapshot: CommunitySnapshot,
  nextId: () => string,
) => {
  restoreAutomod(guild, snapshot, nextId);
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
