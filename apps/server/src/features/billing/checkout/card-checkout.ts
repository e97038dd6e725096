import { httpUrl } from '@holdfast/contract';
import type Stripe from 'stripe';
import { z } from 'zod';
import type { Clock } from '../../../kernel/clock.ts';
import { once } from '../../../kernel/concurrency.ts';
import { withinDeadline } from '../../../kernel/deadline.ts';
import { type CardProvider, connectToCardProvider, describeFailure } from '../card/client.ts';
import { createPriceFinder, type PriceFinder } from '../card/plan-price.ts';
import {
  type CheckoutProvider,
  type CheckoutRequest,
  cancelledPath,
  lifetimeMinutes,
  type OrderCheckoutRequest,
  type PlanCheckoutRequest,
  type ProviderDependencies,
  paidPath,
  planCurrency,
  referenceOf,
  returnPath,
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
  const prices = createPriceFinder();
  return async (request) => {
    const provider = await connect();
    const times = { ms: timeoutMs, lastMs: timeoutMs };
    try {
      const answer = await withinDeadline(times, async () => {
        const item = await lineItemFor(provider, prices, request);
        const session = sessionFor(request, item, baseUrl, clock.now());
        return createSession(provider, session, request);
      });
      const { statusCode } = answer.lastResponse;
      const { id, url, expires_at } = sessionShape.parse({ ...answer, statusCode });
      return { providerRef: id, payUrl: url, expiresAt: new Date(expires_at * 1000) };
    } catch (error) {
      prices.forget();
      log.warn(describeFailure(provider, error), 'the card provider opened no checkout');
      return undefined;
    }
  };
};

type Session = Stripe.Checkout.SessionCreateParams;
type LineItem = Stripe.Checkout.SessionCreateParams.LineItem;

/** Plans have prices of their own at the provider, so that a subscription can change from one to another. */
const lineItemFor = async (
  { stripe }: CardProvider,
  prices: PriceFinder,
  request: CheckoutRequest,
): Promise<LineItem> => {
  if (!('orderId' in request)) return { quantity: 1, price: await prices.find(stripe, request) };
  const { amountCents: unit_amount, title: name } = request;
  const currency = planCurrency.toLowerCase();
  return { quantity: 1, price_data: { currency, unit_amount, product_data: { name } } };
};

const sessionFor = (
  request: CheckoutRequest,
  item: LineItem,
  baseUrl: string,
  now: Date,
): Session => ({
  ...('orderId' in request ? paymentSession(request) : subscriptionSession(request)),
  line_items: [item],
  client_reference_id: request.accountId,
  customer: request.customerId,
  success_url: `${baseUrl}${returnPath(paidPath, request)}`,
  cancel_url: `${baseUrl}${returnPath(cancelledPath, request)}`,
  expires_at: Math.floor(now.getTime() / 1000) + lifetimeMinutes * 60,
});

const subscriptionSession = ({ invoiceId, accountId, plan }: PlanCheckoutRequest): Session => {
  const metadata = { userId: accountId, plan, invoiceId };
  return { mode: 'subscription', metadata, subscription_data: { metadata } };
};

const paymentSession = ({ orderId, accountId }: OrderCheckoutRequest): Session => {
  const metadata = { userId: accountId, orderId };
  // Copied to the charge, so that a refund names its order.
  return { mode: 'payment', metadata, payment_intent_data: { metadata } };
};

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
