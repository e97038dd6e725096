import { z } from 'zod';
import { count, idParams, timestamp, uuid } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';

/** Fire drills: an attack on a copy of a server, to measure what protection would do. */

export const drillStatuses = ['queued', 'running', 'completed', 'failed'] as const;
export type DrillStatus = (typeof drillStatuses)[number];

/** How a drill went, or why there was none. */
export const drillOutcomes = [
  'STOPPED',
  'NOT_STOPPED',
  'NOT_DETECTED',
  'SWITCHED_OFF',
  'NO_GOOD_BACKUP',
  'NOTHING_TO_DESTROY',
  'ROLE_TOO_HIGH',
  'MISSING_PERMISSION',
  'EVERYONE',
] as const;
export type DrillOutcome = (typeof drillOutcomes)[number];

const afterMs = z.int().min(0).nullable();

const drillFigures = z.object({
  objects: count.describe('Channels and roles of the copy.'),
  objectsLost: count.describe('Channels and roles that the attacker deleted.'),
  detectedAfterMs: afterMs.describe('From the first act of the attacker, as the two below.'),
  stoppedAfterMs: afterMs,
  repairedAfterMs: afterMs.describe('Null if nothing was repaired.'),
  differences: count
    .nullable()
    .describe('Between the copy before the attack and after the repair; 0 is exact.'),
});
export type DrillFigures = z.output<typeof drillFigures>;

const drill = z.object({
  id: uuid,
  serverId: uuid,
  status: z.enum(drillStatuses),
  isScheduled: z.boolean().describe('Whether it began by itself.'),
  outcome: z.enum(drillOutcomes).nullable().describe('Null until it is completed.'),
  detail: z.string().nullable().describe('The outcome, or why it failed, in a sentence.'),
  figures: drillFigures.nullable().describe('Null if there was no attack.'),
  membersReachable: count.nullable().describe('Members who can be brought back by a pull.'),
  membersTotal: count.nullable(),
  createdAt: timestamp,
  completedAt: timestamp.nullable(),
});
export type Drill = z.output<typeof drill>;

export const drillEndpoints = endpointsOf('Dashboard', {
  listDrills: {
    method: 'GET',
    path: '/servers/:id/drills',
    summary: 'List the last fire drills of a server',
    description: 'Newest first, at most 12.',
    scope: 'servers:read',
    owner: 'server',
    params: idParams,
    data: z.object({
      isEnabled: z.boolean().describe('Whether this service does fire drills.'),
      drills: z.array(drill),
    }),
  },

  startDrill: {
    method: 'POST',
    path: '/servers/:id/drills',
    summary: 'Start a fire drill',
    description:
      'Attacks a copy of the server, made from its last good backup, and measures how soon the attacker is stopped and the damage repaired. The server itself is not touched.',
    scope: 'servers:write',
    freshSecondFactor: 'never',
    owner: 'server',
    params: idParams,
    status: 202,
    data: drill,
    refusals: {
      409: 'A drill of this server is under way, or this service does none.',
      429: 'The last drill of this server began less than an hour ago.',
    },
  },
});
