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

export const pullStatuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;

/** The results for a member; each member that was tried counts towards exactly one. */
export const pullResultCounts = z.object({
  joined: count.describe('Added to the target by this pull.'),
  alreadyMember: count.describe('Already in the target.'),
  banned: count.describe('Banned in the target.'),
  guildLimit: count.describe('In as many guilds as the platform allows.'),
  tokenInvalid: count.describe('Their token is no longer valid: they need an invite.'),
  blacklisted: count.describe('Blacklisted since the pull began.'),
  withdrawn: count.describe('Consent withdrawn since the pull began.'),
  failed: count.describe('Any other failure; another pull may succeed.'),
});
export type PullResult = keyof z.output<typeof pullResultCounts>;

export const pull = z
  .object({
    id: uuid,
    serverId: uuid.describe('The server whose members are pulled.'),
    targetServerId: uuid.describe('The server to which they are added.'),
    roleId: platformId.nullable(),
    status: z.enum(pullStatuses),
    progress,
    total: count.describe('Members who could be pulled when it began.'),
    processed: count.describe('Members with a result: the sum of `results`.'),
    results: pullResultCounts,
    etaSeconds: count
      .nullable()
      .describe('Estimated time remaining; null until it can be measured.'),
    error: z.string().nullable(),
    createdAt: timestamp,
    startedAt: timestamp.nullable(),
    completedAt: timestamp.nullable(),
  })
  .meta({ id: 'Pull' });

const newPull = z.object({
  targetServerId: uuid.optional().describe('One of your servers; defaults to the one in the path.'),
  roleId: identifyingPlatformId
    .optional()
    .describe('A role of the target that every added member gets.'),
  limit: z
    .int()
    .min(1)
    .optional()
    .describe('The most members to pull; those who verified last come first.'),
  memberIds: z
    .array(uuid)
    .max(1000)
    .optional()
    .describe('Only these members; those who are not pullable or not of this server are skipped.'),
});

export const pullEndpoints = endpointsOf('Pulls', {
  listPulls: {
    method: 'GET',
    path: '/servers/:id/pulls',
    summary: 'List pulls',
    scope: 'members:read',
    owner: 'server',
    params: idParams,
    query: paginationQuery,
    data: pull,
    paginated: true,
  },

  createPull: {
    method: 'POST',
    path: '/servers/:id/pull',
    summary: 'Pull members',
    description:
      'Adds members who consented to the target, through the bot they gave their consent to, as fast as the platform allows. The members are selected when it begins; consent, blacklist and token are checked again for each of them. A pull that ends before it tried a member does not start the cooldown.',
    scope: 'members:pull',
    freshSecondFactor: 'always',
    owner: 'server',
    params: idParams,
    body: newPull,
    bodyOptional: true,
    status: 202,
    data: pull,
    refusals: {
      409: 'A pull of this server is under way.',
      429: "The plan's cooldown between two pulls of a server is not over.",
    },
  },

  getPull: {
    method: 'GET',
    path: '/pulls/:id',
    summary: 'Read a pull',
    scope: 'members:read',
    params: idParams,
    data: pull,
    refusals: { 404: 'No such pull.' },
  },

  cancelPull: {
    method: 'POST',
    path: '/pulls/:id/cancel',
    summary: 'Cancel a pull',
    description: 'It stops between two members; those who joined stay.',
    scope: 'members:pull',
    freshSecondFactor: 'never',
    params: idParams,
    data: pull,
    refusals: { 404: 'No such pull.', 409: 'It has ended already.' },
  },
});
