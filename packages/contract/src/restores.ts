import { z } from 'zod';
import { backupParams, componentList, progress } from './backups.ts';
import { count, idParams, timestamp, uuid } from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { notNull } from './fresh-second-factor.ts';

export const restoreStatuses = [
  'queued',
  'snapshotting',
  'running',
  'completed',
  'partial',
  'failed',
  'cancelled',
] as const;

/**
 * REPLACE makes every channel anew and deletes what the backup does not know. REPAIR keeps what is
 * there, edits what differs and creates what is missing.
 */
export const restoreModes = ['REPLACE', 'REPAIR'] as const;
export type RestoreMode = (typeof restoreModes)[number];

/** The stages of a restore, in order. */
export const restoreStages = [
  /** Removes permissions that the backup does not give, and hides channels that would become visible. */
  'tighten',
  /** Creates missing roles, without permissions. */
  'roles',
  /** Creates channels, hidden from everyone, and emojis, stickers and bans. */
  'build',
  /** Makes the guild a community, which some types of channels need. */
  'community',
  'buildCommunity',
  /** Edits the channels that stay, but opens none. */
  'edit',
  /** Sets roles and nicknames of members. */
  'members',
  /** Gives roles their permissions, opens channels that stay, and sets order and settings. */
  'finish',
  /** Gives the new channels their permissions. */
  'reveal',
  /** Sets what newcomers see, whose channels must be visible by then. */
  'welcome',
  'deleteChannels',
  'deleteCategories',
  /** Deletes surplus roles, emojis and stickers. */
  'sweep',
  /** Posts messages and threads into the new channels, where they were asked for. */
  'messages',
] as const;
export type RestoreStage = (typeof restoreStages)[number];

const notes = z
  .array(z.string())
  .describe('What the owner should know, though nothing is lost by it.');

export const restore = z
  .object({
    id: uuid,
    backupId: uuid,
    serverId: uuid.describe('The target: the server that is changed.'),
    mode: z.enum(restoreModes),
    deleteExtra: z.boolean(),
    incidentId: uuid
      .nullable()
      .describe('The incident whose damage it undoes, and nothing else; null for other restores.'),
    status: z.enum(restoreStatuses),
    progress,
    steps: z.object({ total: count, done: count, failed: count }),
    safetyBackupId: uuid
      .nullable()
      .describe('The target before the restore; restoring it undoes the restore.'),
    resumesAt: timestamp
      .nullable()
      .describe('When it goes on, while a quota of the platform makes it wait; else null.'),
    warnings: z.array(z.string()),
    notes,
    error: z.string().nullable(),
    createdAt: timestamp,
    startedAt: timestamp.nullable(),
    completedAt: timestamp.nullable(),
  })
  .meta({ id: 'Restore' });

const restoreRequest = z.object({
  components: componentList
    .optional()
    .describe(
      'Defaults to everything in the backup but messages and threads. These are posted only into channels that the restore makes anew.',
    ),
  targetServerId: uuid.optional().describe('One of your servers; defaults to the one in the path.'),
  mode: z
    .enum(restoreModes)
    .default('REPLACE')
    .describe(
      'REPLACE makes every channel anew. REPAIR keeps what is there and the same, with its messages, edits what differs and creates what is missing.',
    ),
  deleteExtra: z
    .boolean()
    .default(false)
    .describe(
      'For REPAIR: also delete what the backup does not have of the components asked for: channels, roles, emojis, stickers, AutoMod rules, events and sounds. Never bans, members, webhooks or managed roles. REPLACE ignores it, and always does.',
    ),
});

const planned = z.object({
  type: z.string().meta({ example: 'channel' }),
  name: z.string().meta({ example: 'general' }),
  reason: z.string().optional(),
});

const changeValue = z
  .union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(z.unknown()),
    z.record(z.string(), z.unknown()),
  ])
  .describe('As the platform has it; permissions as a list of their names.');

export const fieldChange = z.object({
  field: z.string().meta({ example: 'hoist' }).describe('The name of the field on the platform.'),
  from: changeValue,
  to: changeValue,
});
export type FieldChange = z.output<typeof fieldChange>;

const plannedUpdate = z.object({
  type: z.string().meta({ example: 'role' }),
  name: z.string().meta({ example: 'Moderator' }).describe('The name in the backup.'),
  changes: z.array(
    fieldChange.extend({
      from: changeValue.describe('In the target now.'),
      to: changeValue.describe('In the backup.'),
    }),
  ),
});

