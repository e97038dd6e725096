import { httpUrl } from '@holdfast/contract';
import type Stripe from 'stripe';
import { z } from 'zod';
import type { Clock } from '../../../kernel/clock.ts';
import { once } from '../../../kernel/concurrency.ts';
import { withinDeadline } from '../../../kernel/deadline.ts';
import type { Log } from '../../../kernel/log.ts';
import { type CardProvider, connectToCardProvider } from '../card/client.ts';
import {
  type CheckoutProvider,
  type CheckoutRequest,
  cancelledPath,
  descriptionOf,
  lifetimeMinutes,
  type OrderCheckoutRequest,
  type PlanCheckoutRequest,
  type ProviderDependencies,
  paidPath,
  planCurrency,
  referenceOf,
  timeoutMs,
} from './open-checkout.ts';

const sessionShape = z.object({
  /** The library treats every answer that names no error as a success. */
  statusCode: z.literal(200),
  id: z.string().min(1).max(255),
  url: httpUrl,
  expires_at: z.int().positive(),
});

/** For a plan the checkout begins a monthly subscription; for an order it is a single payment. */
export const cardCheckoutProvider = ({
  access,
  baseUrl,
  log,
  clock,
}: ProviderDependencies & { clock: Clock }): CheckoutProvider => {
  const connect = once(() => connectToCardProvider(access, timeoutMs));
  return async (request) => {
    const provider = await connect();
    const session = sessionFor(request, baseUrl, clock.now());
    const times = { ms: timeoutMs, lastMs: timeoutMs };
    try {
      const answer = await withinDeadline(times, () => createSession(provider, session, request));
      const { statusCode } = answer.lastResponse;
      const { id, url, expires_at } = sessionShape.parse({ ...answer, statusCode });
      return { providerRef: id, payUrl: url, expiresAt: new Date(expires_at * 1000) };
    } catch (error) {
      logFailure(log, provider, error);
      return undefined;
    }
  };
};

type Session = Stripe.Checkout.SessionCreateParams;

const sessionFor = (request: CheckoutRequest, baseUrl: string, now: Date): Session => ({
  ...('orderId' in request ? paymentSession(request) : subscriptionSession(request)),
  client_reference_id: request.accountId,
  customer: request.customerId,
  success_url: `${baseUrl}${paidPath}`,
  cancel_url: `${baseUrl}${cancelledPath}`,
  expires_at: Math.floor(now.getTime() / 1000) + lifetimeMinutes * 60,
});

const subscriptionSession = (request: PlanCheckoutRequest): Session => {
  const { invoiceId, accountId, plan } = request;
  const metadata = { userId: accountId, plan, invoiceId };
  const recurring = { interval: 'month' } as const;
  return {
    mode: 'subscription',
    line_items: [{ quantity: 1, price_data: { ...priceOf(request), recurring } }],
    metadata,
    subscription_data: { metadata },
  };
};

const paymentSession = (request: OrderCheckoutRequest): Session => {
  const { orderId, accountId } = request;
  const metadata = { userId: accountId, orderId };
  return {
    mode: 'payment',
    line_items: [{ quantity: 1, price_data: priceOf(request) }],
    metadata,
    // Copied to the charge, so that a refund names its order.
    payment_intent_data: { metadata },
  };
};

const priceOf = (request: CheckoutRequest) => ({
  currency: planCurrency.toLowerCase(),
  unit_amount: request.amountCents,
  product_data: { name: descriptionOf(request) },
});

/** If the provider has deleted the customer, a new one is made: otherwise the account could never pay again. */
const createSession = async (
  { stripe, isProviderError }: CardProvider,
  session: Session,
  request: CheckoutRequest,
) => {
  const reference = referenceOf(request);
  try {
    return await stripe.checkout.sessions.create(session, { idempotencyKey: reference });
  } catch (error) {
    const isAboutCustomer = isProviderError(error) && error.param === 'customer';
    if (!isAboutCustomer || session.customer === undefined) throw error;
    const idempotencyKey = `${reference}:new-customer`;
    return stripe.checkout.sessions.create({ ...session, customer: undefined }, { idempotencyKey });
  }
};

/** Logs only the kind of failure: the provider's message may repeat our key. */
const logFailure = (log: Log, { isProviderError }: CardProvider, error: unknown): void => {
  const cause = isProviderError(error)
    ? { type: error.type, status: error.statusCode, code: error.code, param: error.param }
    : { type: error instanceof Error ? error.name : 'unknown' };
  log.warn({ ...cause }, 'the card provider opened no checkout');
};
