import { z } from 'zod';
import { appeal } from '../appeals.ts';
import { actorTypes, auditEntry, chainFaults } from '../audit.ts';
import { booleanText, deleted, idParams, paginationQuery, timestamp, uuid } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';
import { planLimits, planName } from '../plans.ts';
import { alertViewEndpoints } from './alerts.ts';
import { deviceLoginEndpoints } from './device-login.ts';
import { drillEndpoints } from './drills.ts';
import { incidentViewEndpoints } from './incidents.ts';
import { marketViewEndpoints } from './marketplace.ts';
import { massVerificationViewEndpoints } from './mass-verifications.ts';
import { memberViewEndpoints } from './members.ts';
import { billingViewEndpoints, viewEndpoints } from './overview.ts';
import { personEndpoints } from './person.ts';
import { pullViewEndpoints } from './pulls.ts';
import { recoveryEndpoints } from './recovery.ts';
import { restoreViewEndpoints } from './restores.ts';
import { setupEndpoints } from './setup.ts';
import { waveEndpoints } from './waves.ts';

/** Endpoints that need a session of the dashboard; no key can call them. */

const code = z.string().trim().min(6).max(40).meta({
  description: 'Six digits of the authenticator, or a recovery code.',
  example: '123456',
});
const codeBody = z.object({ code });

export const session = z.object({
  id: uuid,
  isCurrent: z.boolean(),
  browser: z.string().meta({ description: 'The browser that signed in, if known.' }),
  createdAt: timestamp,
  expiresAt: timestamp,
});

const chainReport = z.object({
  entries: z.int().min(0).meta({ description: 'How many entries were verified, from the first.' }),
  intact: z.boolean(),
  fault: z.object({ seq: z.int(), reason: z.enum(chainFaults) }).nullable(),
  isFinished: z.boolean().meta({ description: 'If false, continue after this many entries.' }),
});

const auditQuery = paginationQuery.extend({
  actorType: z.enum(actorTypes).optional(),
  subjectType: z.string().min(1).max(64).optional(),
  action: z.string().min(1).max(64).optional().meta({
    description: 'An action such as `server.update`, or its prefix: `server.`.',
  }),
});
export type AuditQuery = z.output<typeof auditQuery>;

const planOffer = planLimits.extend({ name: planName, priceCents: z.int().min(0) });

const sessionEndpoints = endpointsOf('Dashboard', {
  listSessions: {
    method: 'GET',
    path: '/sessions',
    summary: 'List your sessions',
    scope: 'account:read',
    data: z.array(session),
  },

  endSession: {
    method: 'DELETE',
    path: '/sessions/:id',
    summary: 'End one of your sessions',
    scope: 'account:write',
    freshSecondFactor: 'never',
    params: idParams,
    data: deleted,
  },

  endAllSessions: {
    method: 'DELETE',
    path: '/sessions',
    summary: 'Sign out everywhere',
    description: 'This session ends too.',
    scope: 'account:write',
    refusesRepeat: true,
    freshSecondFactor: 'never',
    data: z.object({ ended: z.int().min(0) }),
  },

  beginSecondFactor: {
    method: 'POST',
    path: '/second-factor',
    summary: 'Begin to set up a second factor',
    unaudited: 'Nothing holds before the first code, which is audited.',
    description: 'It takes effect once a code made with the secret was verified.',
    scope: 'account:write',
    freshSecondFactor: 'always',
    status: 201,
    data: z.object({
      secret: z.string().meta({ description: 'In base32, for manual entry.' }),
      uri: z.string().meta({ description: 'For a QR code.' }),
    }),
    showsSecret: true,
    refusals: { 409: 'There is one already.' },
  },

  finishSecondFactor: {
    method: 'PUT',
    path: '/second-factor',
    summary: 'Switch the second factor on',
    scope: 'account:write',
    refusesRepeat: true,
    freshSecondFactor: 'inBody',
    body: codeBody,
    data: z.object({ recoveryCodes: z.array(z.string()) }),
    refusals: { 409: 'None was begun, or there is one already.', 429: 'Too many wrong codes.' },
  },

  endSecondFactor: {
    method: 'POST',
    path: '/second-factor/end',
    summary: 'Switch the second factor off',
    scope: 'account:write',
    freshSecondFactor: 'inBody',
    body: codeBody,
    data: z.object({ mfaEnabled: z.literal(false) }),
    refusals: { 409: 'There is none.', 429: 'Too many wrong codes.' },
  },

  confirmSession: {
    method: 'POST',
    path: '/confirmation',
    summary: 'Confirm what comes next with a code',
    unaudited: 'It changes nothing but this session; what is then done is audited.',
    description: 'Dangerous actions are then possible for a short time.',
    scope: 'account:write',
    freshSecondFactor: 'inBody',
    body: codeBody,
    data: z.object({ confirmedUntil: timestamp }),
    refusals: { 409: 'There is no second factor.', 429: 'Too many wrong codes.' },
  },

  verifyAudit: {
    method: 'GET',
    heavy: true,
    path: '/audit/verification',
    summary: 'Verify the audit chain',
    description: 'A long chain is verified in several requests.',
    scope: 'audit:read',
    query: z.object({
      after: z
        .string()
        .regex(/^\d{1,15}$/)
        .transform(Number)
        .default(0),
    }),
    status: 200,
    data: chainReport,
  },

  findAudit: {
    method: 'GET',
    path: '/audit/entries',
    summary: 'Find audit entries',
    description: 'Newest first, among the newest 100,000 entries of the account.',
    scope: 'audit:read',
    query: auditQuery,
    data: auditEntry,
    paginated: true,
    mayReadStandby: true,
  },

  findAppeals: {
    method: 'GET',
    path: '/servers/:id/appeals/found',
    summary: 'Find open or decided appeals',
    scope: 'members:read',
    owner: 'server',
    params: idParams,
    query: paginationQuery.extend({ isOpen: booleanText }),
    data: appeal,
    paginated: true,
    mayReadStandby: true,
  },

  listPlans: {
    method: 'GET',
    path: '/plans',
    summary: 'List the plans',
    scope: 'billing:read',
    data: z.array(planOffer),
  },
});

export const dashboardEndpoints = {
  ...viewEndpoints,
  ...restoreViewEndpoints,
  ...pullViewEndpoints,
  ...massVerificationViewEndpoints,
  ...memberViewEndpoints,
  ...personEndpoints,
  ...recoveryEndpoints,
  ...marketViewEndpoints,
  ...billingViewEndpoints,
  ...alertViewEndpoints,
  ...incidentViewEndpoints,
  ...drillEndpoints,
  ...waveEndpoints,
  ...setupEndpoints,
  ...deviceLoginEndpoints,
  ...sessionEndpoints,
};

export type DashboardEndpoints = typeof dashboardEndpoints;
