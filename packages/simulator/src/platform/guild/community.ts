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
