import Stripe from 'stripe';
import { withinDeadline } from '../../../kernel/deadline.ts';
import { connectToCardProvider } from './card.ts';
import type { ProviderAccess } from './provider.ts';

/**
 * DONE: it is so, by this call or since before. REFUSED: the provider will never do it. Whatever else goes
 * wrong is thrown, without the provider's words: the job that asked tries again.
 */
export type ActionResult = 'DONE' | 'REFUSED';

/** What jobs ask of the card provider. All of it can be asked twice: the second time changes nothing. */
export type CardActions = {
  /** Nobody can pay there any more. */
  closeCheckout(sessionId: string): Promise<ActionResult>;
  /** All that is left of a payment intent, or of a charge, goes back to the card. */
  refund(paymentRef: string): Promise<ActionResult>;
  /** At once, and not at the end of its period. */
  cancelSubscription(subscriptionId: string): Promise<ActionResult>;
};

const patienceMs = 20_000;

export const createCardActions = (access: ProviderAccess): CardActions => {
  const stripe = connectToCardProvider(access, patienceMs);
  return {
    closeCheckout: (id) => ask([], () => stripe.checkout.sessions.expire(id)),
    async refund(paymentRef) {
      const isIntent = paymentRef.startsWith('pi_');
      const payment = isIntent ? { payment_intent: paymentRef } : { charge: paymentRef };
      let status: string | null = null;
      const result = await ask(['charge_already_refunded'], async () => {
        const refund = await stripe.refunds.create(payment);
        status = refund.status;
        return refund;
      });
      return status === 'failed' || status === 'canceled' ? 'REFUSED' : result;
    },
    cancelSubscription: (id) => ask(['resource_missing'], () => stripe.subscriptions.cancel(id)),
  };
};

type Answer = { lastResponse: { statusCode: number } };

/** `meansDone`: with these codes the provider says that it is so already. */
const ask = async (
  meansDone: readonly string[],
  call: () => Promise<Answer>,
): Promise<ActionResult> => {
  try {
    const times = { ms: patienceMs, lastMs: patienceMs };
    const { statusCode } = (await withinDeadline(times, call)).lastResponse;
    if (statusCode === 200) return 'DONE';
    throw new Error(`The card provider answered with status ${statusCode}`);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    if (meansDone.includes(error.code ?? '')) return 'DONE';
    if (isFinal(error)) return 'REFUSED';
    // An answer of the provider may repeat our key.
    throw new Error(`The card provider did not do it: ${error.type} ${error.statusCode ?? ''}`);
  }
};

/** It understood the request and will not carry it out; a wrong key or too many requests are our matter. */
const isFinal = ({ statusCode }: { statusCode?: number | undefined }): boolean =>
  statusCode === 400 || statusCode === 402 || statusCode === 404;
