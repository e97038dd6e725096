import { z } from 'zod';
import { progress } from './backups.ts';
import {
  count,
  identifyingPlatformId,
  idParams,
  paginationQuery,
  platformId,
  timestamp,
  url,
  uuid,
} from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { confirmRoleName, noPowerByKey } from './power.ts';

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
    restoreRoles: z
      .boolean()
      .describe('Whether members get back the roles and the nickname that a backup has of them.'),
    rolesFromBackupId: uuid
      .nullable()
      .describe('The backup that these come from; null where there is none.'),
    status: z.enum(pullStatuses),
    progress,
    total: count.describe('Members who could be pulled when it began.'),
    processed: count.describe('Members with a result: the sum of `results`.'),
    results: pullResultCounts,
    etaSeconds: count
      .nullable()
      .describe('Estimated time remaining, from the start on; null once it has failed or stopped.'),
    warnings: z.array(z.string()).describe('Roles and nicknames that members did not get back.'),
    error: z.string().nullable(),
    createdAt: timestamp,
    startedAt: timestamp.nullable(),
    completedAt: timestamp.nullable(),
  })
  .meta({ id: 'Pull' });

const recall = z
  .object({
    url,
    members: count.describe('How many members can use it.'),
    expiresAt: timestamp,
  })
  .meta({ id: 'Recall' });

const newPull = z.object({
  targetServerId: uuid.optional().describe('One of your servers; defaults to the one in the path.'),
  roleId: identifyingPlatformId
    .optional()
    .describe('A role of the target that every added member gets.'),
  confirmRoleName,
  restoreRoles: z
    .boolean()
    .optional()
    .describe(
      'Give members back the roles, the nickname and what channels allowed or denied them alone, by the newest good backup of the server in the path; defaults to true.',
    ),
  allowDangerousRoles: z
    .array(identifyingPlatformId)
    .max(250)
    .optional()
    .describe(
      'Roles, by their ids in the backup, that are given back although they have dangerous permissions, to members who had them in the backup, unless they give more power now than they gave there; none by default. An alert names the roles and the key.',
    ),
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
    mayReadStandby: true,
  },

  createPull: {
    method: 'POST',
    path: '/servers/:id/pull',
    summary: 'Pull members',
    description:
      'Adds members who consented to the target, through the bot they gave their consent to, as fast as the platform allows. With the same call they get back the roles and the nickname of the last good backup that has them, as far as the target has these roles: never a role with dangerous permissions that you did not name. Members who are there already get what they lack. The members are selected when it begins; consent, blacklist and token are checked again for each of them. A pull that ends before it tried a member does not start the cooldown. ' +
      noPowerByKey('roleId'),
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
    effect: 'destroys',
    freshSecondFactor: 'never',
    params: idParams,
    data: pull,
    refusals: { 404: 'No such pull.', 409: 'It has ended already.' },
  },

  resumePull: {
    method: 'POST',
    path: '/pulls/:id/resume',
    summary: 'Resume a pull',
    description:
      'A pull that was cancelled or failed goes on with the members who have no result yet. There is no cooldown for it, unless it ended before it tried a member. What a person confirmed of its role ends where a key resumes it: a role with dangerous permissions is given to nobody else then.',
    scope: 'members:pull',
    freshSecondFactor: 'always',
    params: idParams,
    status: 202,
    data: pull,
    refusals: {
      404: 'No such pull.',
      409: 'It is under way, nobody is left, or another pull of the server is under way.',
      429: 'It had tried nobody, and the cooldown of another pull is not over.',
    },
  },

  recallPull: {
    method: 'POST',
    path: '/pulls/:id/recall',
    summary: 'Invite those whose token is invalid',
    description:
      'Creates an invite that only the members of this pull with the result `tokenInvalid` can use; it gives them the verified role of the target. They see it on their own page; nobody is messaged. As long as it is valid, a repeat returns the same invite.',
    scope: 'members:pull',
    freshSecondFactor: 'never',
    params: idParams,
    status: 201,
    data: recall,
    showsSecret: true,
    refusals: {
      404: 'No such pull.',
      409: 'It is under way, there is nobody to invite, or the bot cannot create the invite.',
    },
  },
});
