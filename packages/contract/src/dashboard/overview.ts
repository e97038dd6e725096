import { z } from 'zod';
import { progress } from '../backups.ts';
import { currency, paymentMethods } from '../billing.ts';
import { count, idParams, timestamp, url, uuid } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';
import { health, healthReasons } from '../health.ts';
import { incidentKinds, incidentStatuses } from '../incidents.ts';

/** Views of the dashboard that combine several records or read the platform. */

const jobKinds = ['BACKUP', 'RESTORE', 'PULL'] as const;

const runningJob = z.object({ kind: z.enum(jobKinds), id: uuid, progress });

const overviewServer = z.object({
  id: uuid,
  name: z.string(),
  icon: url,
  memberCount: count.describe('Members on the platform.'),
  members: count.describe('Members who verified.'),
  pullableMembers: count,
  openAppeals: count,
  backupEveryHours: z.int().nullable(),
  hasVerifiedRole: z.boolean().describe('Whether a role for verified members is chosen.'),
  hasLogChannel: z.boolean().describe('Whether a channel for reports and alerts is chosen.'),
  postedPanels: count.describe('Panels whose message is in its channel.'),
  bot: z.object({
    id: uuid,
    name: z.string(),
    isActive: z.boolean(),
    isRefused: z.boolean().describe('It is inactive because the platform rejected its token.'),
    isSecretRefused: z
      .boolean()
      .describe('Verification is impossible: the platform rejected its client secret.'),
  }),
  health,
  healthReasons,
  lastGoodBackupId: uuid.nullable(),
  brokenPointers: z
    .array(z.enum(['verifiedRoleId', 'logChannelId']))
    .describe('Settings that name a role or channel which is gone.'),
  lastBackup: z
    .object({
      id: uuid,
      completedAt: timestamp,
      restorable: z.boolean().nullable(),
      suspicious: z.boolean(),
    })
    .nullable()
    .describe("The newest completed backup of the server's own."),
  unrestorableBackups: z
    .object({ total: z.int().min(1), newestId: uuid })
    .nullable()
    .describe('Backups of any kind whose test restore failed; null if there are none.'),
  openIncident: z
    .object({ id: uuid, kind: z.enum(incidentKinds), status: z.enum(incidentStatuses) })
    .nullable()
    .describe('The newest incident that has not ended.'),
  running: z.array(runningJob),
});

export const overview = z.object({ servers: z.array(overviewServer) });
export type Overview = z.output<typeof overview>;

const guildChannelTypes = [
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
    .describe('Roles that can be assigned, highest first.'),
  channels: z
    .array(z.object({ id: z.string(), name: z.string(), type: z.enum(guildChannelTypes) }))
    .describe('In the order of the platform.'),
});
export type GuildView = z.output<typeof guildView>;

export const viewEndpoints = endpointsOf('Dashboard', {
  getOverview: {
    method: 'GET',
    heavy: true,
    path: '/overview',
    summary: 'Read how all servers stand',
    description: 'The newest hundred, with running jobs and what needs their owner.',
    scope: 'servers:read',
    data: overview,
  },

  getGuild: {
    method: 'GET',
    heavy: true,
    path: '/servers/:id/guild',
    summary: "Read the names of a guild's roles and channels",
    description: "Asks the platform through the server's bot.",
    scope: 'platform:read',
    owner: 'server',
    params: idParams,
    data: guildView,
    refusals: { 409: 'The platform cannot be asked: the bot has no access, or nobody answers.' },
  },
});

const billingStanding = z.object({
  provider: z
    .enum(paymentMethods)
    .nullable()
    .describe('How the plan is paid for; null if it is not.'),
  renews: z.boolean().describe('It renews automatically at the end of its period.'),
  lapsesAt: timestamp.nullable().describe('When the plan ends unless it is paid for before.'),
  earnedCents: z.int().describe('Can be paid out or spent on listings.'),
  creditCents: z.int().describe('Can be spent on plans.'),
  currency,
});
export type BillingStanding = z.output<typeof billingStanding>;

export const billingViewEndpoints = endpointsOf('Dashboard', {
  getBillingStanding: {
    method: 'GET',
    path: '/billing/standing',
    summary: 'Read how your plan is paid for, and your balance',
    scope: 'billing:read',
    data: billingStanding,
  },
});
