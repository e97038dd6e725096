import type {
  AutoModerationActionType,
  AutoModerationRuleEventType,
  AutoModerationRuleKeywordPresetType,
  AutoModerationRuleTriggerType,
  GuildOnboardingMode,
  GuildOnboardingPromptType,
  GuildScheduledEventEntityType,
} from 'discord-api-types/v10';
import { z } from 'zod';
import { openNumber, orNull } from './open.ts';

/** The fields that a backup stores; who created a thing is left out. */

const ids = z.array(z.string());

export const automodRule = z.object({
  id: z.string(),
  name: z.string(),
  event_type: openNumber<AutoModerationRuleEventType>(),
  trigger_type: openNumber<AutoModerationRuleTriggerType>(),
  trigger_metadata: z
    .object({
      keyword_filter: z.array(z.string()).nullish(),
      regex_patterns: z.array(z.string()).nullish(),
      presets: z.array(openNumber<AutoModerationRuleKeywordPresetType>()).nullish(),
      allow_list: z.array(z.string()).nullish(),
      mention_total_limit: z.number().nullish(),
      mention_raid_protection_enabled: z.boolean().nullish(),
    })
    .nullish(),
  actions: z.array(
    z.object({
      type: openNumber<AutoModerationActionType>(),
      metadata: z
        .object({
          channel_id: z.string().nullish(),
          duration_seconds: z.number().nullish(),
          custom_message: z.string().nullish(),
        })
        .nullish(),
    }),
  ),
  enabled: z.boolean(),
  exempt_roles: ids,
  exempt_channels: ids,
});

const optionEmoji = z.object({
  id: z.string().nullish(),
  name: z.string().nullish(),
  animated: z.boolean().nullish(),
});

export const onboarding = z.object({
  enabled: z.boolean(),
  mode: openNumber<GuildOnboardingMode>(),
  default_channel_ids: ids,
  prompts: z.array(
    z.object({
      id: z.string(),
      type: openNumber<GuildOnboardingPromptType>(),
      title: z.string(),
      single_select: z.boolean(),
      required: z.boolean(),
      in_onboarding: z.boolean(),
      options: z.array(
        z.object({
          id: z.string(),
          title: z.string(),
          description: orNull(z.string()),
          emoji: optionEmoji.nullish(),
          channel_ids: ids,
          role_ids: ids,
        }),
      ),
    }),
  ),
});

export const welcomeScreen = z.object({
  description: orNull(z.string()),
  welcome_channels: z.array(
    z.object({
      channel_id: z.string(),
      description: z.string(),
      emoji_id: orNull(z.string()),
      emoji_name: orNull(z.string()),
    }),
  ),
});

const recurrenceRule = z.object({
  start: z.string(),
  frequency: z.number(),
  interval: z.number(),
  by_weekday: orNull(z.array(z.number())),
  by_n_weekday: orNull(z.array(z.object({ n: z.number(), day: z.number() }))),
  by_month: orNull(z.array(z.number())),
  by_month_day: orNull(z.array(z.number())),
});

export const scheduledEvent = z.object({
  id: z.string(),
  name: z.string(),
  description: orNull(z.string()),
  entity_type: openNumber<GuildScheduledEventEntityType>(),
  channel_id: orNull(z.string()),
  entity_metadata: z.object({ location: z.string().nullish() }).nullish(),
  scheduled_start_time: z.string(),
  scheduled_end_time: orNull(z.string()),
  recurrence_rule: orNull(recurrenceRule),
  image: orNull(z.string()),
});

export const sound = z.object({
  sound_id: z.string(),
  name: z.string(),
  volume: z.number(),
  emoji_id: orNull(z.string()),
  emoji_name: orNull(z.string()),
});

export const webhook = z.object({
  id: z.string(),
  type: z.number(),
  name: orNull(z.string()),
  channel_id: orNull(z.string()),
  avatar: orNull(z.string()),
  source_guild: z.object({ name: z.string() }).nullish(),
  source_channel: z.object({ name: z.string() }).nullish(),
});

/** Only where an address is shown: nothing else reads a token. */
export const webhookWithToken = z.object({
  id: z.string(),
  channel_id: orNull(z.string()),
  token: z.string().nullish(),
});

export const invite = z.object({
  code: z.string(),
  channel: z.object({ id: z.string() }).nullish(),
  max_uses: z.number().nullish(),
  expires_at: z.string().nullish(),
});
