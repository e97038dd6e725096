import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { expectBelow } from '../../../../test/harness/bounds.ts';
import {
  startTestSimulator,
  type TestSimulator,
} from '../../../../test/harness/simulator/start.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { createLog } from '../../../kernel/log.ts';
import { Secret } from '../../../kernel/secret.ts';
import { cardCheckoutProvider } from './card-checkout.ts';
import { cryptoCheckoutProvider } from './crypto-checkout.ts';
import type { CheckoutProvider, CheckoutRequest } from './open-checkout.ts';

const key = 'sk_test_that_nobody_may_read';
const baseUrl = 'https://holdfast.example';
const lines: string[] = [];
const log = createLog({ write: (line) => lines.push(line) });

const cardAt = (apiUrl: string): CheckoutProvider =>
  cardCheckoutProvider({
    access: { apiUrl, key: new Secret(key) },
    baseUrl,
    log,
    clock: systemClock,
  });
const cryptoAt = (apiUrl: string): CheckoutProvider =>
  cryptoCheckoutProvider({
    ...{ access: { apiUrl, key: new Secret(key) }, baseUrl, log },
    callbackPath: '/api/oxapay/webhook',
  });

const demand: CheckoutRequest = {
  invoiceId: '0198f3a0-0000-7000-8000-000000000001',
  accountId: '0198f3a0-0000-7000-8000-000000000002',
  plan: 'BUSINESS',
  amountCents: 1500,
  customerId: undefined,
};

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterAll(() => simulator.stop());

const minutesUntil = (date: Date | undefined): number =>
  ((date?.getTime() ?? 0) - Date.now()) / 60_000;

describe('with the simulator as the provider', () => {
  const ask = async (path: string, headers: Record<string, string>) =>
    (await fetch(`${simulator.url}${path}`, { headers })).json();

  test('a card checkout is a monthly subscription that names its account', async () => {
    const offer = await cardAt(simulator.url)({ ...demand, customerId: 'cus_known' });
    expect(offer?.payUrl).toBe(`${simulator.url}/pay/card/${offer?.providerRef}`);
    expect(minutesUntil(offer?.expiresAt)).toBeCloseTo(60, -1);
    const path = `/v1/checkout/sessions/${offer?.providerRef}`;
    const session = await ask(path, { Authorization: 'Bearer sk' });
    const { invoiceId, accountId, plan } = demand;
    expect(session).toMatchObject({
      mode: 'subscription',
      amount_total: 1500,
      currency: 'usd',
      client_reference_id: accountId,
      customer: 'cus_known',
      metadata: { invoiceId, userId: accountId, plan },
      success_url: `${baseUrl}/billing/paid?invoice=${invoiceId}`,
      cancel_url: `${baseUrl}/billing/cancelled?invoice=${invoiceId}`,
    });
    const page = await (await fetch(offer?.payUrl ?? '')).text();
    expect(page).toContain('Holdfast Business');
    expect(page).toContain('every month');
  });

  test('a crypto invoice names our invoice and the path for notifications', async () => {
    const offer = await cryptoAt(simulator.url)({ ...demand, amountCents: 1999 });
    expect(offer?.payUrl).toBe(`${simulator.url}/pay/crypto/${offer?.providerRef}`);
    expect(minutesUntil(offer?.expiresAt)).toBeCloseTo(60, -1);
    const { data } = await ask(`/v1/payment/${offer?.providerRef}`, { merchant_api_key: 'k' });
    expect(data).toMatchObject({
      amount: 19.99,
      currency: 'USD',
      order_id: demand.invoiceId,
      callback_url: `${baseUrl}/api/oxapay/webhook`,
      return_url: `${baseUrl}/billing/paid?invoice=${demand.invoiceId}`,
    });
  });
});

/** A provider that answers every request in the same way. */
const withProvider = async <T>(
  answer: (request: Request) => Response | Promise<Response>,
  use: (url: string) => Promise<T>,
): Promise<T> => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: answer });
  try {
    return await use(`http://127.0.0.1:${server.port}`);
  } finally {
    await server.stop(true);
  }
};

const hour = Math.floor(Date.now() / 1000) + 3600;
/** A valid answer of both providers, with changes. */
const answerWith = (payUrl: unknown, expiresAt: unknown = hour) =>
  Response.json({
    ...{ id: 'cs_test_1', object: 'checkout.session', url: payUrl, expires_at: expiresAt },
    data: { track_id: 1, payment_url: payUrl, expired_at: expiresAt },
  });

for (const [name, providerAt] of [
  ['card', cardAt],
  ['crypto', cryptoAt],
] as const) {
  describe(`a ${name} provider that`, () => {
    test('answers correctly gives a checkout', async () => {
      const offer = await withProvider(
        () => answerWith('https://pay.example/1'),
        (url) => providerAt(url)(demand),
      );
      expect(offer?.payUrl).toBe('https://pay.example/1');
      expect(offer?.expiresAt.getTime()).toBe(hour * 1000);
    });

    const nonsense: [string, () => Response | Promise<Response>][] = [
      [
        'refuses the key',
        () => Response.json({ error: { message: `No such key: ${key}` } }, { status: 401 }),
      ],
      ['fails', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
      [
        'fails with a body that looks valid',
        () =>
          new Response(answerWith('https://pay.example/1').body, {
            status: 500,
            headers: { x: key },
          }),
      ],
      ['speaks no JSON', () => new Response('hello')],
      ['says nothing', () => new Response('')],
      ['says null', () => Response.json(null)],
      ['leaves the address out', () => answerWith(undefined)],
      ['names a script for an address', () => answerWith('javascript:alert(1)')],
      ['names a time that is none', () => answerWith('https://pay.example/1', 'soon')],
      ['sends us elsewhere', () => Response.redirect('http://127.0.0.1:9/', 307)],
      ['answers without end', () => new Response(new Blob(['x'.repeat(1_000_000)]))],
      ['never answers', () => new Promise<Response>(() => undefined)],
    ];

    test.each(nonsense)('%s gives no offer, and soon', async (_, answer) => {
      lines.splice(0);
      const startedAt = performance.now();
      const offer = await withProvider(answer, (url) => providerAt(url)(demand));
      expect(offer).toBeUndefined();
      expectBelow(performance.now() - startedAt, 4400);
      expect(lines).toHaveLength(1);
      expect(lines[0]).not.toContain(key);
    });

    test('is unreachable gives no checkout', async () => {
      expect(await providerAt('http://127.0.0.1:9')(demand)).toBeUndefined();
    });
  });
}

test('a customer that the provider has deleted can pay as a new one', async () => {
  const forms: URLSearchParams[] = [];
  const offer = await withProvider(
    async (request) => {
      if (new URL(request.url).pathname === '/v1/prices') return answerWith('https://pay.example/');
      const form = new URLSearchParams(await request.text());
      forms.push(form);
      if (!form.has('customer')) return answerWith('https://pay.example/1');
      const error = { type: 'invalid_request_error', code: 'resource_missing', param: 'customer' };
      return Response.json({ error: { ...error, message: 'No such customer' } }, { status: 400 });
    },
    (url) => cardAt(url)({ ...demand, customerId: 'cus_gone' }),
  );
  expect(offer?.providerRef).toBe('cs_test_1');
  expect(forms.map((form) => form.get('customer'))).toEqual(['cus_gone', null]);
});
