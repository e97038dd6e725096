import { z } from 'zod';
import { platformId, timestamp, url, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { planLimits, planName } from './plans.ts';

export const subscriptionStatus = z.enum([
  'ACTIVE',
  'TRIALING',
  'PAST_DUE',
  'CANCELLED',
  'EXPIRED',
  'INCOMPLETE',
]);

export const subscription = z
  .object({
    plan: planName,
    status: subscriptionStatus,
    currentPeriodEnd: timestamp,
    isTrial: z.boolean(),
    trialEndsAt: timestamp.nullable(),
    cancelledAt: timestamp.nullable(),
  })
  .meta({ id: 'Subscription' });
export type Subscription = z.output<typeof subscription>;

export const account = z
  .object({
    id: uuid,
    platformId,
    username: z.string(),
    displayName: z.string(),
    avatar: url,
    plan: planName,
    mfaEnabled: z.boolean(),
    createdAt: timestamp,
    _count: z.object({ servers: z.int(), customBots: z.int(), teams: z.int() }),
    subscription,
    limits: planLimits,
  })
  .meta({ id: 'Account' });

export const accountEndpoints = {
  getAccount: endpoint({
    method: 'GET',
    path: '/account',
    tag: 'Account',
    summary: 'Read the account',
    description: 'The caller, their plan with its limits, and their subscription.',
    scope: 'account:read',
    status: 200,
    data: account,
  }),
};
