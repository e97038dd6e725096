import { z } from 'zod';
import { funnelStages } from '../analytics.ts';
import { appeal, blockReasons } from '../appeals.ts';
import { backup } from '../backups.ts';
import { blacklistEntry } from '../blacklist.ts';
import { paginationQuery, platformId, timestamp, uuid } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';
import { member } from '../members.ts';
import { pull, pullResultCounts } from '../pulls.ts';

/** All that an owner's account knows about one member of a server. */

/** What a backup holds of a person. */
export const personalDataKinds = ['ROLES_AND_NICKNAME', 'MESSAGES', 'CHANNELS', 'TEXTS'] as const;

const attempt = z.object({
  id: uuid,
  startedAt: timestamp,
  stage: z.enum(funnelStages).describe('The furthest step that it reached.'),
  blockReason: z.enum(blockReasons).nullable(),
  country: z.string().nullable(),
  region: z.string().nullable(),
  asn: z.int().nullable(),
});

const memberHistory = z.object({
  member,
  isBlacklisted: z.boolean(),
  attempts: z.array(attempt).describe('The newest 50; an attempt is deleted after 30 days.'),
  attemptsSince: timestamp
    .nullable()
    .describe('The first attempt on this server that is known to be of a person.'),
  appeals: z.array(appeal.pick({ id: true, reason: true, status: true, createdAt: true })),
  verifiedRole: z
    .object({
      status: z.enum(['waiting', 'done', 'failed']),
      error: z.string().nullable(),
      updatedAt: timestamp,
    })
    .nullable()
    .describe('Whether the verified role was given; null if none was to be given.'),
  inGuild: z
    .object({
      roleIds: z.array(platformId),
      nick: z.string().nullable(),
      joinedAt: timestamp.nullable(),
      seenAt: timestamp.nullable(),
    })
    .nullable()
    .describe('As last seen; only of members who consented.'),
  backups: z
    .array(
      backup
        .pick({ id: true, name: true, kind: true, createdAt: true })
        .extend({ kinds: z.array(z.enum(personalDataKinds)) }),
    )
    .describe('The newest 50 that hold them.'),
  pulls: z
    .array(
      pull
        .pick({ id: true, createdAt: true })
        .extend({ result: pullResultCounts.keyof().nullable() }),
    )
    .describe('The newest 50 pulls that were to add them; results are deleted after 30 days.'),
});

const namedEntry = blacklistEntry.extend({
  member: member
    .pick({ id: true, username: true, displayName: true, avatar: true })
    .extend({ serverId: uuid })
    .nullable()
    .describe('As whom the account knows them; null where they never verified.'),
});

export const personEndpoints = endpointsOf('Dashboard', {
  listNamedBlacklist: {
    method: 'GET',
    path: '/blacklist/named',
    summary: 'List the blacklist with the names of those who are members',
    scope: 'blacklist:read',
    query: paginationQuery,
    data: namedEntry,
    paginated: true,
    mayReadStandby: true,
  },

  getMemberHistory: {
    method: 'GET',
    heavy: true,
    path: '/servers/:id/members/:memberId/history',
    summary: 'Read what is known about a member',
    scope: 'members:read',
    owner: 'server',
    params: z.object({ id: uuid, memberId: uuid }),
    data: memberHistory,
    refusals: { 404: 'No such member.' },
  },
});
