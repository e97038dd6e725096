import { z } from 'zod';
import { subscription } from './account.ts';
import { httpUrl, paginationQuery, timestamp, uuid } from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { setTo } from './fresh-second-factor.ts';
import { planName } from './plans.ts';

const paymentProviders = ['CARD', 'CRYPTO'] as const;
export type PaymentProvider = (typeof paymentProviders)[number];

const ledgerTypes = ['REFUND', 'PURCHASE', 'SALE', 'FEE', 'PAYOUT', 'ADJUSTMENT'] as const;
export type LedgerType = (typeof ledgerTypes)[number];

/** Earnings can be paid out or spent on listings; credit can be spent on plans. */
const ledgerPots = ['EARNED', 'CREDIT'] as const;
export type LedgerPot = (typeof ledgerPots)[number];

export const currency = z
  .string()
  .regex(/^[A-Z0-9]{2,10}$/)
  .meta({ example: 'USD' });

const ledgerEntry = z
  .object({
    id: uuid,
    type: z.enum(ledgerTypes),
    pot: z.enum(ledgerPots).meta({
      description:
        'EARNED: income from sales without fees; it can be paid out or spent on listings. CREDIT: refunds, late payments and adjustments; it can be spent on plans.',
      example: 'CREDIT',
    }),
    amountCents: z.int().meta({ description: 'Signed: what the pot gained.', example: 500 }),
    currency,
    balanceCents: z.int().meta({ description: 'The balance of the pot afterwards.', example: 500 }),
    reference: z.string().meta({
      description: 'What it refers to, such as the refunded charge.',
      example: 'ch_3OqLvT2eZvKYlo2C',
    }),
    clearsAt: timestamp.nullable().meta({
      description:
        'For a SALE: from when on it can be paid out or spent on listings, less its fee. Null for all others.',
      example: null,
    }),
    createdAt: timestamp,
  })
  .meta({ id: 'LedgerEntry' });

const billingOutcomes = ['APPLIED', 'IGNORED', 'UNMATCHED', 'MISMATCH'] as const;
export type BillingOutcome = (typeof billingOutcomes)[number];

const billingEvent = z
  .object({
    id: uuid,
    provider: z.enum(paymentProviders),
    type: z.string().meta({ example: 'invoice.payment_succeeded' }),
    providerEventId: z.string().meta({ example: 'evt_1OqLvU2eZvKYlo2C' }),
    outcome: z.enum(billingOutcomes).meta({
      description:
        'APPLIED: it changed something. IGNORED: there was nothing to change, or it came too late. UNMATCHED: it waits for the record it belongs to. MISMATCH: the payment differs from what was requested.',
      example: 'APPLIED',
    }),
    createdAt: timestamp,
  })
  .meta({ id: 'BillingEvent' });

export const paidPlan = planName.exclude(['FREE']).meta({ id: 'PaidPlan', example: 'PREMIUM' });

export const paymentMethods = [...paymentProviders, 'BALANCE'] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

export const newInvoice = z.object({ plan: paidPlan, payWith: z.enum(paymentMethods) });

export const invoice = z
  .object({
    id: uuid,
    payUrl: httpUrl.nullable().meta({
      description: 'The page on which a person pays it; null if your balance paid it.',
      example: 'https://pay.example.com/i/9f2d6c1b',
    }),
    amountCents: z.int().min(0).meta({ example: 500 }),
    currency,
    expiresAt: timestamp.describe(
      'Until when it can be paid; if your balance paid it, until when the plan lasts.',
    ),
  })
  .meta({ id: 'Invoice' });

const changeRefusal =
  'You have no card subscription, the card was declined, or the card provider cannot be reached now.';

export const billingEndpoints = endpointsOf('Billing', {
  listLedger: {
    method: 'GET',
    path: '/billing/ledger',
    summary: 'List ledger entries',
    description: 'All transactions of your two pots, newest first.',
    scope: 'billing:read',
    query: paginationQuery,
    data: ledgerEntry,
    paginated: true,
    mayReadStandby: true,
  },

  listBillingEvents: {
    method: 'GET',
    path: '/billing/events',
    summary: 'List billing events',
    description: 'Events of the payment providers about you and their outcome, newest first.',
    scope: 'billing:read',
    query: paginationQuery,
    data: billingEvent,
    paginated: true,
    mayReadStandby: true,
  },

  createInvoice: {
    method: 'POST',
    path: '/billing/invoices',
    summary: 'Pay for a plan',
    description:
      'Paid by card, the plan renews every month until you cancel it. Paid with cryptocurrency or from your balance, it lasts 30 days or is extended by 30 days. A payment from your balance is immediate and uses credit first, then earnings.',
    scope: 'billing:write',
    freshSecondFactor: { whenFields: { payWith: setTo('BALANCE') } },
    body: newInvoice,
    status: 201,
    data: invoice,
    refusals: {
      403: 'Your balance is too small.',
      409: 'The payment provider cannot be reached now, or you have a card subscription already: change that one.',
    },
  },

  changeSubscription: {
    method: 'POST',
    path: '/billing/subscription',
    summary: 'Change the card subscription to another plan',
    description:
      'A higher plan takes effect at once: the card is charged the difference for the rest of the period. A lower plan takes effect at the end of the period, until then the current plan stays; choosing the current plan again takes that back. A cancelled subscription is resumed by this.',
    scope: 'billing:write',
    freshSecondFactor: 'always',
    body: z.object({ plan: paidPlan }),
    status: 200,
    data: subscription,
    refusals: { 409: changeRefusal },
  },

  cancelSubscription: {
    method: 'DELETE',
    path: '/billing/subscription',
    summary: 'Cancel the card subscription',
    description:
      'It ends at the end of the paid period, and the plan stays until then. `cancelledAt` is set at once.',
    scope: 'billing:write',
    freshSecondFactor: 'never',
    status: 200,
    data: subscription,
    refusals: { 409: changeRefusal },
  },

  resumeSubscription: {
    method: 'POST',
    path: '/billing/subscription/resume',
    summary: 'Resume a cancelled card subscription',
    description: 'It renews again at the end of its period. Possible until it has ended.',
    scope: 'billing:write',
    freshSecondFactor: 'never',
    status: 200,
    data: subscription,
    refusals: { 409: changeRefusal },
  },
});

/** The currency of all prices. */
export const marketCurrency = 'USD';

/** The most that a card can be charged at once. */
const maxCents = 99_999_999;

export const cents = z.int().min(0).max(maxCents).meta({ example: 1500 });
