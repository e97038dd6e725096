import { z } from 'zod';
import type { Job } from '../../../queue/job.ts';
import type { CardActions } from './card-actions.ts';

/** Closes a checkout at the card provider. One that is paid already is told of by its event. */
export const closeCheckout = {
  name: 'billing.close-checkout',
  payload: z.object({ checkoutRef: z.string().min(1) }),
};

export const closeCheckoutJob = ({
  card,
}: {
  card: CardActions | undefined;
}): Job<{ checkoutRef: string }> => ({
  ...closeCheckout,
  async run({ checkoutRef }) {
    await card?.closeCheckout(checkoutRef);
  },
});
