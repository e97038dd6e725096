import { z } from 'zod';
import { subscriptionStatus } from '../account.ts';
import { progress } from '../backups.ts';
import { currency, paidPlan, paymentMethods } from '../billing.ts';
import { count, httpUrl, idParams, timestamp, url, uuid } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';
import { health, healthReasons } from '../health.ts';
import { incidentKinds, incidentStatuses } from '../incidents.ts';
import { planName } from '../plans.ts';
import { dangerousPermissions } from '../restores.ts';

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
  openIncidents: z
    .array(
      z.object({
        id: uuid,
        kind: z.enum(incidentKinds),
        status: z.enum(incidentStatuses),
        attackers: z
          .object({ total: count, unstopped: count })
          .describe('Who did it, and how many of them could not be stopped; of a raid nobody.'),
      }),
    )
    .describe('Incidents that have not ended: of each kind the newest.'),
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
        dangerousPermissions: z
          .array(z.enum(dangerousPermissions))
          .describe('What whoever gets it could do to others, in the server or in a channel.'),
      }),
    )
    .describe('Roles that can be assigned, highest first.'),
  channels: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        type: z.enum(guildChannelTypes),
        isPrivate: z.boolean().describe('Members without roles cannot see it.'),
      }),
    )
    .describe('In the order of the platform.'),
});
export type GuildView = z.output<typeof guildView>;

export const viewEndpoints = endpointsOf('Dashboard', {
  getOverview: {
    method: 'GET',
    heavy: true,
    mayReadStandby: true,
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
  card: z
    .object({
      plan: planName,
      status: subscriptionStatus,
      currentPeriodEnd: timestamp,
      cancelledAt: timestamp.nullable().describe('It ends with its period.'),
      nextPlan: planName.nullable().describe('The plan of the next period, if it is another one.'),
    })
    .nullable()
    .describe('The subscription at the card provider, whether or not it gives the plan in force.'),
  hasReceipts: z
    .boolean()
    .describe('The card provider knows the account: it has invoices and pages for it.'),
  earnedCents: z.int().describe('Can be paid out or spent on listings once it has cleared.'),
  clearingCents: z.int().min(0).describe('The part of the earnings that has not cleared yet.'),
  creditCents: z.int().describe('Can be spent on plans.'),
  currency,
});
export type BillingStanding = z.output<typeof billingStanding>;

const upgradePreview = z.object({
  dueCents: z.int().describe('What the change would charge now.'),
  currency,
});

const receipt = z.object({
  id: z.string(),
  number: z.string().nullable(),
  description: z.string(),
  amountCents: z.int(),
  currency,
  status: z.enum(['PAID', 'OPEN']),
  createdAt: timestamp,
  pageUrl: httpUrl.nullable(),
  pdfUrl: httpUrl.nullable(),
});
export type Receipt = z.output<typeof receipt>;

const providerRefusal = {
  409: 'The card provider cannot be reached now, or does not know the account.',
};

export const billingViewEndpoints = endpointsOf('Dashboard', {
  previewUpgrade: {
    method: 'GET',
    heavy: true,
    path: '/billing/subscription/preview',
    summary: 'Ask what the change to a higher plan would charge now',
    scope: 'billing:read',
    query: z.object({ plan: paidPlan }),
    data: upgradePreview,
    refusals: providerRefusal,
  },

  listReceipts: {
    method: 'GET',
    heavy: true,
    path: '/billing/receipts',
    summary: 'List the invoices of the card provider',
    scope: 'billing:read',
    data: z.array(receipt),
    refusals: providerRefusal,
  },

  openBillingPortal: {
    method: 'POST',
    path: '/billing/portal',
    summary: "Open the card provider's own pages",
    unaudited: 'Nothing is stored: what is done at the provider comes back as its events.',
    scope: 'billing:write',
    freshSecondFactor: 'never',
    status: 200,
    data: z.object({ url: httpUrl }),
    refusals: providerRefusal,
  },

  getBillingStanding: {
    method: 'GET',
    path: '/billing/standing',
    summary: 'Read how your plan is paid for, and your balance',
    scope: 'billing:read',
    data: billingStanding,
  },
});
