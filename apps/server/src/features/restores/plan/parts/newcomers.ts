import { isDeepStrictEqual } from 'node:util';
import type { Onboarding, WelcomeScreen } from '../../../../platform/guild-parts.ts';
import type { Community } from '../community.ts';
import { type DraftStep, draftStep } from '../step.ts';
import { isVisibleToEveryone } from '../visibility.ts';
import { isSettled, type References, willExist } from './known-ids.ts';
import type { PlanParts } from './parts-context.ts';
import { channelIn, resolveOnboarding, resolveScreen } from './resolve-parts.ts';

/** What steps, losses and differences call these; there is one of each. */
export const onboardingName = 'the onboarding';
export const screenName = 'the welcome screen';
export const widgetName = 'the widget';

export const noOnboarding: Onboarding = {
  isEnabled: false,
  mode: 0,
  defaultChannelIds: [],
  prompts: [],
};
const noScreen: WelcomeScreen = { isEnabled: false, description: null, channels: [] };

/** One call replaces all of it. It comes last: its channels must be visible. */
export const planOnboarding = (input: PlanParts, community: Community): DraftStep[] => {
  const { context, known } = input;
  const saved = context.snapshot.onboarding?.[0];
  const now = context.current.parts?.onboarding ?? noOnboarding;
  // A guild that was no community had none: that says nothing about what there should be.
  if (!saved) return [];
  const wish = withKnownIds(withVisibleDefaults(input, saved), now);
  const isSame = !input.isOnboardingPaused && isSettled(known, referencesOf(wish));
  if (isSame && isSameOnboarding(resolveOnboarding(wish, known.map), now)) return [];
  if (!community.isFinally) {
    context.lose('onboarding', onboardingName, { code: 'needsCommunity' });
    return [];
  }
  const action = { do: 'setOnboarding', wish } as const;
  const name = onboardingName;
  return [draftStep({ key: name, stage: 'welcome', name, action })];
};

/** The platform refuses all of it for the sake of one default channel that not everyone sees. */
const withVisibleDefaults = (input: PlanParts, saved: Onboarding): Onboarding => ({
  ...saved,
  defaultChannelIds: saved.defaultChannelIds.filter((oldId) => {
    const isVisible = willExist(input.known, 'channels', oldId) && isOpen(input, oldId);
    if (isVisible) return true;
    const { savedChannels, lose } = input.context;
    const channel = savedChannels.find(({ id }) => id === oldId)?.name ?? oldId;
    lose('onboarding', onboardingName, { code: 'defaultChannelHidden', channel });
    return false;
  }),
});

const isOpen = ({ context, known }: PlanParts, oldId: string): boolean => {
  const { everyone, snapshot, current, savedChannels, restores } = context;
  const saved = savedChannels.find(({ id }) => id === oldId);
  if (restores('channels') && saved) {
    return isVisibleToEveryone(everyone.saved, saved.overwrites, snapshot.guildId);
  }
  const live = current.channels.find(({ id }) => id === channelIn(known.map, oldId));
  return live ? isVisibleToEveryone(everyone.final, live.overwrites, current.guildId) : false;
};

/** What the target knows keeps its id; what it does not know needs any other. */
const withKnownIds = (wish: Onboarding, now: Onboarding): Onboarding => {
  const liveIds = new Set(
    now.prompts.flatMap(({ id, options }) => [id, ...options.map((o) => o.id)]),
  );
  let invented = 0;
  const idFor = (id: string) => (liveIds.has(id) ? id : String(++invented));
  return {
    ...wish,
    prompts: wish.prompts.map((prompt) => ({
      ...prompt,
      id: idFor(prompt.id),
      options: prompt.options.map((option) => ({ ...option, id: idFor(option.id) })),
    })),
  };
};

const referencesOf = ({ defaultChannelIds, prompts }: Onboarding): References => {
  const options = prompts.flatMap((prompt) => prompt.options);
  return {
    roles: options.flatMap(({ roleIds }) => roleIds),
    channels: [...defaultChannelIds, ...options.flatMap(({ channelIds }) => channelIds)],
    emojis: options.map(({ emojiId }) => emojiId),
  };
};

/** With the ids of one guild; those of prompts and options mean nothing. */
export const isSameOnboarding = (one: Onboarding, other: Onboarding): boolean =>
  isDeepStrictEqual(comparable(one), comparable(other));

const comparable = ({ isEnabled, mode, defaultChannelIds, prompts }: Onboarding) => ({
  isEnabled,
  mode,
  defaultChannelIds: [...defaultChannelIds].sort(),
  prompts: prompts.map(({ id: _, options, ...prompt }) => ({
    ...prompt,
    options: options.map(({ id: __, emojiId, emojiName, isEmojiAnimated: ___, ...option }) => ({
      ...option,
      // A custom emoji is known by its id alone.
      emoji: emojiId ?? emojiName,
      channelIds: [...option.channelIds].sort(),
      roleIds: [...option.roleIds].sort(),
    })),
  })),
});

export const planWelcomeScreen = (input: PlanParts, community: Community): DraftStep[] => {
  const { context, known } = input;
  const saved = context.snapshot.welcomeScreen?.[0];
  const now = context.current.parts?.welcomeScreen ?? noScreen;
  // The platform hides one that is not shown from bots that may not manage the server.
  if (!saved) return [];
  const references = {
    channels: saved.channels.map(({ channelId }) => channelId),
    emojis: saved.channels.map(({ emojiId }) => emojiId),
  };
  for (const { channelId, description: text } of saved.channels) {
    if (willExist(known, 'channels', channelId)) continue;
    context.lose('welcomeScreen', screenName, { code: 'welcomeChannelMissing', text });
  }
  const isSettledNow = isSettled(known, references);
  if (isSettledNow && isSameScreen(resolveScreen(saved, known.map), now)) return [];
  if (!community.isFinally) {
    context.lose('welcomeScreen', screenName, { code: 'needsCommunity' });
    return [];
  }
  const name = screenName;
  const action = { do: 'setWelcomeScreen', wish: saved } as const;
  return [draftStep({ key: name, stage: 'welcome', name, action })];
};

/** The order of its channels is what people see. */
export const isSameScreen = (one: WelcomeScreen, other: WelcomeScreen): boolean =>
  isDeepStrictEqual(comparableScreen(one), comparableScreen(other));

const comparableScreen = ({ isEnabled, description, channels }: WelcomeScreen) => ({
  isEnabled,
  description: description || null,
  channels: channels.map(({ emojiId, emojiName, channelId, description: text }) => ({
    channelId,
    text,
    emoji: emojiId ?? emojiName,
  })),
});

/** The widget is one of the settings, and names a channel as others of them do. */
export const planWidget = ({ context, known }: PlanParts): DraftStep[] => {
  const saved = context.snapshot.settings?.[0]?.widget;
  const now = context.current.parts?.widget;
  if (!saved || !now) return [];
  const { isEnabled, channelId } = saved;
  const isSettledNow = isSettled(known, { channels: [channelId] });
  const isSame = isEnabled === now.isEnabled && channelIn(known.map, channelId) === now.channelId;
  if (isSettledNow && isSame) return [];
  if (channelId !== null && !willExist(known, 'channels', channelId)) {
    context.lose('settings', widgetName, { code: 'settingChannelMissing' });
    return [];
  }
  const action = { do: 'setWidget', isEnabled, channelId } as const;
  return [draftStep({ key: 'widget', stage: 'welcome', name: widgetName, action })];
};
