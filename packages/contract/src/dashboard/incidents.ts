import { z } from 'zod';
import { count, idParams, paginationQuery, platformId, timestamp, uuid } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';
import { notStopped } from '../incidents.ts';
import { fieldChange } from '../restores.ts';

/** Views of the dashboard on an incident: what happened in which order, and every act. */

const kindOfAct = z.string().describe('A kind of the thresholds, one that has none, or `other`.');
const action = z.string().meta({ example: 'channelDeleted' });

const actGroup = z.object({
  executorId: platformId,
  kind: kindOfAct,
  action,
  count,
  firstAt: timestamp,
  lastAt: timestamp,
  names: z.array(z.string()).describe('Of the first few objects that it was done to.'),
});

const executor = z.object({
  platformId,
  username: z.string(),
  isBot: z.boolean(),
  status: z.string().describe('`pending`, `stopped` or `unstoppable`.'),
  notStopped,
  rolesTaken: z.array(platformId),
  stoppedAt: timestamp.nullable(),
  returnStatus: z.string().nullable().describe('How giving the roles back stands.'),
  returnedAt: timestamp.nullable(),
});

const step = z.object({
  seq: z.int(),
  kind: z.string().meta({ example: 'PAUSE_INVITES' }),
  executorId: platformId.nullable(),
  status: z.enum(['begun', 'done', 'failed']),
  code: z.string().nullable().describe('Why it failed.'),
  isKicked: z.boolean().describe('The bot was removed, instead of its roles being taken.'),
  at: timestamp,
  endedAt: timestamp.nullable(),
});

const course = z.object({
  trigger: z.object({ kind: z.string(), executorId: platformId.nullable() }),
  firstActAt: timestamp,
  detectedAt: timestamp,
  containedAt: timestamp.nullable(),
  invitesPausedUntil: timestamp.nullable(),
  snapshotBackupId: uuid.nullable().describe('The server as it was when the attack was contained.'),
  executors: z.array(executor),
  groups: z.array(actGroup).describe('What each did, the first first; one entry for each action.'),
  steps: z.array(step).describe('What Holdfast did about it, in order.'),
  notBroughtBack: z
    .array(z.string())
    .describe('Of what they did, that which no repair takes back, and what to do about it.'),
});
export type IncidentCourse = z.output<typeof course>;

const act = z.object({
  id: z.string(),
  at: timestamp,
  executorId: platformId,
  kind: kindOfAct,
  action,
  targetId: z.string().nullable(),
  name: z.string().nullable().describe('Of the object, where the audit log tells it.'),
  changes: z.array(fieldChange).describe('Before and after, field by field.'),
});
export type IncidentAct = z.output<typeof act>;

const actsQuery = paginationQuery.extend({
  executorId: platformId.optional(),
  action: z.string().min(1).max(64).optional(),
});
export type ActsQuery = z.output<typeof actsQuery>;

export const incidentViewEndpoints = endpointsOf('Dashboard', {
  getIncidentCourse: {
    method: 'GET',
    heavy: true,
    mayReadStandby: true,
    path: '/incidents/:id/course',
    summary: 'Follow an incident: who did what, and what was done about it',
    scope: 'alerts:read',
    params: idParams,
    data: course,
    refusals: { 404: 'No such incident.' },
  },

  listIncidentActs: {
    method: 'GET',
    path: '/incidents/:id/acts',
    summary: 'List every act of an incident',
    description: 'In the order in which they were done.',
    scope: 'alerts:read',
    params: idParams,
    query: actsQuery,
    data: act,
    paginated: true,
    mayReadStandby: true,
    refusals: { 404: 'No such incident.' },
  },
});
