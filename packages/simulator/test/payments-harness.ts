import Stripe from 'stripe';
import { startTestSimulator } from './harness.ts';

export const signingSecret = 'whsec_of_the_test';
export const merchantSecret = 'merchant-secret-of-the-test';

type ReceivedRequest = { path: string; headers: Headers; body: string };

/** A merchant that records the webhooks it receives, and a simulator that sends them to it. */
export const startPayments = async () => {
  const received: ReceivedRequest[] = [];
  const answers: Response[] = [];
  const merchant = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      received.push({ path: pathname, headers: request.headers, body: await request.text() });
      return answers.shift() ?? new Response('ok');
    },
  });
  const merchantUrl = `http://127.0.0.1:${merchant.port}`;
  const simulator = await startTestSimulator();
  const webhookUrl = `${merchantUrl}/card`;
  await simulator.control('PUT', '/payments', { webhookUrl, signingSecret, merchantSecret });
  return {
    ...simulator,
    merchantUrl,
    received,
    /** The merchant's next responses; after them it answers ok. */
    answers,
    stripe: stripeAt(simulator.url),
    until,
    press: (url: string, step: string) =>
      fetch(url, { method: 'POST', body: new URLSearchParams({ step }), redirect: 'manual' }),
    async stop() {
      await simulator.stop();
      await merchant.stop(true);
    },
  };
};

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + 10_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('It never came to that');
    await Bun.sleep(20);
  }
};

export type TestPayments = Awaited<ReturnType<typeof startPayments>>;

/** An unmodified client of the library everybody uses. */
export const stripeAt = (url: string, key = 'sk_test_any') => {
  const { hostname, port } = new URL(url);
  return new Stripe(key, {
    ...{ host: hostname, port, protocol: 'http' as const },
    ...{ telemetry: false, maxNetworkRetries: 0 },
  });
};

/** To be paid once. */
export const oncePrice = {
  currency: 'usd',
  unit_amount: 1500,
  product_data: { name: 'Holdfast BUSINESS' },
};

export const subscriptionParams = (changes: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
  ({
    mode: 'subscription',
    line_items: [
      {
        quantity: 1,
        price_data: { ...oncePrice, recurring: { interval: 'month' } },
      },
    ],
    client_reference_id: 'user-1',
    metadata: { userId: 'user-1', plan: 'BUSINESS' },
    subscription_data: { metadata: { userId: 'user-1', plan: 'BUSINESS' } },
    success_url: 'http://shop.example/paid?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://shop.example/cancelled',
    ...changes,
  }) satisfies Stripe.Checkout.SessionCreateParams;

/** The events as a merchant's own library reads them, each checked against its signature. */
export const readEvents = ({ stripe, received }: TestPayments): Promise<Stripe.Event[]> =>
  Promise.all(
    received
      .filter(({ path }) => path === '/card')
      .map(({ body, headers }) =>
        stripe.webhooks.constructEventAsync(
          body,
          headers.get('stripe-signature') ?? '',
          signingSecret,
        ),
      ),
  );
