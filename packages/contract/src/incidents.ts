import { z } from 'zod';
import {
  count,
  idParams,
  paginationQuery,
  pendingOf,
  platformId,
  timestamp,
  uuid,
} from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { notStoppedCodes } from './not-stopped.ts';
import { byKind } from './protection.ts';
import { restore, restorePlan } from './restores.ts';

export const incidentKinds = ['NUKE', 'RAID'] as const;
export type IncidentKind = (typeof incidentKinds)[number];
export const incidentStatuses = ['open', 'contained', 'repaired', 'dismissed'] as const;
export type IncidentStatus = (typeof incidentStatuses)[number];

/** Also while it is tried again. */
export const notStopped = z
  .object({ code: z.enum(notStoppedCodes), detail: z.string() })
  .nullable()
  .meta({
    description: 'Why they could not be stopped, and what to do about it; null where they were.',
    example: null,
  });

const afterMs = z.int().min(0).nullable();

const incident = z
  .object({
    id: uuid,
    serverId: uuid,
    kind: z.enum(incidentKinds),
    status: z.enum(incidentStatuses).meta({
      description:
        '`open`: it is being contained, or somebody could not be stopped: they are tried again when roles or members change. `contained`: everybody is stopped. Then `repaired`, or `dismissed` as honest.',
      example: 'contained',
    }),
    executors: z
      .array(
        z.object({
          platformId,
          username: z.string().meta({ example: 'stowaway' }),
          isBot: z.boolean(),
          stoppedAt: timestamp.nullable(),
          notStopped,
          rolesTaken: z.array(platformId).describe('Ids of roles; they can be given back.'),
        }),
      )
      .describe('Who did it.'),
    acts: z.object({ total: count, byKind: byKind(count) }).meta({
      description: 'What they did; acts of other kinds are only in the total.',
      example: {
        total: 4,
        byKind: {
          ...{ channelDeletes: 3, roleDeletes: 0, bans: 0 },
          ...{ kicks: 0, webhookCreates: 0, emojiDeletes: 0 },
        },
      },
    }),
    objectsLost: count.meta({
      description: 'Channels, roles, emojis and stickers that they deleted.',
      example: 3,
    }),
    detectedAfterMs: afterMs.meta({
      description: 'From the first act until it was an attack.',
      example: 1204,
    }),
    containedAfterMs: afterMs.meta({
      description: 'From the first act until the attack was contained.',
      example: 1840,
    }),
    backupId: uuid.nullable().meta({
      description:
        'The last good backup that was completed before the first act: every repair is from it, and it is kept until the incident is repaired, dismissed or older than 30 days. Null where there is none, and for a raid.',
    }),
    repairRestoreId: uuid.nullable().meta({ example: null }),
    pending: pendingOf(['dismiss', 'return-roles']).describe(
      'What a key has decided and has not taken effect yet; `DELETE /incidents/:id/pending` or a repair takes it back, and so does the dashboard.',
    ),
    createdAt: timestamp,
    endedAt: timestamp.nullable().meta({ example: null }),
  })
  .meta({ id: 'Incident' });

export const incidentEndpoints = endpointsOf('Protection', {
  listIncidents: {
    method: 'GET',
    path: '/servers/:id/incidents',
    summary: 'List incidents of a server',
    description: 'Newest first.',
    scope: 'alerts:read',
    owner: 'server',
    params: idParams,
    query: paginationQuery,
    data: incident,
    paginated: true,
    mayReadStandby: true,
  },

  getIncident: {
    method: 'GET',
    path: '/incidents/:id',
    summary: 'Read an incident',
    scope: 'alerts:read',
    params: idParams,
    data: incident,
    refusals: { 404: 'No such incident.' },
  },

  planIncidentRepair: {
    method: 'GET',
    heavy: true,
    path: '/incidents/:id/repair-plan',
    summary: 'Preview the repair after an incident',
    description: 'What a repair would create, change and delete, without changing anything.',
    scope: 'backups:read',
    params: idParams,
    data: restorePlan,
    refusals: {
      404: 'No such incident.',
      409: 'It cannot be repaired, or the platform cannot be asked now.',
    },
  },

  repairIncident: {
    method: 'POST',
    path: '/incidents/:id/repair',
    summary: 'Repair what the executors of an incident did',
    description:
      'Starts a restore in mode REPAIR that undoes their acts and nothing else, from `backupId` and the audit log since that backup: what they deleted is made again, what they made is deleted, and what they changed goes back, unless somebody else has changed it since. The incident is `repaired` when the restore is `completed`.',
    scope: 'backups:restore',
    effect: 'destroys',
    freshSecondFactor: 'always',
    params: idParams,
    status: 202,
    data: restore,
    refusals: {
      404: 'No such incident.',
      409: 'It is a raid, is being contained, is repaired already or is older than 30 days, the server has no good backup from before it, or a restore of it is under way.',
    },
  },

  returnRoles: {
    method: 'POST',
    path: '/incidents/:id/return-roles',
    summary: 'Give the roles back that were taken in an incident',
    description:
      'To everybody from whom roles were taken and who is still in the guild, once. Bots that were removed have to be invited again. By a key it waits as long as a weakening of protection, at least 10 minutes (`pending`), and raises an alert at once.',
    scope: 'alerts:write',
    // It gives an attacker their power back.
    freshSecondFactor: 'always',
    params: idParams,
    status: 202,
    data: incident,
    namesPeople: true,
    refusals: {
      404: 'No such incident.',
      409: 'The incident is still open, or no roles were taken that are not given back yet.',
    },
  },

  dismissIncident: {
    method: 'POST',
    path: '/incidents/:id/dismiss',
    summary: 'Dismiss an incident as honest',
    description:
      'Ends it. Roles that were taken are given back, and invites resumed. By a key it waits as long as a weakening of protection, at least 10 minutes (`pending`), and raises an alert at once. An incident that was dismissed can still be repaired.',
    scope: 'alerts:write',
    freshSecondFactor: 'always',
    params: idParams,
    status: 202,
    data: incident,
    namesPeople: true,
    refusals: { 404: 'No such incident.', 409: 'It has ended already, or is being repaired.' },
  },

  takeBackDecision: {
    method: 'DELETE',
    path: '/incidents/:id/pending',
    summary: 'Take back what a key has decided about an incident',
    description: 'A dismissal or a return of roles that has not taken effect yet.',
    scope: 'alerts:write',
    effect: 'changes',
    freshSecondFactor: 'never',
    params: idParams,
    data: incident,
    namesPeople: true,
    refusals: { 404: 'No such incident.', 409: 'Nothing waits.' },
  },
});
