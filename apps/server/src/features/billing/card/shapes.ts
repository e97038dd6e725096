import { z } from 'zod';
import { isCleanText } from '../../../http/clean-text.ts';

/*
 * What is read of the card provider's events. Its payloads changed over the years: both today's and
 * older places are read, and whatever else there is may change.
 */

/** Ids go into indexed columns: neither longer nor stranger than those take. */
export const ref = z.string().min(1).max(255).refine(isCleanText);

const latest = Math.floor(Date.UTC(9999, 11, 31) / 1000);
const time = z.int().min(0).max(latest);
const optionalTime = time.nullish().catch(null);

/** An id, or the whole thing in its place. */
const link = z
  .union([ref, z.object({ id: ref }).transform(({ id }) => id)])
  .nullish()
  .catch(null);

const metadata = z.record(z.string(), z.unknown()).nullish().catch(null);
const amount = z.int().min(0);
const currency = z
  .string()
  .regex(/^[a-z0-9]{2,10}$/i)
  .transform((text) => text.toUpperCase());

export const cardEvent = z.object({
  id: ref,
  type: ref,
  created: time.optional().catch(undefined),
  data: z.object({ object: z.unknown() }).optional().catch(undefined),
});

const price = z.object({ id: ref, lookup_key: z.string().nullish().catch(null) });
const priced = z.object({
  price: price.nullish().catch(null),
  /** The price's name before there were prices. */
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
  mode: z.string().nullish(),
  customer: link,
  subscription: link,
  client_reference_id: z.string().nullish().catch(null),
  metadata,
  payment_intent: link,
  payment_status: z.string().nullish().catch(null),
  amount_total: amount.nullish().catch(null),
  currency: currency.nullish().catch(null),
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
  /** Where today's invoices name what paid them. */
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

/** What the provider says of a dispute that is over; an inquiry that was only a warning took no money. */
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

/** Of an event that nothing is done about: whose it is, if it says so. */
export const anyObject = z.object({ customer: link });
