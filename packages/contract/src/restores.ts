import { z } from 'zod';
import { backupParams, componentList, progress } from './backups.ts';
import { idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

export const restoreStatuses = [
  'queued',
  'snapshotting',
  'running',
  'completed',
  'partial',
  'failed',
  'cancelled',
] as const;

/** What a restore goes through, one after the other. */
export const restoreStages = [
  /** Roles lose what the backup does not give them; channels that would open by accident are shut. */
  'tighten',
  /** Missing roles, without permissions. */
  'roles',
  /** New channels, closed to everyone; emojis, stickers and bans beside them. */
  'build',
  /** The server becomes a community, which some kinds of channels need. */
  'community',
  'buildCommunity',
  /** Roles get their permissions and order, people their roles, the server its settings. */
  'finish',
  /** New channels open for those who may see them. */
  'reveal',
  'deleteChannels',
  'deleteCategories',
  /** Surplus roles, emojis and stickers. */
  'sweep',
] as const;
export type RestoreStage = (typeof restoreStages)[number];

const count = z.int().min(0);

export const restore = z
  .object({
    id: uuid,
    backupId: uuid,
    serverId: uuid.describe('The server that is restored into.'),
    status: z.enum(restoreStatuses),
    progress,
    steps: z.object({ total: count, done: count, failed: count }),
    safetyBackupId: uuid
      .nullable()
      .describe('The server as it was before; restoring this undoes the restore.'),
    warnings: z.array(z.string()),
    error: z.string().nullable(),
    createdAt: timestamp,
    startedAt: timestamp.nullable(),
    completedAt: timestamp.nullable(),
  })
  .meta({ id: 'Restore' });

export const restoreWish = z.object({
  components: componentList
    .optional()
    .describe('What the backup holds, without messages, unless said.'),
  targetServerId: uuid.optional().describe('One of your servers; the one in the path unless said.'),
});

const planned = z.object({
  type: z.string().meta({ example: 'channel' }),
  name: z.string().meta({ example: 'general' }),
  reason: z.string().optional(),
});

export const restorePlan = z
  .object({
    backupId: uuid,
    serverId: uuid,
    create: z.array(planned),
    update: z.array(planned),
    delete: z.array(planned),
    calls: count.describe('Requests to the platform.'),
    estimatedSeconds: count,
    warnings: z.array(z.string()),
  })
  .meta({ id: 'RestorePlan' });

export const restoreEndpoints = {
  planRestore: endpoint({
    method: 'POST',
    path: '/servers/:id/backups/:backupId/plan',
    tag: 'Restores',
    summary: 'Preview a restore',
    description:
      'What a restore would create, change and delete. Nothing is touched. `warnings` names, role by role, every dangerous permission that @everyone or an existing role would gain.',
    scope: 'backups:read',
    freshSecondFactor: 'never',
    owner: 'server',
    params: backupParams,
    body: restoreWish,
    bodyOptional: true,
    status: 200,
    data: restorePlan,
    namesPeople: true,
    refusals: { 409: 'The backup is not completed, or the platform cannot be asked now.' },
  }),

  restoreBackup: endpoint({
    method: 'POST',
    path: '/servers/:id/backups/:backupId/restore',
    tag: 'Restores',
    summary: 'Restore a backup',
    description:
      'Restoring channels deletes all channels the target has. Nothing is deleted before the backup was verified, a safety snapshot taken, and the new channels built.',
    scope: 'backups:restore',
    freshSecondFactor: 'always',
    owner: 'server',
    params: backupParams,
    body: restoreWish,
    bodyOptional: true,
    status: 202,
    data: restore,
    refusals: { 409: 'The backup is not completed, or a restore of the target is under way.' },
  }),

  getRestore: endpoint({
    method: 'GET',
    path: '/restores/:id',
    tag: 'Restores',
    summary: 'Follow a restore',
    scope: 'backups:read',
    freshSecondFactor: 'never',
    params: idParams,
    status: 200,
    data: restore,
    refusals: { 404: 'No such restore.' },
  }),

  cancelRestore: endpoint({
    method: 'POST',
    path: '/restores/:id/cancel',
    tag: 'Restores',
    summary: 'Cancel a restore',
    description: 'It ends between two steps; what was done stays.',
    scope: 'backups:restore',
    freshSecondFactor: 'never',
    params: idParams,
    status: 200,
    data: restore,
    namesPeople: true,
    refusals: { 404: 'No such restore.', 409: 'It has ended already.' },
  }),
};
