import { z } from 'zod';
import { appeal } from './appeals.ts';
import { actorTypes, auditEntry } from './audit.ts';
import { booleanText, deleted, idParams, paginationQuery, timestamp, uuid } from './common.ts';
import { billingViewEndpoints } from './dashboard-billing.ts';
import { marketViewEndpoints } from './dashboard-market.ts';
import { restoreViewEndpoints } from './dashboard-restores.ts';
import { viewEndpoints } from './dashboard-views.ts';
import { endpoint } from './endpoint.ts';
import { planLimits, planName } from './plans.ts';

/** What only a person in front of the dashboard is asked for, and no key can do. */

const code = z.string().trim().min(6).max(40).meta({
  description: 'Six digits of the authenticator, or a recovery code.',
  example: '123456',
});
export const codeBody = z.object({ code });

export const session = z.object({
  id: uuid,
  isCurrent: z.boolean(),
  browser: z.string().meta({ description: 'What it was begun with, as far as known.' }),
  createdAt: timestamp,
  expiresAt: timestamp,
});

export const chainReport = z.object({
  entries: z.int().min(0).meta({ description: 'How many were looked at, from the first on.' }),
  intact: z.boolean(),
  fault: z.object({ seq: z.int(), reason: z.string() }).nullable(),
  isFinished: z.boolean().meta({ description: 'If not, go on after as many entries.' }),
});

export const auditQuery = paginationQuery.extend({
  actorType: z.enum(actorTypes).optional(),
  subjectType: z.string().min(1).max(64).optional(),
  action: z.string().min(1).max(64).optional().meta({
    description: 'A whole action such as `server.update`, or how it begins: `server.`.',
  }),
});
export type AuditQuery = z.output<typeof auditQuery>;

export const planOffer = planLimits.extend({ name: planName, priceCents: z.int().min(0) });

export const dashboardEndpoints = {
  ...viewEndpoints,
  ...restoreViewEndpoints,
  ...marketViewEndpoints,
  ...billingViewEndpoints,

  listSessions: endpoint({
    method: 'GET',
    path: '/sessions',
    tag: 'Dashboard',
    summary: 'List your sessions',
    scope: 'account:read',
    freshSecondFactor: 'never',
    status: 200,
    data: z.array(session),
  }),

  endSession: endpoint({
    method: 'DELETE',
    path: '/sessions/:id',
    tag: 'Dashboard',
    summary: 'End one of your sessions',
    scope: 'account:write',
    freshSecondFactor: 'never',
    params: idParams,
    status: 200,
    data: deleted,
  }),

  endAllSessions: endpoint({
    method: 'DELETE',
    path: '/sessions',
    tag: 'Dashboard',
    summary: 'Sign out everywhere',
    description: 'This session ends too.',
    scope: 'account:write',
    freshSecondFactor: 'never',
    status: 200,
    data: z.object({ ended: z.int().min(0) }),
  }),

  beginSecondFactor: endpoint({
    method: 'POST',
    path: '/second-factor',
    tag: 'Dashboard',
    summary: 'Begin to set up a second factor',
    description: 'Nothing is asked for until a code made with the secret has come back.',
    scope: 'account:write',
    freshSecondFactor: 'always',
    status: 201,
    data: z.object({
      secret: z.string().meta({ description: 'In base32, for typing in.' }),
      uri: z.string().meta({ description: 'For a QR code.' }),
    }),
    showsSecret: true,
    refusals: { 409: 'There is one already.' },
  }),

  finishSecondFactor: endpoint({
    method: 'PUT',
    path: '/second-factor',
    tag: 'Dashboard',
    summary: 'Switch the second factor on',
    scope: 'account:write',
    freshSecondFactor: 'inBody',
    body: codeBody,
    status: 200,
    data: z.object({ recoveryCodes: z.array(z.string()) }),
    refusals: { 409: 'None was begun, or there is one already.', 429: 'Too many wrong codes.' },
  }),

  endSecondFactor: endpoint({
    method: 'POST',
    path: '/second-factor/end',
    tag: 'Dashboard',
    summary: 'Switch the second factor off',
    scope: 'account:write',
    freshSecondFactor: 'inBody',
    body: codeBody,
    status: 200,
    data: z.object({ mfaEnabled: z.literal(false) }),
    refusals: { 409: 'There is none.', 429: 'Too many wrong codes.' },
  }),

  confirmSession: endpoint({
    method: 'POST',
    path: '/confirmation',
    tag: 'Dashboard',
    summary: 'Confirm what comes next with a code',
    description: 'Dangerous acts are then possible for a moment.',
    scope: 'account:write',
    freshSecondFactor: 'inBody',
    body: codeBody,
    status: 200,
    data: z.object({ confirmedUntil: timestamp }),
    refusals: { 409: 'There is no second factor.', 429: 'Too many wrong codes.' },
  }),

  verifyAudit: endpoint({
    method: 'GET',
    heavy: true,
    path: '/audit/verification',
    tag: 'Dashboard',
    summary: 'Verify the audit chain',
    description: 'A long chain is verified in parts, each following upon the one before.',
    scope: 'audit:read',
    freshSecondFactor: 'never',
    query: z.object({
      after: z
        .string()
        .regex(/^\d{1,15}$/)
        .transform(Number)
        .default(0),
    }),
    status: 200,
    data: chainReport,
  }),

  findAudit: endpoint({
    method: 'GET',
    path: '/audit/entries',
    tag: 'Dashboard',
    summary: 'Find audit entries',
    description: 'Newest first, among the newest 100,000 of the account.',
    scope: 'audit:read',
    freshSecondFactor: 'never',
    query: auditQuery,
    status: 200,
    data: auditEntry,
    paginated: true,
  }),

  findAppeals: endpoint({
    method: 'GET',
    path: '/servers/:id/appeals/found',
    tag: 'Dashboard',
    summary: 'Find open or decided appeals',
    scope: 'members:read',
    freshSecondFactor: 'never',
    owner: 'server',
    params: idParams,
    query: paginationQuery.extend({ isOpen: booleanText }),
    status: 200,
    data: appeal,
    paginated: true,
  }),

  listPlans: endpoint({
    method: 'GET',
    path: '/plans',
    tag: 'Dashboard',
    summary: 'List the plans',
    scope: 'billing:read',
    freshSecondFactor: 'never',
    status: 200,
    data: z.array(planOffer),
  }),
};

export type DashboardEndpoints = typeof dashboardEndpoints;
