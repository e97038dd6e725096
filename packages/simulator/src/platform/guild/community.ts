/** What a community is run with, besides its channels and roles. Fields are named as in the API. */
export type AutomodRule = {
  id: string;
  guild_id: string;
  creator_id: string;
  name: string;
  event_type: number;
  trigger_type: number;
  trigger_metadata: Record<string, unknown>;
  actions: { type: number; metadata: Record<string, unknown> }[];
  enabled: boolean;
  exempt_roles: string[];
  exempt_channels: string[];
};

type OnboardingOption = {
  id: string;
  title: string;
  description: string;
  emoji: { id: string | null; name: string | null; animated: boolean };
  role_ids: string[];
  channel_ids: string[];
};

export type OnboardingPrompt = {
  id: string;
  title: string;
  options: OnboardingOption[];
  single_select: boolean;
  required: boolean;
  in_onboarding: boolean;
  type: number;
};

export type Onboarding = {
  prompts: OnboardingPrompt[];
  default_channel_ids: string[];
  enabled: boolean;
  mode: number;
};

/** Whether it is shown is a feature of the guild, WELCOME_SCREEN_ENABLED. */
export type WelcomeScreen = {
  description: string | null;
  welcome_channels: {
    channel_id: string;
    description: string;
    emoji_id: string | null;
    emoji_name: string | null;
  }[];
};

export type ScheduledEvent = {
  id: string;
  guild_id: string;
  channel_id: string | null;
  creator_id: string;
  name: string;
  description: string | null;
  image: string | null;
  scheduled_start_time: string;
  scheduled_end_time: string | null;
  privacy_level: 2;
  /** 1 scheduled, 2 active, 3 completed, 4 cancelled. */
  status: number;
  /** 1 on a stage, 2 in a voice channel, 3 elsewhere. */
  entity_type: number;
  entity_id: string | null;
  entity_metadata: { location?: string } | null;
  recurrence_rule: Record<string, unknown> | null;
  user_count: number;
};

export type Sound = {
  sound_id: string;
  guild_id: string;
  name: string;
  volume: number;
  emoji_id: string | null;
  emoji_name: string | null;
  available: boolean;
  user_id: string | null;
};
