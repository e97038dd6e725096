import { z } from 'zod';
import type { Job } from '../../../queue/job.ts';
import type { CardActions } from './card-actions.ts';

/** Ends a subscription at the card provider, so that nobody is charged for it again. */
export const cancelCardSubscription = {
  name: 'billing.cancel-subscription',
  payload: z.object({ providerRef: z.string().min(1) }),
};

export const cancelCardSubscriptionJob = ({
  card,
}: {
  card: CardActions | undefined;
}): Job<{ providerRef: string }> => ({
  ...cancelCardSubscription,
  async run({ providerRef }) {
    await card?.cancelSubscription(providerRef);
  },
});
