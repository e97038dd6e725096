import { z } from 'zod';
import { httpUrl, paginationQuery, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { setTo } from './fresh-second-factor.ts';
import { planName } from './plans.ts';

/** Who takes the money: the card provider or the cryptocurrency provider. */
export const paymentProviders = ['CARD', 'CRYPTO'] as const;
export type PaymentProvider = (typeof paymentProviders)[number];

export const ledgerTypes = ['REFUND', 'PURCHASE', 'SALE', 'FEE', 'PAYOUT', 'ADJUSTMENT'] as const;
export type LedgerType = (typeof ledgerTypes)[number];

/** What sales earned can leave or buy from another account; credit pays plans. */
export const ledgerPots = ['EARNED', 'CREDIT'] as const;
export type LedgerPot = (typeof ledgerPots)[number];

export const currency = z
  .string()
  .regex(/^[A-Z0-9]{2,10}$/)
  .meta({ example: 'USD' });

export const ledgerEntry = z
  .object({
    id: uuid,
    type: z.enum(ledgerTypes),
    pot: z.enum(ledgerPots).meta({
      description:
        'EARNED: what sales earned, less fees; it can be paid out, and can buy from another account. CREDIT: refunds, payments that came too late and adjustments; it pays plans.',
      example: 'CREDIT',
    }),
    amountCents: z.int().meta({ description: 'Signed: what the pot gained.', example: 500 }),
    currency,
    balanceCents: z.int().meta({ description: 'What the pot held after it.', example: 500 }),
    reference: z.string().meta({
      description: 'What it is about, such as the charge that was refunded.',
      example: 'ch_3OqLvT2eZvKYlo2C',
    }),
    createdAt: timestamp,
  })
  .meta({ id: 'LedgerEntry' });

export const billingOutcomes = ['APPLIED', 'IGNORED', 'UNMATCHED', 'MISMATCH'] as const;
export type BillingOutcome = (typeof billingOutcomes)[number];

export const billingEvent = z
  .object({
    id: uuid,
    provider: z.enum(paymentProviders),
    type: z.string().meta({ example: 'invoice.payment_succeeded' }),
    providerEventId: z.string().meta({ example: 'evt_1OqLvU2eZvKYlo2C' }),
    outcome: z.enum(billingOutcomes).meta({
      description:
        'APPLIED: it changed something. IGNORED: it had nothing to change, or came too late to. UNMATCHED: it waits for what it belongs to. MISMATCH: what was paid is not what was asked for.',
      example: 'APPLIED',
    }),
    createdAt: timestamp,
  })
  .meta({ id: 'BillingEvent' });

export const paidPlan = planName.exclude(['FREE']).meta({ id: 'PaidPlan', example: 'PREMIUM' });

export const payWays = [...paymentProviders, 'BALANCE'] as const;
export type PayWay = (typeof payWays)[number];

export const newInvoice = z.object({ plan: paidPlan, payWith: z.enum(payWays) });

export const invoice = z
  .object({
    id: uuid,
    payUrl: httpUrl.nullable().meta({
      description: 'Where a person pays it, in a browser; null where your balance has paid it.',
      example: 'https://pay.example.com/i/9f2d6c1b',
    }),
    amountCents: z.int().min(0).meta({ example: 500 }),
    currency,
    expiresAt: timestamp.describe(
      'Until when it can be paid; of one that your balance has paid, until when the plan lasts.',
    ),
  })
  .meta({ id: 'Invoice' });

export const billingEndpoints = {
  listLedger: endpoint({
    method: 'GET',
    path: '/billing/ledger',
    tag: 'Billing',
    summary: 'List ledger entries',
    description: 'Everything that moved one of your two pots, newest first.',
    scope: 'billing:read',
    freshSecondFactor: 'never',
    query: paginationQuery,
    status: 200,
    data: ledgerEntry,
    paginated: true,
  }),

  listBillingEvents: endpoint({
    method: 'GET',
    path: '/billing/events',
    tag: 'Billing',
    summary: 'List billing events',
    description: 'What the payment providers told about you, newest first, and what it did.',
    scope: 'billing:read',
    freshSecondFactor: 'never',
    query: paginationQuery,
    status: 200,
    data: billingEvent,
    paginated: true,
  }),

  createInvoice: endpoint({
    method: 'POST',
    path: '/billing/invoices',
    tag: 'Billing',
    summary: 'Pay for a plan',
    description:
      'By card the plan renews every month until you cancel it. Paid with cryptocurrency or from your balance it lasts 30 days, or 30 days longer than it would have. Your balance pays at once: first your credit, then what you earned.',
    scope: 'billing:write',
    freshSecondFactor: { whenFields: { payWith: setTo('BALANCE') } },
    body: newInvoice,
    status: 201,
    data: invoice,
    refusals: {
      403: 'Your balance is too small.',
      409: 'The payment provider cannot be reached now.',
    },
  }),
};
