import type Stripe from 'stripe';
import { once } from '../../../kernel/concurrency.ts';
import { withinDeadline } from '../../../kernel/deadline.ts';
import { fetchLimited } from '../../../platform/client/transport.ts';
import { maxAnswerBytes, type ProviderAccess } from '../checkout/open-checkout.ts';

/**
 * DONE: by this call or by an earlier one. REFUSED: the provider will never do it. Every other failure is
 * thrown, so that the calling job tries again.
 */
export type CardResult = 'DONE' | 'REFUSED';

/** The calls that jobs make to the card provider. Each can be repeated: the second call changes nothing. */
export type CardClient = {
  closeCheckout(sessionId: string): Promise<CardResult>;
  /** Refunds all that is left of a payment intent or a charge. */
  refund(paymentRef: string): Promise<CardResult>;
  /** Cancels at once, not at the end of the period. With `prorate` the unused time becomes the customer's credit. */
  cancelSubscription(
    subscriptionId: string,
    options?: { prorate?: boolean | undefined },
  ): Promise<CardResult>;
};

const timeoutMs = 20_000;

export const createCardClient = (access: ProviderAccess): CardClient => {
  const provider = once(() => connectToCardProvider(access, timeoutMs));
  const call = async (doneCodes: readonly string[], send: (stripe: Stripe) => Promise<Answer>) =>
    callProvider(await provider(), doneCodes, send);
  return {
    closeCheckout: (id) => call([], (stripe) => stripe.checkout.sessions.expire(id)),
    async refund(paymentRef) {
      const isIntent = paymentRef.startsWith('pi_');
      const payment = isIntent ? { payment_intent: paymentRef } : { charge: paymentRef };
      let status: string | null = null;
      const result = await call(['charge_already_refunded'], async (stripe) => {
        const refund = await stripe.refunds.create(payment);
        status = refund.status;
        return refund;
      });
      return status === 'failed' || status === 'canceled' ? 'REFUSED' : result;
    },
    cancelSubscription: (id, { prorate = false } = {}) =>
      call(['resource_missing'], (stripe) =>
        stripe.subscriptions.cancel(id, prorate ? { prorate, invoice_now: true } : {}),
      ),
  };
};

export type CardProvider = {
  stripe: Stripe;
  isProviderError(error: unknown): error is InstanceType<typeof Stripe.errors.StripeError>;
};

/** The library is large, and loaded for the first call. */
export const connectToCardProvider = async (
  { apiUrl, key }: ProviderAccess,
  timeout: number,
): Promise<CardProvider> => {
  const { default: Library } = await import('stripe');
  const { hostname, port, protocol } = new URL(apiUrl);
  const isPlain = protocol === 'http:';
  const stripe = new Library(key.reveal(), {
    host: hostname,
    port: port || (isPlain ? 80 : 443),
    protocol: isPlain ? 'http' : 'https',
    timeout,
    // The caller or the queue tries again; there is no time for retries here.
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: Library.createFetchHttpClient(fetchLimitedAnswer),
  });
  return { stripe, isProviderError: (error) => error instanceof Library.errors.StripeError };
};

/** Only the kind of failure, for the log: the provider's message may repeat our key. */
export const describeFailure = ({ isProviderError }: CardProvider, error: unknown) =>
  isProviderError(error)
    ? { type: error.type, status: error.statusCode, code: error.code, param: error.param }
    : { type: error instanceof Error ? error.name : 'unknown' };

/** The library accepts only a `fetch` that has all properties of the global one. */
const fetchLimitedAnswer: typeof fetch = Object.assign(
  (input: string | URL | Request, init?: RequestInit) =>
    fetchLimited(String(input), init ?? {}, maxAnswerBytes),
  { preconnect: fetch.preconnect },
);

type Answer = { lastResponse: { statusCode: number } };

/** `doneCodes`: error codes by which the provider says that it was done before. */
const callProvider = async (
  { stripe, isProviderError }: CardProvider,
  doneCodes: readonly string[],
  send: (stripe: Stripe) => Promise<Answer>,
): Promise<CardResult> => {
  try {
    const times = { ms: timeoutMs, lastMs: timeoutMs };
    const { statusCode } = (await withinDeadline(times, () => send(stripe))).lastResponse;
    if (statusCode === 200) return 'DONE';
    throw new Error(`The card provider answered with status ${statusCode}`);
  } catch (error) {
    if (!isProviderError(error)) throw error;
    if (doneCodes.includes(error.code ?? '')) return 'DONE';
    if (isFinal(error)) return 'REFUSED';
    // Without the provider's message, which may repeat our key.
    throw new Error(
      `The call to the card provider failed: ${error.type} ${error.statusCode ?? ''}`,
    );
  }
};

/** The provider understood the request and refuses it. Other codes (wrong key, rate limit) may pass later. */
const isFinal = ({ statusCode }: { statusCode?: number | undefined }): boolean =>
  statusCode === 400 || statusCode === 402 || statusCode === 404;
