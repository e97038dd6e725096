import { z } from 'zod';
import { automodRule, onboarding, scheduledEvent } from '../shapes/parts.ts';
import { automodRuleOf } from './automod.ts';
import { eventOf } from './events.ts';
import { onboardingOf } from './newcomers.ts';

/** In place of a name: the value holds several of our fields, by their names. */
export const manyFields = '*';

export type Fields = Record<string, readonly [field: string, shape: z.ZodType]>;

const text = z.string().nullable();
const ids = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? []);

const plainRule = {
  ...{ id: '', name: '', event_type: 1, trigger_type: 1, trigger_metadata: null, actions: [] },
  ...{ enabled: true, exempt_roles: [], exempt_channels: [] },
};
const ruleOf = (fields: Partial<z.input<typeof automodRule>>) =>
  automodRuleOf(automodRule.parse({ ...plainRule, ...fields }));

const trigger = automodRule.shape.trigger_metadata.transform((trigger_metadata) => {
  const rule = ruleOf({ trigger_metadata });
  const { keywords, patterns, presets, allowedWords, mentionLimit } = rule;
  const { isRaidProtectionEnabled } = rule;
  return { keywords, patterns, presets, allowedWords, mentionLimit, isRaidProtectionEnabled };
});

export const automodFields: Fields = {
  name: ['name', z.string()],
  event_type: ['eventType', z.int()],
  trigger_type: ['triggerType', z.int()],
  trigger_metadata: [manyFields, trigger],
  actions: [
    'actions',
    automodRule.shape.actions.transform((all) => ruleOf({ actions: all }).actions),
  ],
  enabled: ['isEnabled', z.boolean()],
  exempt_roles: ['exemptRoleIds', ids],
  exempt_channels: ['exemptChannelIds', ids],
};

const plainEvent = {
  ...{ id: '', name: '', description: null, entity_type: 3, channel_id: null, image: null },
  ...{ entity_metadata: null, scheduled_start_time: '2020-01-01T00:00:00Z' },
  ...{ scheduled_end_time: null, recurrence_rule: null },
};
const eventWith = (fields: Partial<z.input<typeof scheduledEvent>>) =>
  eventOf(scheduledEvent.parse({ ...plainEvent, ...fields }));

const moment = z.iso.datetime({ offset: true }).transform((at) => new Date(at).toISOString());

export const eventFields: Fields = {
  name: ['name', z.string()],
  description: ['description', text.transform((value) => value || null)],
  channel_id: ['channelId', text],
  entity_type: [
    'venue',
    z.literal([1, 2, 3]).transform((entity_type) => eventWith({ entity_type }).venue),
  ],
  entity_metadata: [
    'location',
    scheduledEvent.shape.entity_metadata.transform((place) => place?.location ?? null),
  ],
  location: ['location', text],
  scheduled_start_time: ['startsAt', moment],
  scheduled_end_time: ['endsAt', moment.nullable()],
  recurrence_rule: [
    'recurrence',
    scheduledEvent.shape.recurrence_rule
      .refine((rule) => rule === null || !Number.isNaN(Date.parse(rule.start)))
      .transform((recurrence_rule) => eventWith({ recurrence_rule }).recurrence),
  ],
  image_hash: ['imageHash', text],
};

export const soundFields: Fields = {
  name: ['name', z.string()],
  volume: ['volume', z.coerce.number()],
  emoji_id: ['emojiId', text],
  emoji_name: ['emojiName', text],
};

const noOnboarding = { enabled: false, mode: 0, default_channel_ids: [], prompts: [] };

export const onboardingFields: Fields = {
  enabled: ['isEnabled', z.boolean()],
  mode: ['mode', z.int()],
  default_channel_ids: ['defaultChannelIds', ids],
  prompts: [
    'prompts',
    onboarding.shape.prompts.transform(
      (prompts) => onboardingOf({ ...noOnboarding, prompts }).prompts,
    ),
  ],
};
