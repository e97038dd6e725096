import { z } from 'zod';
import {
  atLeastOneOf,
  identifyingPlatformId,
  idParams,
  note,
  platformId,
  timestamp,
} from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { type Conditions, changedTo, lowered } from './fresh-second-factor.ts';

/** Acts that are counted: so many of a kind by one executor within so many seconds are an attack. */
export const thresholdKinds = [
  'channelDeletes',
  'roleDeletes',
  'bans',
  'kicks',
  'webhookCreates',
  'emojiDeletes',
] as const;
export type ThresholdKind = (typeof thresholdKinds)[number];

const threshold = z
  .object({ count: z.int().min(1).max(100), perSeconds: z.int().min(1).max(3600) })
  .meta({ id: 'Threshold', example: { count: 3, perSeconds: 30 } });
export type Threshold = z.output<typeof threshold>;
export type Thresholds = Record<ThresholdKind, Threshold>;

export const defaultThresholds: Thresholds = {
  channelDeletes: { count: 3, perSeconds: 30 },
  roleDeletes: { count: 3, perSeconds: 30 },
  bans: { count: 5, perSeconds: 30 },
  kicks: { count: 5, perSeconds: 30 },
  webhookCreates: { count: 3, perSeconds: 30 },
  emojiDeletes: { count: 10, perSeconds: 60 },
};

/** Thresholds are this many times as high for trusted people and bots. */
export const trustedFactor = 5;

/** Something of every kind that is counted. */
export const byKind = <Schema extends z.ZodType>(schema: Schema) =>
  // `fromEntries` forgets the names.
  z.object(
    Object.fromEntries(thresholdKinds.map((kind) => [kind, schema])) as Record<
      ThresholdKind,
      Schema
    >,
  );

const raidThreshold = z
  .object({
    joins: z.int().min(1).max(1000),
    perSeconds: z.int().min(1).max(3600),
    minAccountAgeDays: z
      .int()
      .min(1)
      .max(3650)
      .describe('Only younger accounts count as part of a wave.'),
  })
  .meta({ id: 'RaidThreshold', example: { joins: 20, perSeconds: 10, minAccountAgeDays: 3 } });
export type RaidThreshold = z.output<typeof raidThreshold>;

export const defaultRaid: RaidThreshold = { joins: 20, perSeconds: 10, minAccountAgeDays: 3 };

const trusted = z
  .array(z.object({ platformId: identifyingPlatformId, note: note.default('') }))
  .max(50)
  .refine(
    (people) => new Set(people.map((person) => person.platformId)).size === people.length,
    'Must name everyone once',
  );

const disableDelayMinutes = z.int().min(0).max(1440);

/** Why something cannot be stopped, or cannot be stopped at present. */
export const limitCodes = [
  'NOT_CONNECTED',
  'NOT_ASKED',
  'NOT_IN_GUILD',
  'MISSING_PERMISSION',
  'MISSING_INTENT',
  'TIMED_OUT',
  'ROLE_TOO_HIGH',
  'OWNER',
  'NO_GOOD_BACKUP',
] as const;
export type LimitCode = (typeof limitCodes)[number];

