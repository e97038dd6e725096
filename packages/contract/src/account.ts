import { z } from 'zod';
import { deleted, platformId, timestamp, url, uuid } from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { stillOpenError } from './errors.ts';
import { planLimits, planName } from './plans.ts';

export const subscriptionStatus = z.enum([
  'ACTIVE',
  'TRIALING',
  'PAST_DUE',
  'CANCELLED',
  'EXPIRED',
  'INCOMPLETE',
]);
export type SubscriptionStatus = z.infer<typeof subscriptionStatus>;

export const subscription = z
  .object({
    plan: planName,
    status: subscriptionStatus,
    currentPeriodEnd: timestamp.meta({ example: '2026-03-01T00:00:00.000Z' }),
    isTrial: z.boolean(),
    trialEndsAt: timestamp.nullable().meta({ example: null }),
    cancelledAt: timestamp.nullable().meta({ example: null }),
  })
  .meta({ id: 'Subscription' });
export type Subscription = z.output<typeof subscription>;

export const account = z
  .object({
    id: uuid,
    platformId: platformId.describe('Your user id on the platform.'),
    username: z.string().meta({ example: 'harbour.master' }),
    displayName: z.string().meta({ example: 'Harbour Master' }),
    avatar: url.meta({ example: 'https://cdn.example.com/avatar.png' }),
    plan: planName,
    mfaEnabled: z.boolean().meta({ example: true }),
    createdAt: timestamp,
    _count: z.object({ servers: z.int(), customBots: z.int(), teams: z.int() }).meta({
      description: 'Counts of what the account has.',
      example: { servers: 2, customBots: 1, teams: 0 },
    }),
    subscription,
    limits: planLimits,
  })
  .meta({ id: 'Account' });

export const accountEndpoints = endpointsOf('Account', {
  getAccount: {
    method: 'GET',
    path: '/account',
    summary: 'Read the account',
    description: 'The caller, their plan with its limits, and their subscription.',
    scope: 'account:read',
    data: account,
  },

  deleteAccount: {
    method: 'DELETE',
    path: '/account',
    summary: 'Delete the account',
    description:
      'This cannot be undone. Keys and sessions end at once, subscriptions are cancelled at the payment provider, tokens of members are revoked at the platform, and servers, members and backups are erased in the background. Unpaid orders are cancelled, listings are unpublished, and credit is forfeited. Financial records are kept without a name.',
    scope: 'account:delete',
    refusesRepeat: true,
    freshSecondFactor: 'always',
    body: z.object({
      confirm: z
        .string()
        .meta({ description: 'Your username, exactly.', example: 'harbour.master' }),
    }),
    status: 200,
    data: deleted,
    refusals: { 409: 'Orders, payouts or earnings are still open: `open` says how many.' },
    conflictBody: stillOpenError,
  },
});