export const restorePlan = z
  .object({
    backupId: uuid,
    serverId: uuid,
    create: z.array(planned),
    update: z.array(plannedUpdate),
    delete: z.array(planned),
    keep: count.describe('Objects of the components asked for that stay as they are.'),
    calls: count.describe('Requests to the platform.'),
    estimatedSeconds: count,
    warnings: z.array(z.string()),
    notes,
  })
  .meta({ id: 'RestorePlan' });

export const restoreEndpoints = endpointsOf('Restores', {
  planRestore: {
    method: 'POST',
    path: '/servers/:id/backups/:backupId/plan',
    summary: 'Preview a restore',
    description:
      'What a restore with the same body would create, change and delete, without changing anything: without `mode` one that makes every channel anew. `warnings` lists every dangerous permission that @everyone or an existing role would gain.',
    scope: 'backups:read',
    effect: 'reads',
    freshSecondFactor: 'never',
    owner: 'server',
    params: backupParams,
    body: restoreRequest,
    bodyOptional: true,
    data: restorePlan,
    namesPeople: true,
    refusals: { 409: 'The backup is not completed, or the platform cannot be asked now.' },
  },

  compareBackup: {
    method: 'GET',
    heavy: true,
    path: '/servers/:id/backups/:backupId/compare',
    summary: 'Compare a backup',
    description:
      'What restoring it over the server as it is, or over another of your backups, would do: what is only in it is in `create`, what is only in the other in `delete`, what differs in `update`.',
    scope: 'backups:read',
    owner: 'server',
    params: backupParams,
    query: z.object({
      with: z
        .union([z.literal('live'), uuid], 'Must be `live` or the id of a backup')
        .meta({ example: 'live' })
        .describe('`live`: the server as it is now. Else another backup of yours.'),
    }),
    data: restorePlan,
    refusals: {
      409: 'One of the backups is not completed or cannot be read, or the platform cannot be asked now.',
    },
  },

  restoreBackup: {
    method: 'POST',
    path: '/servers/:id/backups/:backupId/restore',
    summary: 'Restore a backup',
    description:
      'In mode REPLACE, restoring channels deletes all channels of the target; REPAIR keeps those that the backup has. Nothing is deleted before the backup is verified, a safety backup is made and the new channels exist. Of an imported backup a key restores no dangerous permissions that the target does not give now, and nobody gets a role that has some: `warnings` names what is left out, and a person can restore it in the dashboard with a second factor. Another backup that a key restores gives power only to those who had it then, in the guild that it was captured in; what it would give to others is left out and named in the same way, and where somebody gets power by it, an alert names the key and the roles.',
    scope: 'backups:restore',
    effect: 'destroys',
    freshSecondFactor: 'always',
    owner: 'server',
    params: backupParams,
    body: restoreRequest,
    bodyOptional: true,
    status: 202,
    data: restore,
    refusals: { 409: 'The backup is not completed, or a restore of the target is under way.' },
  },

  getRestore: {
    method: 'GET',
    path: '/restores/:id',
    summary: 'Read a restore',
    scope: 'backups:read',
    params: idParams,
    data: restore,
    refusals: { 404: 'No such restore.' },
  },

  cancelRestore: {
    method: 'POST',
    path: '/restores/:id/cancel',
    summary: 'Cancel a restore',
    description:
      'It stops between two steps; completed steps are not undone. Cancelling the repair of an incident raises an alert at once.',
    scope: 'backups:restore',
    effect: 'destroys',
    // Whoever attacks a server would stop its repair.
    freshSecondFactor: { whenStored: { incidentId: notNull } },
    params: idParams,
    data: restore,
    namesPeople: true,
    refusals: { 404: 'No such restore.', 409: 'It has ended already.' },
  },
});

/**
 * Permissions that give power over other people or the guild, by the platform's names. Templates
 * never contain them, and the preview of a restore warns where @everyone or an existing role gains one.
 */
export const dangerousPermissions = [
  'ADMINISTRATOR',
  'MANAGE_GUILD',
  'MANAGE_ROLES',
  'MANAGE_CHANNELS',
  'MANAGE_WEBHOOKS',
  'BAN_MEMBERS',
  'KICK_MEMBERS',
  'MODERATE_MEMBERS',
  'MANAGE_MESSAGES',
  'MANAGE_NICKNAMES',
  'MANAGE_THREADS',
  'MANAGE_GUILD_EXPRESSIONS',
  'MANAGE_EVENTS',
  'VIEW_AUDIT_LOG',
  'MENTION_EVERYONE',
] as const;
export type DangerousPermission = (typeof dangerousPermissions)[number];
