import { z } from 'zod';
import {
  count,
  deleted,
  idParams,
  name,
  paginationQuery,
  pendingOf,
  timestamp,
  uuid,
} from './common.ts';
import { endpointsOf } from './endpoint.ts';

/** The parts of a guild that a backup can contain. */
export const backupComponents = [
  'settings',
  'roles',
  'channels',
  'emojis',
  'stickers',
  'bans',
  'memberRoles',
  'automod',
  'onboarding',
  'welcomeScreen',
  'events',
  'soundboard',
  'webhooks',
  'threads',
  'messages',
] as const;
export type BackupComponent = (typeof backupComponents)[number];

/** These are backed up and restored only where they are named. */
export const componentsOnRequest: readonly BackupComponent[] = ['threads', 'messages'];

export const backupKinds = ['MANUAL', 'SCHEDULED', 'PRE_RESTORE', 'MARKETPLACE'] as const;
export type BackupKind = (typeof backupKinds)[number];
export const backupStatuses = ['queued', 'running', 'completed', 'failed'] as const;

export const componentList = z
  .array(z.enum(backupComponents))
  .max(backupComponents.length)
  .min(1, 'Name at least one component')
  .refine((names) => new Set(names).size === names.length, 'Must not name a component twice');

const backupCounts = z.object({
  roles: count,
  channels: count,
  emojis: count,
  stickers: count,
  bans: count,
  members: count,
  automod: count,
  onboarding: count.describe('Its prompts.'),
  welcomeScreen: count.describe('0 or 1.'),
  events: count,
  soundboard: count,
  webhooks: count,
  threads: count,
  messages: count.describe('Of channels and threads; older pinned ones are not counted.'),
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
    sizeBytes: count.describe('Size of the whole snapshot.'),
    storedBytes: count.describe('Storage it added, after deduplication.'),
    checksum: z
      .string()
      .nullable()
      .describe('SHA-256 of the whole content: the same for equal snapshots.'),
    suspicious: z
      .boolean()
      .describe('More than a third of the channels or roles are gone since the previous backup.'),
    restorable: z
      .boolean()
      .nullable()
      .describe('Whether the last test restore succeeded; null until one ran.'),
    provedAt: timestamp.nullable().describe('When the last test restore ran.'),
    warnings: z.array(z.string()),
    error: z.string().nullable(),
    pending: pendingOf(['accept']).describe(
      'Of one by which a key accepts the state of the server: it is not taken before that. Deleting it takes that back, and so does the dashboard.',
    ),
    createdAt: timestamp,
    startedAt: timestamp.nullable(),
    completedAt: timestamp.nullable(),
    verifiedAt: timestamp
      .nullable()
      .describe('When its whole content was last read back and checked.'),
  })
  .meta({ id: 'Backup' });

/** How long a temporary backup is kept at most. */
export const temporaryBackupHours = 6;

export const temporary = z
  .boolean()
  .default(false)
  .describe(
    `For a program that deletes it when it has read or restored it: it is in no list and never the last good one, and is deleted after ${temporaryBackupHours} hours if nobody has.`,
  );

const newBackup = z.object({
  name: name.optional().describe('Defaults to `Backup <time>`.'),
  temporary,
  components: componentList.optional().describe('Defaults to all but messages and threads.'),
  messagesPerChannel: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .describe(
      'How many of the newest messages of each channel and thread; defaults to 100 if messages or threads are included. Pinned messages are kept besides.',
    ),
});

export const backupParams = idParams.extend({ backupId: uuid });

export const backupEndpoints = endpointsOf('Backups', {
  listBackups: {
    method: 'GET',
    path: '/servers/:id/backups',
    summary: 'List backups',
    scope: 'backups:read',
    owner: 'server',
    params: idParams,
    query: paginationQuery,
    data: backup,
    paginated: true,
    mayReadStandby: true,
  },

  createBackup: {
    method: 'POST',
    path: '/servers/:id/backups',
    summary: 'Create a backup',
    description:
      'Runs in the background; read the backup for its progress. It is `completed` only after its whole content was read back and checked.',
    scope: 'backups:write',
    freshSecondFactor: 'never',
    owner: 'server',
    params: idParams,
    body: newBackup,
    bodyOptional: true,
    status: 202,
    data: backup,
    refusals: { 403: "The plan's limit for backups or for storage is reached." },
  },

  getBackup: {
    method: 'GET',
    path: '/servers/:id/backups/:backupId',
    summary: 'Read a backup',
    scope: 'backups:read',
    owner: 'server',
    params: backupParams,
    data: backup,
  },

  deleteBackup: {
    method: 'DELETE',
    path: '/servers/:id/backups/:backupId',
    summary: 'Delete a backup',
    description: 'Releases the storage that nothing else uses.',
    scope: 'backups:write',
    freshSecondFactor: 'always',
    owner: 'server',
    params: backupParams,
    data: deleted,
    refusals: {
      409: 'A restore is using it, or an incident that is neither repaired nor dismissed nor older than 30 days is repaired from it.',
    },
  },
});
