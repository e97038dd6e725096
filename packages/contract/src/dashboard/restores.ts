import { z } from 'zod';
import { backup, backupComponents } from '../backups.ts';
import { count, idParams, paginationQuery } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';
import { restore, restoreStages } from '../restores.ts';

/** Views of the dashboard on backups and restores. */

const source = backup
  .pick({ id: true, serverId: true, name: true, kind: true, status: true, createdAt: true })
  .nullable()
  .describe('Null if it is deleted or not made yet.');

export const restoreViewEndpoints = endpointsOf('Dashboard', {
  getBackupUsage: {
    method: 'GET',
    path: '/backup-usage',
    summary: 'Read how much of the plan your backups take',
    scope: 'backups:read',
    data: z.object({
      backups: count.describe(
        'Backups that count towards the plan: no safety backups, no failed ones.',
      ),
      storageBytes: count.describe(
        'Storage of all backups; an object that several share counts once.',
      ),
    }),
  },

  listRestores: {
    method: 'GET',
    path: '/servers/:id/restores',
    summary: 'List the restores into a server',
    scope: 'backups:read',
    owner: 'server',
    params: idParams,
    query: paginationQuery,
    data: restore,
    paginated: true,
  },

  getRestoreCourse: {
    method: 'GET',
    path: '/restores/:id/course',
    summary: 'Follow a restore stage by stage',
    scope: 'backups:read',
    params: idParams,
    data: z.object({
      components: z.array(z.enum(backupComponents)).describe('What it restores.'),
      stages: z
        .array(z.object({ stage: z.enum(restoreStages), total: count, done: count, failed: count }))
        .describe('In order; empty until the restore is planned.'),
      backup: source,
      safetyBackup: source,
    }),
  },
});
