import type { z } from 'zod';
import type { Onboarding, WelcomeScreen } from '../guild-parts.ts';
import type { onboarding, welcomeScreen } from '../shapes/parts.ts';

export const onboardingOf = (from: z.output<typeof onboarding>): Onboarding => ({
  isEnabled: from.enabled,
  mode: from.mode,
  defaultChannelIds: from.default_channel_ids,
  prompts: from.prompts.map((prompt) => ({
    id: prompt.id,
    type: prompt.type,
    title: prompt.title,
    isSingleSelect: prompt.single_select,
    isRequired: prompt.required,
    isInOnboarding: prompt.in_onboarding,
    options: prompt.options.map((option) => ({
      id: option.id,
      title: option.title,
      // The platform stores an empty description as null or as an empty text.
      description: option.description || null,
      emojiId: option.emoji?.id ?? null,
      emojiName: option.emoji?.name ?? null,
      isEmojiAnimated: option.emoji?.animated ?? false,
      channelIds: option.channel_ids,
      roleIds: option.role_ids,
    })),
  })),
});

export const onboardingBodyOf = (wish: Onboarding) => ({
  enabled: wish.isEnabled,
  mode: wish.mode,
  default_channel_ids: wish.defaultChannelIds,
  prompts: wish.prompts.map((prompt) => ({
    id: prompt.id,
    type: prompt.type,
    title: prompt.title,
    single_select: prompt.isSingleSelect,
    required: prompt.isRequired,
    in_onboarding: prompt.isInOnboarding,
    options: prompt.options.map((option) => ({
      id: option.id,
      title: option.title,
      description: option.description,
      emoji_id: option.emojiId,
      emoji_name: option.emojiName,
      emoji_animated: option.isEmojiAnimated,
      channel_ids: option.channelIds,
      role_ids: option.roleIds,
    })),
  })),
});

export const welcomeScreenOf = ({
  description,
  welcome_channels,
}: z.output<typeof welcomeScreen>): Omit<WelcomeScreen, 'isEnabled'> => ({
  description,
  channels: welcome_channels.map((channel) => ({
    channelId: channel.channel_id,
    description: channel.description,
    emojiId: channel.emoji_id,
    emojiName: channel.emoji_name,
  })),
});

export const welcomeScreenBodyOf = (screen: WelcomeScreen) => ({
  enabled: screen.isEnabled,
  description: screen.description,
  welcome_channels: screen.channels.map((channel) => ({
    channel_id: channel.channelId,
    description: channel.description,
    emoji_id: channel.emojiId,
    emoji_name: channel.emojiName,
  })),
});
