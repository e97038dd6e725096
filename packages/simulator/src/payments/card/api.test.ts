import { afterAll, beforeAll, expect, test } from 'bun:test';
import Stripe from 'stripe';
import {
  oncePrice,
  startPayments,
  stripeAt,
  subscriptionParams,
  type TestPayments,
} from '../../../test/payments-harness.ts';

let sim: TestPayments;
beforeAll(async () => {
  sim = await startPayments();
});
afterAll(() => sim.stop());

const refusalOf = async (asked: Promise<unknown>) => {
  const refusal = await asked.catch((error: unknown) => error);
  if (refusal instanceof Stripe.errors.StripeError) return refusal;
  throw new Error('It was not refused');
};

test('it repeats its response for the same idempotency key, and refuses another request with it', async () => {
  const options = { idempotencyKey: crypto.randomUUID() };
  const first = await sim.stripe.checkout.sessions.create(subscriptionParams(), options);
  const second = await sim.stripe.checkout.sessions.create(subscriptionParams(), options);
  expect(second.id).toBe(first.id);
  const other = subscriptionParams({ client_reference_id: 'user-2' });
  const refusal = await refusalOf(sim.stripe.checkout.sessions.create(other, options));
  expect(refusal.type).toBe('StripeIdempotencyError');
});

const wrongWishes: [string, object, string][] = [
  ['no mode', { mode: undefined }, 'mode'],
  ['nothing to pay for', { line_items: [] }, 'line_items'],
  ['an invalid return address', { success_url: 'javascript:alert(1)' }, 'success_url'],
  [
    'a price that comes once in a subscription',
    { line_items: [{ quantity: 1, price_data: oncePrice }] },
    'line_items',
  ],
  [
    'a price that comes again in a single payment',
    { mode: 'payment', subscription_data: undefined },
    'mode',
  ],
  ['an end that is too near', { expires_at: Math.floor(Date.now() / 1000) + 60 }, 'expires_at'],
  ['a parameter it does not know', { colour: 'green' }, 'colour'],
];

test.each(wrongWishes)('it refuses %s, and names it', async (_, changes, param) => {
  // Wrong on purpose.
  const request = { ...subscriptionParams(), ...changes } as Stripe.Checkout.SessionCreateParams;
  const refusal = await refusalOf(sim.stripe.checkout.sessions.create(request));
  expect([refusal.statusCode, refusal.type]).toEqual([400, 'StripeInvalidRequestError']);
  expect(refusal.param).toBe(param);
});

test('an unknown session and a missing key are refused', async () => {
  const unknown = await refusalOf(sim.stripe.checkout.sessions.retrieve('cs_test_none'));
  expect([unknown.statusCode, unknown.code]).toEqual([404, 'resource_missing']);
  const answer = await fetch(`${sim.url}/v1/checkout/sessions/cs_test_none`);
  expect(answer.status).toBe(401);
  const other = stripeAt(sim.url, 'sk_test_of_somebody_else');
  expect((await other.checkout.sessions.create(subscriptionParams())).status).toBe('open');
});

test('it survives hostile forms', async () => {
  const bodies = [
    '',
    '__proto__[polluted]=1',
    'a[b[c]]]=1',
    '[]=1',
    'line_items[0]=x&mode=payment',
    `${'a[b]'.repeat(5000)}=1`,
  ];
  for (const body of bodies) {
    const answer = await fetch(`${sim.url}/v1/checkout/sessions`, {
      method: 'POST',
      headers: {
        Authorization: 'Bearer sk',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body,
    });
    expect([400, 413]).toContain(answer.status);
  }
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});
