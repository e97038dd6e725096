import { z } from 'zod';
import { progress } from './backups.ts';
import { idParams, timestamp, url, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

/** What the dashboard shows that is put together from several records, or read live. */

const count = z.int().min(0);

export const jobKinds = ['BACKUP', 'RESTORE', 'PULL'] as const;

const runningJob = z.object({ kind: z.enum(jobKinds), id: uuid, progress });

const overviewServer = z.object({
  id: uuid,
  name: z.string(),
  icon: url,
  memberCount: count.describe('Members on the platform.'),
  members: count.describe('Verified here.'),
  pullableMembers: count,
  openAppeals: count,
  backupEveryHours: z.int().nullable(),
  bot: z.object({
    id: uuid,
    name: z.string(),
    isActive: z.boolean(),
    isRefused: z.boolean().describe('It is off because the platform refused its token.'),
    isSecretRefused: z.boolean().describe('Nobody can verify: its client secret was refused.'),
  }),
  lastBackup: z
    .object({
      id: uuid,
      completedAt: timestamp,
      restorable: z.boolean().nullable(),
      suspicious: z.boolean(),
    })
    .nullable()
    .describe("The newest completed one of the server's own."),
  unrestorableBackups: z
    .object({ total: z.int().min(1), newestId: uuid })
    .nullable()
    .describe('Those of any kind that are known not to restore; null where there is none.'),
  running: z.array(runningJob),
});

export const overview = z.object({ servers: z.array(overviewServer) });
export type Overview = z.output<typeof overview>;

export const guildChannelTypes = [
  'text',
  'announcement',
  'voice',
  'stage',
  'forum',
  'media',
  'category',
] as const;

export const guildView = z.object({
  name: z.string(),
  roles: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        color: z.string().nullable().meta({ example: '#1f8b4c' }),
      }),
    )
    .describe('Those that can be given to somebody, highest first.'),
  channels: z
    .array(z.object({ id: z.string(), name: z.string(), type: z.enum(guildChannelTypes) }))
    .describe('In the order in which the platform shows them.'),
});
export type GuildView = z.output<typeof guildView>;

export const viewEndpoints = {
  getOverview: endpoint({
    method: 'GET',
    heavy: true,
    path: '/overview',
    tag: 'Dashboard',
    summary: 'Read how all servers stand',
    description: 'The newest hundred, with what runs on them and what waits for their owner.',
    scope: 'servers:read',
    freshSecondFactor: 'never',
    status: 200,
    data: overview,
  }),

  getGuild: endpoint({
    method: 'GET',
    heavy: true,
    path: '/servers/:id/guild',
    tag: 'Dashboard',
    summary: "Read the names of a guild's roles and channels",
    description: "Asks the platform through the server's bot.",
    scope: 'platform:read',
    freshSecondFactor: 'never',
    owner: 'server',
    params: idParams,
    status: 200,
    data: guildView,
    refusals: { 409: 'The platform cannot be asked: the bot has no access, or nobody answers.' },
  }),
};
