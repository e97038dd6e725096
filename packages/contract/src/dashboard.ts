import { z } from 'zod';
import { deleted, idParams, timestamp, uuid } from './common.ts';
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
  entries: z.int().min(0),
  intact: z.boolean(),
  fault: z.object({ seq: z.int(), reason: z.string() }).nullable(),
});

export const planOffer = planLimits.extend({ name: planName, priceCents: z.int().min(0) });

export const dashboardEndpoints = {
  listSessions: endpoint({
    method: 'GET',
    path: '/sessions',
    tag: 'Dashboard',
    summary: 'List your sessions',
    scope: 'account:read',
    status: 200,
    data: z.array(session),
  }),

  endSession: endpoint({
    method: 'DELETE',
    path: '/sessions/:id',
    tag: 'Dashboard',
    summary: 'End one of your sessions',
    scope: 'account:write',
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
    body: codeBody,
    status: 200,
    data: z.object({ confirmedUntil: timestamp }),
    refusals: { 409: 'There is no second factor.', 429: 'Too many wrong codes.' },
  }),

  verifyAudit: endpoint({
    method: 'GET',
    path: '/audit/verification',
    tag: 'Dashboard',
    summary: 'Verify the audit chain',
    scope: 'audit:read',
    status: 200,
    data: chainReport,
  }),

  listPlans: endpoint({
    method: 'GET',
    path: '/plans',
    tag: 'Dashboard',
    summary: 'List the plans',
    scope: 'billing:read',
    status: 200,
    data: z.array(planOffer),
  }),
};

export type DashboardEndpoints = typeof dashboardEndpoints;
