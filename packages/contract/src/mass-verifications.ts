import { z } from 'zod';
import { progress } from './backups.ts';
import {
  count,
  identifyingPlatformId,
  idParams,
  paginationQuery,
  platformId,
  timestamp,
  uuid,
} from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { confirmRoleName, noPowerByKey } from './power.ts';

export const massVerificationStatuses = [
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
] as const;

/** Each member that was looked at counts towards exactly one. */
export const massVerificationResults = z.object({
  given: count.describe('Got the verified role.'),
  already: count.describe('Had it already.'),
  failed: count.describe('The platform refused it for them.'),
});
export type MassVerificationResult = keyof z.output<typeof massVerificationResults>;

export const massVerification = z
  .object({
    id: uuid,
    serverId: uuid,
    status: z.enum(massVerificationStatuses),
    progress,
    total: count.describe('Members who pass the filter; it grows while they are counted.'),
    processed: count.describe('Members with a result: the sum of `results`.'),
    results: massVerificationResults,
    verifiedRoleId: platformId.describe('The role that is given.'),
    joinedBefore: timestamp.nullable(),
    roleId: platformId.nullable(),
    pullable: z.literal(false).meta({
      description:
        'Always false: nobody who gets the role this way has consented, so no pull can add them.',
      example: false,
    }),
    error: z.string().nullable(),
    createdAt: timestamp,
    startedAt: timestamp.nullable(),
    completedAt: timestamp.nullable(),
  })
  .meta({ id: 'MassVerification' });

export const massVerificationFilter = z.object({
  joinedBefore: timestamp.optional().describe('Only members who joined the guild before then.'),
  roleId: identifyingPlatformId.optional().describe('Only members who have this role.'),
});
export type MassVerificationFilter = z.output<typeof massVerificationFilter>;

const noSuch = 'No such mass verification.';

export const massVerificationEndpoints = endpointsOf('Members', {
  listMassVerifications: {
    method: 'GET',
    path: '/servers/:id/mass-verifications',
    summary: 'List mass verifications',
    scope: 'members:read',
    owner: 'server',
    params: idParams,
    query: paginationQuery,
    data: massVerification,
    paginated: true,
    mayReadStandby: true,
  },

  createMassVerification: {
    method: 'POST',
    path: '/servers/:id/mass-verify',
    summary: 'Give the verified role to members who are there',
    description:
      'Gives the verified role of the server to all members of its guild who pass the filter, as fast as the platform allows. Bots and people on the blacklist are left out, and so is who waits for a decision about a raid. It creates no member records: these people did not consent to anything, and no pull can add them. ' +
      noPowerByKey('verifiedRoleId'),
    scope: 'members:mass-verify',
    freshSecondFactor: 'always',
    owner: 'server',
    params: idParams,
    body: massVerificationFilter.extend({ confirmRoleName }),
    bodyOptional: true,
    status: 202,
    data: massVerification,
    refusals: { 409: 'The server has no verified role, or one is under way.' },
  },

  getMassVerification: {
    method: 'GET',
    path: '/mass-verifications/:id',
    summary: 'Read a mass verification',
    scope: 'members:read',
    params: idParams,
    data: massVerification,
    refusals: { 404: noSuch },
  },

  cancelMassVerification: {
    method: 'POST',
    path: '/mass-verifications/:id/cancel',
    summary: 'Cancel a mass verification',
    description: 'It stops between two members; those who got the role keep it.',
    scope: 'members:mass-verify',
    effect: 'destroys',
    freshSecondFactor: 'never',
    params: idParams,
    data: massVerification,
    refusals: { 404: noSuch, 409: 'It has ended already.' },
  },
});
