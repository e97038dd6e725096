import { z } from 'zod';
import { isCleanText } from '../../../http/endpoint/read-input.ts';
import { currencyCode } from '../events/currency.ts';

/*
 * The parts of the card provider's events that are read. Its payloads changed over the years, so both the
 * current and the older places of a field are read, and all other fields are ignored.
 */

/** Ids go into indexed columns, so their length and characters are limited. */
const ref = z.string().min(1).max(255).refine(isCleanText);

const latest = Math.floor(Date.UTC(9999, 11, 31) / 1000);
const time = z.int().min(0).max(latest);
const optionalTime = time.nullish().catch(null);

/** An id, or the expanded object in its place. */
const link = z
  .union([ref, z.object({ id: ref }).transform(({ id }) => id)])
  .nullish()
  .catch(null);

const metadata = z.record(z.string(), z.unknown()).nullish().catch(null);
/** Null where it cannot be read, which makes the event a MISMATCH. */
const amount = z
  .int()
  .min(0)
  .nullish()
  .catch(null)
  .transform((cents) => cents ?? null);
const currency = currencyCode
  .nullish()
  .catch(null)
  .transform((code) => code ?? null);

export const cardEvent = z.object({
  id: ref,
  type: ref,
  created: time.optional().catch(undefined),
  data: z.object({ object: z.unknown() }).optional().catch(undefined),
});

const price = z.object({ id: ref, lookup_key: z.string().nullish().catch(null) });
const priced = z.object({
  price: price.nullish().catch(null),
  /** The old form of a price. */
  plan: z.object({ id: ref }).nullish().catch(null),
  current_period_end: optionalTime,
});
const pricedList = z
  .object({ data: z.array(priced) })
  .nullish()
  .catch(null);
export type Priced = { items: z.output<typeof pricedList>; metadata: z.output<typeof metadata> };

export const checkoutSession = z.object({
  id: ref.nullish().catch(null),
  created: optionalTime,
  mode: z.string().nullish(),
  customer: link,
  subscription: link,
  client_reference_id: z.string().nullish().catch(null),
  metadata,
  payment_intent: link,
  payment_status: z.string().nullish().catch(null),
  amount_total: amount,
  currency,
  line_items: pricedList,
});

export const providerStatuses = {
  active: 'ACTIVE',
  trialing: 'TRIALING',
  past_due: 'PAST_DUE',
  unpaid: 'PAST_DUE',
  canceled: 'CANCELLED',
  incomplete: 'INCOMPLETE',
  incomplete_expired: 'EXPIRED',
  paused: 'EXPIRED',
} as const;

export const providerSubscription = z.object({
  id: ref,
  customer: link,
  status: z.string(),
  metadata,
  items: pricedList,
  current_period_end: optionalTime,
  trial_end: optionalTime,
  canceled_at: optionalTime,
  /** The schedule that manages it. Older payloads lack the field. */
  schedule: link.optional(),
});

/** Changes that wait for the end of a period. */
export const providerSchedule = z.object({
  subscription: link,
  released_subscription: link,
  customer: link,
  status: z.string(),
  current_phase: z.object({ end_date: time }).nullish().catch(null),
  phases: z.array(
    z.object({
      start_date: time,
      metadata,
      items: z.array(z.object({ price: link })).catch([]),
    }),
  ),
});

export const providerInvoice = z.object({
  id: ref.nullish().catch(null),
  customer: link,
  subscription: link,
  parent: z
    .object({ subscription_details: z.object({ subscription: link }).nullish().catch(null) })
    .nullish()
    .catch(null),
  charge: link,
  payment_intent: link,
  /** Current invoices name their payments here. */
  payments: z
    .object({
      data: z.array(
        z.object({
          payment: z.object({ charge: link, payment_intent: link }).nullish().catch(null),
        }),
      ),
    })
    .nullish()
    .catch(null),
  lines: z
    .object({ data: z.array(z.object({ period: z.object({ end: time }).nullish().catch(null) })) })
    .nullish()
    .catch(null),
  period_end: optionalTime,
});

export const providerCharge = z.object({
  id: ref,
  customer: link,
  payment_intent: link,
  amount_refunded: amount,
  currency,
  metadata,
});

/** Final states of a dispute. A warning took no money, so it counts as won. */
export const disputeEnds = {
  won: 'WON',
  lost: 'LOST',
  warning_closed: 'WON',
  charge_refunded: 'WON',
} as const;

export const providerDispute = z.object({
  id: ref,
  charge: link,
  payment_intent: link,
  amount,
  currency,
  status: z.string().nullish().catch(null),
});

/** An event that is not handled: only its customer is read. */
export const anyObject = z.object({ customer: link });
