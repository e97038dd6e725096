import { z } from 'zod';
import { backup, backupComponents } from './backups.ts';
import { idParams, paginationQuery } from './common.ts';
import { endpoint } from './endpoint.ts';
import { restore, restoreStages } from './restores.ts';

/** What the dashboard shows around backups and restores. */

const count = z.int().min(0);

const source = backup
  .pick({ id: true, serverId: true, name: true, kind: true, status: true, createdAt: true })
  .nullable()
  .describe('Null where it is deleted, or not made yet.');

export const restoreViewEndpoints = {
  getBackupUsage: endpoint({
    method: 'GET',
    path: '/backup-usage',
    tag: 'Dashboard',
    summary: 'Read how much of the plan your backups take',
    scope: 'backups:read',
    freshSecondFactor: 'never',
    status: 200,
    data: z.object({
      backups: count.describe(
        'Those that the plan counts: neither safety snapshots nor failed ones.',
      ),
      storageBytes: count.describe('What all of them take, each distinct object once.'),
    }),
  }),

  listRestores: endpoint({
    method: 'GET',
    path: '/servers/:id/restores',
    tag: 'Dashboard',
    summary: 'List the restores into a server',
    scope: 'backups:read',
    freshSecondFactor: 'never',
    owner: 'server',
    params: idParams,
    query: paginationQuery,
    status: 200,
    data: restore,
    paginated: true,
  }),

  getRestoreCourse: endpoint({
    method: 'GET',
    path: '/restores/:id/course',
    tag: 'Dashboard',
    summary: 'Follow a restore stage by stage',
    scope: 'backups:read',
    freshSecondFactor: 'never',
    params: idParams,
    status: 200,
    data: z.object({
      components: z.array(z.enum(backupComponents)).describe('What it restores.'),
      stages: z
        .array(z.object({ stage: z.enum(restoreStages), total: count, done: count, failed: count }))
        .describe('In order; empty until it is planned.'),
      backup: source,
      safetyBackup: source,
    }),
  }),
};
