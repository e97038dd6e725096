import { z } from 'zod';
import type { Log } from '../../../kernel/log.ts';
import { type Job, ofAccountIfKnown } from '../../../queue/job.ts';
import type { CardClient } from './client.ts';

type CardJobDependencies = { card: CardClient | undefined; log: Log };

/** Ends a subscription at the card provider, so that it is not charged again. */
export const cancelCardSubscription = {
  name: 'billing.cancel-subscription',
  payload: z.object({
    providerRef: z.string().min(1),
    prorate: z.boolean().optional(),
    accountId: z.guid().optional(),
  }),
  groupOf: ofAccountIfKnown,
};

/** Closes a checkout at the card provider. If it was paid already, an event reports the payment. */
export const closeCheckout = {
  name: 'billing.close-checkout',
  payload: z.object({ checkoutRef: z.string().min(1), accountId: z.guid().optional() }),
  groupOf: ofAccountIfKnown,
};

/** Refunds what was paid for a deleted account, and cancels what would be charged again. */
export const returnAbandoned = {
  name: 'billing.return-abandoned',
  payload: z.object({
    subscriptionRef: z.string().min(1).nullable(),
    /** Payment intents and charges. */
    paymentRefs: z.array(z.string().min(1)),
    accountId: z.guid().optional(),
  }),
  groupOf: ofAccountIfKnown,
};

export const cancelCardSubscriptionJob = ({
  card,
}: Pick<CardJobDependencies, 'card'>): Job<z.output<typeof cancelCardSubscription.payload>> => ({
  ...cancelCardSubscription,
  async run({ providerRef, prorate }) {
    await card?.cancelSubscription(providerRef, { prorate });
  },
});

export const closeCheckoutJob = ({
  card,
}: Pick<CardJobDependencies, 'card'>): Job<z.output<typeof closeCheckout.payload>> => ({
  ...closeCheckout,
  async run({ checkoutRef }) {
    await card?.closeCheckout(checkoutRef);
  },
});

export const returnAbandonedJob = ({
  card,
  log,
}: CardJobDependencies): Job<z.output<typeof returnAbandoned.payload>> => ({
  ...returnAbandoned,
  async run({ subscriptionRef, paymentRefs }) {
    if (subscriptionRef !== null) await card?.cancelSubscription(subscriptionRef);
    for (const paymentRef of paymentRefs) {
      const result = (await card?.refund(paymentRef)) ?? 'REFUSED';
      if (result === 'DONE') continue;
      log.warn({ paymentRef }, 'a payment for a deleted account could not be refunded');
    }
  },
});
