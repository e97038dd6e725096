import { z } from 'zod';
import type { GuildCalls } from '../client/bot-client.ts';
import { path } from '../client/urls.ts';
import { PlatformFailure } from '../failures.ts';
import type { PartsPlatform } from '../parts-port.ts';
import { automodRule, onboarding, welcomeScreen } from '../shapes/parts.ts';
import { automodRuleBodyOf, automodRuleOf } from '../translate/automod.ts';
import {
  onboardingBodyOf,
  onboardingOf,
  welcomeScreenBodyOf,
  welcomeScreenOf,
} from '../translate/newcomers.ts';

type AutomodCalls = Pick<
  PartsPlatform,
  'readAutomodRules' | 'createAutomodRule' | 'editAutomodRule' | 'deleteAutomodRule'
>;

export const createAutomodCalls = ({ guildId, call, send }: GuildCalls): AutomodCalls => ({
  async readAutomodRules() {
    const endpoint = path`guilds/${guildId}/auto-moderation/rules`;
    const answer = z.array(automodRule).nullable();
    return ((await call({ method: 'GET', path: endpoint, answer })) ?? []).map(automodRuleOf);
  },
  async createAutomodRule(input) {
    const created = await call({
      method: 'POST',
      path: path`guilds/${guildId}/auto-moderation/rules`,
      body: { ...automodRuleBodyOf(input), trigger_type: input.triggerType },
      answer: automodRule,
    });
    return automodRuleOf(created);
  },
  editAutomodRule: async (ruleId, input) =>
    send({
      method: 'PATCH',
      path: path`guilds/${guildId}/auto-moderation/rules/${ruleId}`,
      body: automodRuleBodyOf(input),
    }),
  deleteAutomodRule: async (ruleId) =>
    send({ method: 'DELETE', path: path`guilds/${guildId}/auto-moderation/rules/${ruleId}` }),
});

type NewcomerCalls = Pick<
  PartsPlatform,
  | 'readOnboarding'
  | 'pauseOnboarding'
  | 'setOnboarding'
  | 'readWelcomeScreen'
  | 'setWelcomeScreen'
  | 'setWidget'
>;

/** The platform's answer where a guild has no welcome screen. */
const unknownWelcomeScreen = 10069;

/** What those see first who are new to the guild, or not in it. */
export const createNewcomerCalls = ({ guildId, call, send }: GuildCalls): NewcomerCalls => ({
  async readOnboarding() {
    const endpoint = path`guilds/${guildId}/onboarding`;
    return onboardingOf(await call({ method: 'GET', path: endpoint, answer: onboarding }));
  },
  pauseOnboarding: async () =>
    send({
      method: 'PUT',
      path: path`guilds/${guildId}/onboarding`,
      body: { enabled: false, default_channel_ids: [] },
    }),
  setOnboarding: async (wish) =>
    send({
      method: 'PUT',
      path: path`guilds/${guildId}/onboarding`,
      body: onboardingBodyOf(wish),
    }),
  async readWelcomeScreen() {
    const endpoint = path`guilds/${guildId}/welcome-screen`;
    try {
      return welcomeScreenOf(await call({ method: 'GET', path: endpoint, answer: welcomeScreen }));
    } catch (error) {
      const isMissing = error instanceof PlatformFailure && error.code === unknownWelcomeScreen;
      if (!isMissing) throw error;
      return undefined;
    }
  },
  setWelcomeScreen: async (screen) =>
    send({
      method: 'PATCH',
      path: path`guilds/${guildId}/welcome-screen`,
      body: welcomeScreenBodyOf(screen),
    }),
  setWidget: async ({ isEnabled, channelId }) =>
    send({
      method: 'PATCH',
      path: path`guilds/${guildId}/widget`,
      body: { enabled: isEnabled, channel_id: channelId },
    }),
});
