import { httpUrl } from '@holdfast/contract';
import Stripe from 'stripe';
import { z } from 'zod';
import type { Clock } from '../../../kernel/clock.ts';
import { withinDeadline } from '../../../kernel/deadline.ts';
import type { Log } from '../../../kernel/log.ts';
import { fetchLimited } from '../../../platform/transport.ts';
import {
  type AskForOffer,
  cancelledPath,
  type Demand,
  largestAnswerBytes,
  lifetimeMinutes,
  nameOf,
  type OrderDemand,
  type PlanDemand,
  type ProviderAccess,
  type ProviderTools,
  paidForOf,
  paidPath,
  patienceMs,
  planCurrency,
} from './provider.ts';

const sessionShape = z.object({
  /** The library takes whatever names no error for a success. */
  statusCode: z.literal(200),
  id: z.string().min(1).max(255),
  url: httpUrl,
  expires_at: z.int().positive(),
});

/** A checkout of the card provider: of a plan a subscription begins with it, an order is paid once. */
export const askCardProvider = ({
  access,
  baseUrl,
  log,
  clock,
}: ProviderTools & { clock: Clock }): AskForOffer => {
  const stripe = connectToCardProvider(access, patienceMs);
  return async (demand) => {
    const wish = sessionFor(demand, baseUrl, clock.now());
    const times = { ms: patienceMs, lastMs: patienceMs };
    try {
      const answer = await withinDeadline(times, () => openSession(stripe, wish, demand));
      const { statusCode } = answer.lastResponse;
      const { id, url, expires_at } = sessionShape.parse({ ...answer, statusCode });
      return { providerRef: id, payUrl: url, expiresAt: new Date(expires_at * 1000) };
    } catch (error) {
      tellWhy(log, error);
      return undefined;
    }
  };
};

export const connectToCardProvider = ({ apiUrl, key }: ProviderAccess, timeout: number): Stripe => {
  const { hostname, port, protocol } = new URL(apiUrl);
  const isPlain = protocol === 'http:';
  return new Stripe(key.reveal(), {
    host: hostname,
    port: port || (isPlain ? 80 : 443),
    protocol: isPlain ? 'http' : 'https',
    timeout,
    // Whoever asked may ask again; we have no time to.
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(fetchSparingly),
  });
};

/** The library takes nothing for a `fetch` that has not all of its parts. */
const fetchSparingly: typeof fetch = Object.assign(
  (input: string | URL | Request, init?: RequestInit) =>
    fetchLimited(String(input), init ?? {}, largestAnswerBytes),
  { preconnect: fetch.preconnect },
);

type Wish = Stripe.Checkout.SessionCreateParams;

const sessionFor = (demand: Demand, baseUrl: string, now: Date): Wish => ({
  ...('orderId' in demand ? payOnce(demand) : payMonthly(demand)),
  client_reference_id: demand.accountId,
  customer: demand.customerId,
  success_url: `${baseUrl}${paidPath}`,
  cancel_url: `${baseUrl}${cancelledPath}`,
  expires_at: Math.floor(now.getTime() / 1000) + lifetimeMinutes * 60,
});

const payMonthly = (demand: PlanDemand): Wish => {
  const { invoiceId, accountId, plan } = demand;
  const metadata = { accountId, plan, invoiceId };
  const recurring = { interval: 'month' } as const;
  return {
    mode: 'subscription',
    line_items: [{ quantity: 1, price_data: { ...priceOf(demand), recurring } }],
    metadata,
    subscription_data: { metadata },
  };
};

const payOnce = (demand: OrderDemand): Wish => {
  const { orderId, accountId } = demand;
  const metadata = { accountId, orderId };
  return {
    mode: 'payment',
    line_items: [{ quantity: 1, price_data: priceOf(demand) }],
    metadata,
    // The charge has these too, so that a refund of it tells what it is of.
    payment_intent_data: { metadata },
  };
};

const priceOf = (demand: Demand) => ({
  currency: planCurrency.toLowerCase(),
  unit_amount: demand.amountCents,
  product_data: { name: nameOf(demand) },
});

/** A customer whom the provider no longer has is made anew, or that account could never pay again. */
const openSession = async (stripe: Stripe, wish: Wish, demand: Demand) => {
  const paidFor = paidForOf(demand);
  try {
    return await stripe.checkout.sessions.create(wish, { idempotencyKey: paidFor });
  } catch (error) {
    const isAboutCustomer =
      error instanceof Stripe.errors.StripeError && error.param === 'customer';
    if (!isAboutCustomer || wish.customer === undefined) throw error;
    const idempotencyKey = `${paidFor}:new-customer`;
    return stripe.checkout.sessions.create({ ...wish, customer: undefined }, { idempotencyKey });
  }
};

/** Only what names the failure: an answer of the provider may repeat our key. */
const tellWhy = (log: Log, error: unknown): void => {
  const cause =
    error instanceof Stripe.errors.StripeError
      ? { type: error.type, status: error.statusCode, code: error.code, param: error.param }
      : { type: error instanceof Error ? error.name : 'unknown' };
  log.warn({ ...cause }, 'the card provider opened no checkout');
};
