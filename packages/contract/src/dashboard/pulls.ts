import { z } from 'zod';
import { backup } from '../backups.ts';
import { idParams, platformId, uuid } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';
import { dangerousPermissions } from '../restores.ts';

/** A view of the dashboard on a pull before it begins. */

const pullPreview = z.object({
  secondsPerMember: z.number().describe('Measured by the last such pull, or assumed.'),
  backup: backup
    .pick({ id: true, name: true, createdAt: true })
    .nullable()
    .describe('Where roles and nicknames come from; null if no good backup has any.'),
  dangerousRoles: z
    .array(
      z.object({
        platformId,
        name: z.string(),
        permissions: z.array(z.enum(dangerousPermissions)),
      }),
    )
    .describe('Roles that are given back only if they are named.'),
  warnings: z.array(z.string()).describe('What else members would not get back.'),
  failure: z.string().nullable().describe('Why the roles cannot be compared now.'),
});

export const pullViewEndpoints = endpointsOf('Dashboard', {
  previewPull: {
    method: 'GET',
    heavy: true,
    path: '/servers/:id/pull-preview',
    summary: 'Read what a pull would give back',
    description: "Asks the platform through the target's bot.",
    scope: 'members:read',
    owner: 'server',
    params: idParams,
    query: z.object({ targetServerId: uuid.optional() }),
    data: pullPreview,
  },
});
