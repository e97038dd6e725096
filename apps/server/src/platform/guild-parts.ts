import { z } from 'zod';

/**
 * The parts of a guild that surround its channels and roles, in our own format, as `guild.ts` has the
 * rest. Who created them is not among the fields: a backup holds no more of people than it needs.
 */

const id = z.string();
const int = z.number().int();

export const automodRule = z.object({
  id,
  name: z.string(),
  /** When it is checked, and by what: the platform's own numbers. */
  eventType: int,
  triggerType: int,
  keywords: z.array(z.string()),
  patterns: z.array(z.string()),
  presets: z.array(int),
  allowedWords: z.array(z.string()),
  mentionLimit: int.nullable(),
  isRaidProtectionEnabled: z.boolean().nullable(),
  actions: z.array(
    z.object({
      type: int,
      /** Where alerts are posted. */
      channelId: id.nullable(),
      durationSeconds: int.nullable(),
      customMessage: z.string().nullable(),
    }),
  ),
  isEnabled: z.boolean(),
  exemptRoleIds: z.array(id),
  exemptChannelIds: z.array(id),
});

const emojiRef = { emojiId: id.nullable(), emojiName: z.string().nullable() };

const onboardingOption = z.object({
  id,
  title: z.string(),
  description: z.string().nullable(),
  ...emojiRef,
  isEmojiAnimated: z.boolean(),
  channelIds: z.array(id),
  roleIds: z.array(id),
});

const onboardingPrompt = z.object({
  id,
  type: int,
  title: z.string(),
  isSingleSelect: z.boolean(),
  isRequired: z.boolean(),
  /** Else it is shown only in the list of channels and roles. */
  isInOnboarding: z.boolean(),
  options: z.array(onboardingOption),
});

export const onboarding = z.object({
  isEnabled: z.boolean(),
  mode: int,
  defaultChannelIds: z.array(id),
  prompts: z.array(onboardingPrompt),
});

export const welcomeScreen = z.object({
  isEnabled: z.boolean(),
  description: z.string().nullable(),
  channels: z.array(z.object({ channelId: id, description: z.string(), ...emojiRef })),
});

const recurrence = z.object({
  startsAt: z.string(),
  frequency: int,
  interval: int,
  byWeekday: z.array(int).nullable(),
  byNthWeekday: z.array(z.object({ n: int, day: int })).nullable(),
  byMonth: z.array(int).nullable(),
  byMonthDay: z.array(int).nullable(),
});

export const scheduledEvent = z.object({
  id,
  name: z.string(),
  description: z.string().nullable(),
  /** Where it takes place: a voice or stage channel, or a place outside of the platform. */
  venue: z.enum(['stage', 'voice', 'external']),
  channelId: id.nullable(),
  location: z.string().nullable(),
  startsAt: z.string(),
  endsAt: z.string().nullable(),
  recurrence: recurrence.nullable(),
  imageHash: z.string().nullable(),
});

export const sound = z.object({
  id,
  name: z.string(),
  volume: z.number(),
  ...emojiRef,
});

const webhookKinds = ['incoming', 'follower', 'application'] as const;

/** Never with its token, which is the right to post. */
export const webhook = z.object({
  id,
  kind: z.enum(webhookKinds),
  name: z.string().nullable(),
  channelId: id.nullable(),
  avatarHash: z.string().nullable(),
  /** What a follower repeats: the name of another guild and its channel. */
  source: z.string().nullable(),
});

/** No API makes it again; it is kept so that its loss can be reported. Its code is the right to join. */
export const invite = z.object({
  code: z.string(),
  channelId: id.nullable(),
  maxUses: int,
  expiresAt: z.string().nullable(),
});

export type AutomodRule = z.output<typeof automodRule>;
export type Onboarding = z.output<typeof onboarding>;
export type WelcomeScreen = z.output<typeof welcomeScreen>;
export type ScheduledEvent = z.output<typeof scheduledEvent>;
export type Sound = z.output<typeof sound>;
export type Webhook = z.output<typeof webhook>;
export type Invite = z.output<typeof invite>;
