import { z } from 'zod';
import { deleted, idParams, name, paginationQuery, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

/** The parts of a server that a backup can hold. */
export const backupComponents = [
  'settings',
  'roles',
  'channels',
  'emojis',
  'stickers',
  'bans',
  'memberRoles',
  'messages',
] as const;
export type BackupComponent = (typeof backupComponents)[number];

export const backupKinds = ['MANUAL', 'SCHEDULED', 'PRE_RESTORE', 'MARKETPLACE'] as const;
export type BackupKind = (typeof backupKinds)[number];
export const backupStatuses = ['queued', 'running', 'completed', 'failed'] as const;

export const componentList = z
  .array(z.enum(backupComponents))
  .min(1, 'Name at least one component')
  .refine((names) => new Set(names).size === names.length, 'Must not name a component twice');

const count = z.int().min(0);

export const backupCounts = z.object({
  roles: count,
  channels: count,
  emojis: count,
  stickers: count,
  bans: count,
  members: count,
  messages: count,
});
export type BackupCounts = z.output<typeof backupCounts>;

export const progress = z.int().min(0).max(100).meta({ example: 100 });

export const backup = z
  .object({
    id: uuid,
    serverId: uuid,
    name: z.string().meta({ example: 'Before the summer event' }),
    kind: z.enum(backupKinds),
    status: z.enum(backupStatuses),
    progress,
    components: z.array(z.enum(backupComponents)),
    counts: backupCounts,
    sizeBytes: count.describe('The whole snapshot.'),
    storedBytes: count.describe('What it added to the storage, after deduplication.'),
    checksum: z
      .string()
      .nullable()
      .describe('SHA-256 over the whole content: equal for equal snapshots.'),
    suspicious: z
      .boolean()
      .describe('More than a third of the channels or roles were gone since the one before.'),
    restorable: z
      .boolean()
      .nullable()
      .describe('Whether a drill could restore it; null until one was held.'),
    provedAt: timestamp.nullable().describe('When the last drill was held.'),
    warnings: z.array(z.string()),
    error: z.string().nullable(),
    createdAt: timestamp,
    startedAt: timestamp.nullable(),
    completedAt: timestamp.nullable(),
    verifiedAt: timestamp.nullable().describe('When all of it was last read back and checked.'),
  })
  .meta({ id: 'Backup' });

export const newBackup = z.object({
  name: name.optional().describe('`Backup <time>` where there is none.'),
  components: componentList.optional().describe('All but messages unless said.'),
  messagesPerChannel: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .describe('The newest ones; 100 where messages are asked for and this is not said.'),
});

export const backupParams = idParams.extend({ backupId: uuid });

export const backupEndpoints = {
  listBackups: endpoint({
    method: 'GET',
    path: '/servers/:id/backups',
    tag: 'Backups',
    summary: 'List backups',
    scope: 'backups:read',
    freshSecondFactor: 'never',
    owner: 'server',
    params: idParams,
    query: paginationQuery,
    status: 200,
    data: backup,
    paginated: true,
  }),

  createBackup: endpoint({
    method: 'POST',
    path: '/servers/:id/backups',
    tag: 'Backups',
    summary: 'Back a server up',
    description:
      'Answers at once; read the backup to follow it. It is `completed` only when all of it was read back and checked.',
    scope: 'backups:write',
    freshSecondFactor: 'never',
    owner: 'server',
    params: idParams,
    body: newBackup,
    bodyOptional: true,
    status: 202,
    data: backup,
    refusals: { 403: "The plan's limit for backups or for storage is reached." },
  }),

  getBackup: endpoint({
    method: 'GET',
    path: '/servers/:id/backups/:backupId',
    tag: 'Backups',
    summary: 'Read a backup',
    scope: 'backups:read',
    freshSecondFactor: 'never',
    owner: 'server',
    params: backupParams,
    status: 200,
    data: backup,
  }),

  deleteBackup: endpoint({
    method: 'DELETE',
    path: '/servers/:id/backups/:backupId',
    tag: 'Backups',
    summary: 'Delete a backup',
    description: 'Frees the storage that nothing else refers to.',
    scope: 'backups:write',
    freshSecondFactor: 'always',
    owner: 'server',
    params: backupParams,
    status: 200,
    data: deleted,
    refusals: { 409: 'A restore is using it.' },
  }),
};
