import type { Onboarding, WelcomeScreen } from '../../../../platform/guild-parts.ts';
import type { AutomodRuleInput } from '../../../../platform/parts-port.ts';
import { type IdMap, resolveRoles } from '../id-map.ts';

/**
 * The same things with the ids of the target. What the target does not have is left out: an exception
 * for a channel that is not there, the icon of an option whose emoji is gone.
 */

/** Null where the target has no such channel. */
export const channelIn = (map: IdMap, oldId: string | null): string | null =>
  oldId === null ? null : (map.channels[oldId] ?? map.standIns?.[oldId] ?? null);

const channelsIn = (map: IdMap, oldIds: string[]): string[] =>
  oldIds.flatMap((oldId) => channelIn(map, oldId) ?? []);

type EmojiFields = { emojiId: string | null; emojiName: string | null };

export const emojiIn = (map: IdMap, { emojiId, emojiName }: EmojiFields): EmojiFields => {
  if (emojiId === null) return { emojiId, emojiName };
  const id = map.emojis[emojiId];
  return id === undefined ? { emojiId: null, emojiName: null } : { emojiId: id, emojiName };
};

export const resolveRule = (rule: AutomodRuleInput, map: IdMap): AutomodRuleInput => ({
  ...rule,
  actions: rule.actions.flatMap((action) => {
    const channelId = channelIn(map, action.channelId);
    const isLost = action.channelId !== null && channelId === null;
    return isLost ? [] : [{ ...action, channelId }];
  }),
  exemptRoleIds: resolveRoles(rule.exemptRoleIds, map),
  exemptChannelIds: channelsIn(map, rule.exemptChannelIds),
});

/** An option must lead to a channel or role, and a prompt must have an option. */
export const resolveOnboarding = (wish: Onboarding, map: IdMap): Onboarding => ({
  ...wish,
  defaultChannelIds: channelsIn(map, wish.defaultChannelIds),
  prompts: wish.prompts
    .map((prompt) => ({
      ...prompt,
      options: prompt.options
        .map((option) => ({
          ...option,
          ...emojiIn(map, option),
          channelIds: channelsIn(map, option.channelIds),
          roleIds: resolveRoles(option.roleIds, map),
        }))
        .filter(({ channelIds, roleIds }) => channelIds.length + roleIds.length > 0),
    }))
    .filter(({ options }) => options.length > 0),
});

export const resolveScreen = (wish: WelcomeScreen, map: IdMap): WelcomeScreen => ({
  ...wish,
  channels: wish.channels.flatMap((channel) => {
    const channelId = channelIn(map, channel.channelId);
    return channelId === null ? [] : [{ ...channel, ...emojiIn(map, channel), channelId }];
  }),
});