const protection = z
  .object({
    antiNukeEnabled: z.boolean().meta({ example: true }),
    antiRaidEnabled: z.boolean().meta({ example: true }),
    thresholds: byKind(threshold).meta({
      description:
        'So many acts of a kind by one executor within so many seconds are an attack. A dangerous permission granted, a bot added or members pruned by somebody who is not trusted has no threshold: it is one at once.',
      example: defaultThresholds,
    }),
    raid: raidThreshold.describe('So many joins of young accounts within so many seconds.'),
    autoRepair: z
      .boolean()
      .describe('Whether a repair starts by itself once the executor is stopped.'),
    trusted: z.array(z.object({ platformId, note: z.string() })).meta({
      description: 'For these people and bots the thresholds are five times as high.',
      example: [{ platformId: '845678901234567890', note: 'Moderation bot' }],
    }),
    disableDelayMinutes: z
      .int()
      .meta({ description: 'How long every weakening of protection waits.', example: 60 }),
    pending: z
      .array(
        z.object({
          field: z.string().describe('Such as `antiNukeEnabled` or `thresholds.bans`.'),
          from: z.unknown(),
          to: z.unknown(),
          at: timestamp.describe('When it takes effect.'),
        }),
      )
      .meta({
        description: 'Weakenings that wait. PUT of the old value takes one back.',
        example: [{ field: 'autoRepair', from: true, to: false, at: '2026-01-31T13:00:00.000Z' }],
      }),
    cannotStop: z.array(z.object({ code: z.enum(limitCodes), detail: z.string() })).meta({
      description: 'Whom or what the bot could not stop at present, and what to change.',
      example: [],
    }),
  })
  .meta({ id: 'Protection' });

const protectionChanges = atLeastOneOf(
  z.object({
    antiNukeEnabled: z.boolean(),
    antiRaidEnabled: z.boolean(),
    thresholds: atLeastOneOf(byKind(atLeastOneOf(threshold))),
    raid: atLeastOneOf(raidThreshold),
    autoRepair: z.boolean(),
    trusted: trusted.describe('The whole list: 50 at most.'),
    disableDelayMinutes,
  }),
).meta({
  id: 'ProtectionChanges',
  example: { antiNukeEnabled: true, thresholds: { bans: { count: 4, perSeconds: 30 } } },
});
export type ProtectionChanges = z.output<typeof protectionChanges>;

/** Any number is harder to reach: more acts, or less time for them. */
const lessSensitive = (to: unknown, from: unknown): boolean =>
  raised(pickOf(to, ['count', 'joins']), from) ||
  lowered(pickOf(to, ['perSeconds', 'minAccountAgeDays']), from);

const raised = (to: object, from: unknown): boolean => isRecord(from) && lowered(from, to);

const pickOf = (value: unknown, names: string[]): object =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).filter(([name]) => names.includes(name)),
  );

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const anyLessSensitive = (to: unknown, from: unknown): boolean =>
  isRecord(to) &&
  isRecord(from) &&
  Object.entries(to).some(([kind, wanted]) => lessSensitive(wanted, from[kind]));

const idsOf = (people: unknown): unknown[] =>
  Array.isArray(people)
    ? people.map((person) => (isRecord(person) ? person.platformId : null))
    : [];

/** Somebody is trusted who was not. */
const trustsMore = (to: unknown, from: unknown): boolean =>
  idsOf(to).some((id) => !idsOf(from).includes(id));

/** What weakens protection: it waits, is an alert, and asks for the second factor. */
export const protectionWeakenings = {
  antiNukeEnabled: changedTo(false),
  antiRaidEnabled: changedTo(false),
  thresholds: anyLessSensitive,
  raid: lessSensitive,
  autoRepair: changedTo(false),
  trusted: trustsMore,
  disableDelayMinutes: lowered,
} as const satisfies Conditions;

export const protectionEndpoints = endpointsOf('Protection', {
  getProtection: {
    method: 'GET',
    heavy: true,
    path: '/servers/:id/protection',
    summary: 'Read how a server is protected',
    scope: 'servers:read',
    owner: 'server',
    params: idParams,
    data: protection,
  },

  updateProtection: {
    method: 'PUT',
    path: '/servers/:id/protection',
    summary: 'Change how a server is protected',
    description:
      'What is not named stays as it is. What weakens protection (switching off, trusting somebody, a threshold that is harder to reach, a shorter delay, no automatic repair) raises an alert at once, and waits `disableDelayMinutes`; with an API key at least 10 minutes. Everything else takes effect at once.',
    scope: 'servers:write',
    freshSecondFactor: { whenChanges: protectionWeakenings },
    owner: 'server',
    params: idParams,
    body: protectionChanges,
    data: protection,
    refusals: { 403: 'The plan does not include automatic repairs.' },
  },
});
