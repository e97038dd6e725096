import { z } from 'zod';

import { backup, backupComponents, backupParams } from '../backups.ts';
import { count, idParams, paginationQuery, platformId, timestamp } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';
import { setTo } from '../fresh-second-factor.ts';
import { restore, restoreStages } from '../restores.ts';

/** Views of the dashboard on backups and restores. */

const source = backup
  .pick({ id: true, serverId: true, name: true, kind: true, status: true, createdAt: true })
  .nullable()
  .describe('Null if it is deleted or not made yet.');

const downloadPart = z.object({
  section: z
    .enum(backupComponents)
    .nullable()
    .describe('Null if the backup holds nothing that may be in the file.'),
  entries: z
    .array(z.unknown())
    .describe(
      'Pictures and sounds as `data:` URLs, one that is larger than 1 MiB by its hash; files of messages by name and hash.',
    ),
  next: z.string().nullable().describe('Where the next part begins; null after the last.'),
});
export type DownloadPart = z.output<typeof downloadPart>;

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

  downloadBackup: {
    method: 'POST',
    path: '/servers/:id/backups/:backupId/download',
    summary: 'Download a backup, part by part',
    description: 'A file is made of all parts. Its beginning is recorded in the audit log.',
    scope: 'backups:read',
    freshSecondFactor: { whenFields: { withPeople: setTo(true) } },
    owner: 'server',
    params: backupParams,
    body: z.object({
      withPeople: z
        .boolean()
        .default(false)
        .describe(
          'Bans, members, messages, overwrites for people and mentions of them are in it too.',
        ),
      after: z
        .string()
        .regex(/^[0-9a-f]{64}\.[a-zA-Z]{1,32}\.\d{1,6}$/)
        .optional()
        .describe('What the part before named as `next`; the first part has none.'),
    }),
    bodyOptional: true,
    data: downloadPart,
    namesPeople: true,
    refusals: { 409: 'The backup is not completed, cannot be read, or has changed meanwhile.' },
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
    mayReadStandby: true,
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
      newWebhooks: z
        .object({ count, shownAt: timestamp.nullable() })
        .describe('Webhooks that were made anew, and when their addresses were shown.'),
    }),
  },

  showWebhookAddresses: {
    method: 'POST',
    path: '/restores/:id/webhook-addresses',
    summary: 'Show the addresses of the webhooks that a restore made anew',
    description:
      'Once: whoever has an address can post. They are read from the platform and not stored.',
    scope: 'backups:restore',
    freshSecondFactor: 'always',
    params: idParams,
    data: z.array(
      z.object({
        name: z.string(),
        channelId: platformId,
        url: z.string().describe('A secret.'),
      }),
    ),
    showsSecret: true,
    refusals: {
      404: 'No such restore.',
      409: 'They were shown already, there are none, or the platform cannot be asked now.',
    },
  },
});
