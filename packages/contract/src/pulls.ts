import { z } from 'zod';
import { progress } from './backups.ts';
import {
  identifyingPlatformId,
  idParams,
  paginationQuery,
  platformId,
  timestamp,
  uuid,
} from './common.ts';
import { endpoint } from './endpoint.ts';

export const pullStatuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;

const count = z.int().min(0);

/** How a pull can end for one member; each member it tried is counted under exactly one. */
export const pullResultCounts = z.object({
  joined: count.describe('They are in the target, by this pull.'),
  alreadyMember: count.describe('They were there before.'),
  banned: count.describe('The target has banned them.'),
  guildLimit: count.describe('They are in as many servers as the platform allows.'),
  tokenInvalid: count.describe('Their token is dead: only an invite reaches them.'),
  blacklisted: count.describe('They came onto your blacklist meanwhile.'),
  withdrawn: count.describe('They took their consent back meanwhile.'),
  failed: count.describe('Anything else; another pull may bring them.'),
});
export type PullResult = keyof z.output<typeof pullResultCounts>;

export const pull = z
  .object({
    id: uuid,
    serverId: uuid.describe('The server whose members are called.'),
    targetServerId: uuid.describe('The server they are called to.'),
    roleId: platformId.nullable(),
    status: z.enum(pullStatuses),
    progress,
    total: count.describe('Members who could be pulled when it began.'),
    processed: count.describe('Those who have a result; the results add up to it.'),
    results: pullResultCounts,
    etaSeconds: count
      .nullable()
      .describe('What is left at the pace measured so far; null where there is none yet.'),
    error: z.string().nullable(),
    createdAt: timestamp,
    startedAt: timestamp.nullable(),
    completedAt: timestamp.nullable(),
  })
  .meta({ id: 'Pull' });

export const pullWish = z.object({
  targetServerId: uuid
    .optional()
    .describe('One of your servers, to which they are called; the one in the path unless said.'),
  roleId: identifyingPlatformId
    .optional()
    .describe('A role of the target that everybody who is called gets.'),
  limit: z.int().min(1).optional().describe('At most so many, those verified last first.'),
  memberIds: z
    .array(uuid)
    .max(1000)
    .optional()
    .describe('Only these; who is not pullable, or not of this server, is left out.'),
});

export const pullEndpoints = {
  listPulls: endpoint({
    method: 'GET',
    path: '/servers/:id/pulls',
    tag: 'Pulls',
    summary: 'List pulls',
    scope: 'members:read',
    freshSecondFactor: 'never',
    owner: 'server',
    params: idParams,
    query: paginationQuery,
    status: 200,
    data: pull,
    paginated: true,
  }),

  createPull: endpoint({
    method: 'POST',
    path: '/servers/:id/pull',
    tag: 'Pulls',
    summary: 'Call members back',
    description:
      'Adds the members who agreed to it to the target, through the bot they gave their consent to, as fast as the platform allows. Who is pullable is settled when it begins; consent, blacklist and token are looked at again in the moment each one is called. A pull that ends before it tried anybody gives its cooldown back.',
    scope: 'members:pull',
    freshSecondFactor: 'always',
    owner: 'server',
    params: idParams,
    body: pullWish,
    bodyOptional: true,
    status: 202,
    data: pull,
    refusals: {
      409: 'A pull of this server is under way.',
      429: "The plan's cooldown between two pulls of a server is not over.",
    },
  }),

  getPull: endpoint({
    method: 'GET',
    path: '/pulls/:id',
    tag: 'Pulls',
    summary: 'Follow a pull',
    scope: 'members:read',
    freshSecondFactor: 'never',
    params: idParams,
    status: 200,
    data: pull,
    refusals: { 404: 'No such pull.' },
  }),

  cancelPull: endpoint({
    method: 'POST',
    path: '/pulls/:id/cancel',
    tag: 'Pulls',
    summary: 'Cancel a pull',
    description: 'It ends between two members; who joined stays.',
    scope: 'members:pull',
    freshSecondFactor: 'never',
    params: idParams,
    status: 200,
    data: pull,
    refusals: { 404: 'No such pull.', 409: 'It has ended already.' },
  }),
};
