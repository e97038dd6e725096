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
  nameOfPlan,
  type ProviderAccess,
  type ProviderTools,
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

/** A checkout of the card provider, at whose end a subscription begins. */
export const askCardProvider = ({
  access,
  baseUrl,
  log,
  clock,
}: ProviderTools & { clock: Clock }): AskForOffer => {
  const stripe = connect(access);
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

const connect = ({ apiUrl, key }: ProviderAccess): Stripe => {
  const { hostname, port, protocol } = new URL(apiUrl);
  const isPlain = protocol === 'http:';
  return new Stripe(key.reveal(), {
    host: hostname,
    port: port || (isPlain ? 80 : 443),
    protocol: isPlain ? 'http' : 'https',
    timeout: patienceMs,
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

const sessionFor = (demand: Demand, baseUrl: string, now: Date): Wish => {
  const { invoiceId, userId, plan, amountCents, customerId } = demand;
  const metadata = { userId, plan, invoiceId };
  return {
    mode: 'subscription',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: planCurrency.toLowerCase(),
          unit_amount: amountCents,
          recurring: { interval: 'month' },
          product_data: { name: nameOfPlan(plan) },
        },
      },
    ],
    client_reference_id: userId,
    customer: customerId,
    metadata,
    subscription_data: { metadata },
    success_url: `${baseUrl}${paidPath}`,
    cancel_url: `${baseUrl}${cancelledPath}`,
    expires_at: Math.floor(now.getTime() / 1000) + lifetimeMinutes * 60,
  };
};

/** A customer whom the provider no longer has is made anew, or that account could never pay again. */
const openSession = async (stripe: Stripe, wish: Wish, { invoiceId }: Demand) => {
  try {
    return await stripe.checkout.sessions.create(wish, { idempotencyKey: invoiceId });
  } catch (error) {
    const isAboutCustomer =
      error instanceof Stripe.errors.StripeError && error.param === 'customer';
    if (!isAboutCustomer || wish.customer === undefined) throw error;
    const idempotencyKey = `${invoiceId}:new-customer`;
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
