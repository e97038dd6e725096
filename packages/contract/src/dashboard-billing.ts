import { z } from 'zod';
import { currency, payWays } from './billing.ts';
import { timestamp } from './common.ts';
import { endpoint } from './endpoint.ts';

export const billingStanding = z.object({
  provider: z.enum(payWays).nullable().describe('Who is paid for the plan; null where nobody is.'),
  renews: z.boolean().describe('At the end of its period it is paid for again by itself.'),
  lapsesAt: timestamp.nullable().describe('When the plan ends if nothing is paid until then.'),
  earnedCents: z.int().describe('Can be paid out, and can buy from another account.'),
  creditCents: z.int().describe('Pays plans.'),
  currency,
});
export type BillingStanding = z.output<typeof billingStanding>;

export const billingViewEndpoints = {
  getBillingStanding: endpoint({
    method: 'GET',
    path: '/billing/standing',
    tag: 'Dashboard',
    summary: 'Read how your plan is paid for, and your balance',
    scope: 'billing:read',
    freshSecondFactor: 'never',
    status: 200,
    data: billingStanding,
  }),
};
