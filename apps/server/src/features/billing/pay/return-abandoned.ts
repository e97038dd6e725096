import { z } from 'zod';
import type { Log } from '../../../kernel/log.ts';
import type { Job } from '../../../queue/job.ts';
import type { CardActions } from './card-actions.ts';

/** Gives back what was paid for an account that is deleted, and ends what would be charged again. */
export const returnAbandoned = {
  name: 'billing.return-abandoned',
  payload: z.object({
    subscriptionRef: z.string().min(1).nullable(),
    /** Payment intents and charges. */
    paymentRefs: z.array(z.string().min(1)),
  }),
};

type Abandoned = z.output<typeof returnAbandoned.payload>;
type Tools = { card: CardActions | undefined; log: Log };

export const returnAbandonedJob = ({ card, log }: Tools): Job<Abandoned> => ({
  ...returnAbandoned,
  async run({ subscriptionRef, paymentRefs }) {
    if (subscriptionRef !== null) await card?.cancelSubscription(subscriptionRef);
    for (const paymentRef of paymentRefs) {
      const result = (await card?.refund(paymentRef)) ?? 'REFUSED';
      if (result === 'DONE') continue;
      log.warn({ paymentRef }, 'a payment for a deleted account could not be given back');
    }
  },
});
