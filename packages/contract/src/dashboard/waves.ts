import { z } from 'zod';
import { booleanText, count, idParams, paginationQuery, platformId, timestamp } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';

/** The review of a wave of newcomers: what an incident of the kind RAID is about. */

const waveDecisions = ['KEEP', 'KICK', 'BAN'] as const;
export type WaveDecision = (typeof waveDecisions)[number];

/**
 * `seen`: came during the wave and is not held. `held`: waits for the decision. `removing`: is being
 * removed. The rest is what became of those who were held.
 */
export const newcomerStatuses = [
  'seen',
  'held',
  'removing',
  'kept',
  'kicked',
  'banned',
  'spared',
  'gone',
  'failed',
] as const;
export type NewcomerStatus = (typeof newcomerStatuses)[number];

/** Why somebody who was held was not removed. */
const newcomerCodes = [
  'VERIFIED',
  'TRUSTED',
  'HAS_ROLES',
  'BOT_CANNOT_REMOVE',
  'PLATFORM_REFUSED',
] as const;
export type NewcomerCode = (typeof newcomerCodes)[number];

const wave = z.object({
  startedAt: timestamp,
  lastJoinAt: timestamp.describe('When the last young account joined.'),
  overAt: timestamp
    .nullable()
    .describe('Null while it goes on. Then checks and invites are again as they were.'),
  minAccountAgeDays: count.describe('Younger accounts counted as part of the wave.'),
  joins: count.describe('How many of these joined.'),
  newcomers: count.describe('Everybody who joined during the wave and had not verified before.'),
  counts: z
    .object(
      // `fromEntries` forgets the names.
      Object.fromEntries(newcomerStatuses.map((status) => [status, count])) as Record<
        NewcomerStatus,
        typeof count
      >,
    )
    .describe('Those who are listed, by what became of them.'),
  decision: z.enum(waveDecisions).nullable(),
  decidedAt: timestamp.nullable(),
});

const newcomer = z.object({
  id: platformId.describe('The id that the platform gave them.'),
  username: z.string().describe('Empty where the platform did not say.'),
  joinedAt: timestamp,
  accountCreatedAt: timestamp.nullable(),
  isYoung: z.boolean(),
  hasPicture: z.boolean(),
  isAlike: z.boolean().describe('Others of the wave have a name of the same form.'),
  score: count.describe('How much they look like part of the wave: 0 to 100.'),
  status: z.enum(newcomerStatuses),
  code: z.enum(newcomerCodes).nullable().describe('Why they were not removed.'),
});

export const waveEndpoints = endpointsOf('Dashboard', {
  getWave: {
    method: 'GET',
    path: '/incidents/:id/wave',
    summary: 'Read the wave of newcomers of an incident',
    scope: 'alerts:read',
    params: idParams,
    data: wave,
    refusals: { 404: 'No such incident, or it is not a raid.' },
  },

  listNewcomers: {
    method: 'GET',
    heavy: true,
    mayReadStandby: true,
    path: '/incidents/:id/newcomers',
    summary: 'List the newcomers of a wave',
    description:
      'Those who wait for the decision first, and among them those who look most like part of it.',
    scope: 'alerts:read',
    params: idParams,
    query: paginationQuery.extend({
      isHeld: booleanText
        .optional()
        .describe('Only those who are or were held, or only the others.'),
    }),
    data: newcomer,
    paginated: true,
    refusals: { 404: 'No such incident, or it is not a raid.' },
  },

  decideWave: {
    method: 'POST',
    path: '/incidents/:id/wave/decision',
    summary: 'Keep, kick or ban all newcomers who are held',
    description:
      'Once. `KEEP` ends the wave and dismisses the incident. The others are carried out one by one: whoever is verified, trusted or has been given a role is spared.',
    scope: 'alerts:write',
    freshSecondFactor: 'always',
    params: idParams,
    body: z.object({ decision: z.enum(waveDecisions) }),
    status: 202,
    data: wave,
    refusals: {
      404: 'No such incident, or it is not a raid.',
      409: 'It is decided already, or has ended.',
    },
  },
});
