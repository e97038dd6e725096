import { z } from 'zod';
import { httpUrl, paginationQuery, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { planName } from './plans.ts';

/** Who takes the money: the card provider or the cryptocurrency provider. */
export const paymentProviders = ['CARD', 'CRYPTO'] as const;
export type PaymentProvider = (typeof paymentProviders)[number];

export const ledgerTypes = ['REFUND', 'PURCHASE', 'SALE', 'FEE', 'PAYOUT', 'ADJUSTMENT'] as const;
export type LedgerType = (typeof ledgerTypes)[number];

export const currency = z
  .string()
  .regex(/^[A-Z0-9]{2,10}$/)
  .meta({ example: 'USD' });

export const ledgerEntry = z
  .object({
    id: uuid,
    type: z.enum(ledgerTypes),
    amountCents: z.int().meta({ description: 'Signed: what the balance gained.', example: 500 }),
    currency,
    balanceCents: z.int().meta({ description: 'The balance after it.', example: 500 }),
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

export const newInvoice = z.object({ plan: paidPlan, payWith: z.enum(paymentProviders) });

export const invoice = z
  .object({
    id: uuid,
    payUrl: httpUrl.meta({
      description: 'Where a person pays it, in a browser.',
      example: 'https://pay.example.com/i/9f2d6c1b',
    }),
    amountCents: z.int().min(0).meta({ example: 500 }),
    currency,
    expiresAt: timestamp,
  })
  .meta({ id: 'Invoice' });

export const billingEndpoints = {
  listLedger: endpoint({
    method: 'GET',
    path: '/billing/ledger',
    tag: 'Billing',
    summary: 'List ledger entries',
    description: 'Everything that moved your balance, newest first.',
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
      'By card the plan renews every month until you cancel it. Paid with cryptocurrency it lasts 30 days, or 30 days longer than it would have.',
    scope: 'billing:write',
    freshSecondFactor: 'never',
    body: newInvoice,
    status: 201,
    data: invoice,
    refusals: { 409: 'The payment provider cannot be reached now.' },
  }),
};
