import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type Stripe from 'stripe';
import {
  oncePrice,
  readEvents,
  startPayments,
  subscriptionParams,
  type TestPayments,
} from '../../../test/payments-harness.ts';

let sim: TestPayments;
beforeAll(async () => {
  sim = await startPayments();
});
beforeEach(() => {
  sim.received.splice(0);
});
afterAll(() => sim.stop());

const openSession = async (changes: Partial<Stripe.Checkout.SessionCreateParams> = {}) => {
  const session = await sim.stripe.checkout.sessions.create(subscriptionParams(changes));
  if (!session.url) throw new Error('No address to pay at');
  return { ...session, url: session.url };
};

const receivedTypes = async () => (await readEvents(sim)).map(({ type }) => type);

test("the provider's own library makes a session and reads it back", async () => {
  const made = await openSession();
  expect(made.id).toStartWith('cs_test_');
  expect(made).toMatchObject({
    object: 'checkout.session',
    status: 'open',
    payment_status: 'unpaid',
    amount_total: 1500,
    currency: 'usd',
    client_reference_id: 'user-1',
    metadata: { userId: 'user-1', plan: 'BUSINESS' },
    subscription: null,
  });
  expect(made.url).toBe(`${sim.url}/pay/card/${made.id}`);
  expect({ ...(await sim.stripe.checkout.sessions.retrieve(made.id)) }).toEqual(made);
});

test('paying a subscription completes it, sends three signed events and redirects the browser', async () => {
  const made = await openSession();
  const paid = await sim.press(made.url, 'pay');
  expect(paid.status).toBe(303);
  expect(paid.headers.get('location')).toBe(`http://shop.example/paid?session=${made.id}`);

  const [completed, updated, succeeded] = await readEvents(sim);
  if (completed?.type !== 'checkout.session.completed') throw new Error('Not completed first');
  if (updated?.type !== 'customer.subscription.updated') throw new Error('Not updated second');
  if (succeeded?.type !== 'invoice.payment_succeeded') throw new Error('Not paid third');
  const subscription = updated.data.object;
  const invoice = succeeded.data.object;
  expect(completed.data.object).toMatchObject({
    id: made.id,
    status: 'complete',
    payment_status: 'paid',
    client_reference_id: 'user-1',
    subscription: subscription.id,
    customer: subscription.customer,
    metadata: { plan: 'BUSINESS' },
  });
  expect(subscription).toMatchObject({ status: 'active', metadata: { plan: 'BUSINESS' } });
  const [item] = subscription.items.data;
  const days = ((item?.current_period_end ?? 0) - (item?.current_period_start ?? 0)) / 86_400;
  expect(days).toBeGreaterThanOrEqual(28);
  expect(days).toBeLessThanOrEqual(31);
  expect(invoice.parent?.subscription_details).toMatchObject({
    subscription: subscription.id,
    metadata: { userId: 'user-1' },
  });
  expect(invoice).toMatchObject({
    status: 'paid',
    amount_paid: 1500,
    customer: subscription.customer,
  });
  expect(invoice.lines.data[0]?.period.end).toBe(item?.current_period_end);
  expect(await sim.stripe.checkout.sessions.retrieve(made.id)).toMatchObject({
    status: 'complete',
    url: null,
  });
});

test('paying twice, or after the end, sends no further event', async () => {
  const made = await openSession();
  await Promise.all([sim.press(made.url, 'pay'), sim.press(made.url, 'pay')]);
  await sim.press(made.url, 'fail');
  expect(await receivedTypes()).toHaveLength(3);
});

test('a declined card leaves the session open, and it can still be paid', async () => {
  const made = await openSession();
  const declined = await sim.press(made.url, 'fail');
  expect(declined.headers.get('location')).toBe(`/pay/card/${made.id}`);
  const [, failed] = await readEvents(sim);
  expect(await receivedTypes()).toEqual([
    'customer.subscription.created',
    'invoice.payment_failed',
  ]);
  expect(failed?.data.object).toMatchObject({
    status: 'open',
    billing_reason: 'subscription_create',
  });
  expect(await (await fetch(made.url)).text()).toContain('The card was declined');
  await sim.press(made.url, 'pay');
  const [begun, , , updated] = await readEvents(sim);
  expect(updated?.data.object).toMatchObject({ status: 'active' });
  expect(updated?.data.object).toHaveProperty('id', Object(begun?.data.object).id);
});

test('cancelling redirects the browser and sends no event', async () => {
  const made = await openSession();
  const answer = await sim.press(made.url, 'cancel');
  expect(answer.headers.get('location')).toBe('http://shop.example/cancelled');
  expect(sim.received).toEqual([]);
});

test('a single payment sends only the completed checkout', async () => {
  const made = await openSession({
    mode: 'payment',
    line_items: [{ price_data: oncePrice, quantity: 1 }],
    subscription_data: undefined,
    metadata: { orderId: 'order-1' },
  });
  await sim.press(made.url, 'pay');
  const events = await readEvents(sim);
  expect(events).toHaveLength(1);
  expect(events[0]?.data.object).toMatchObject({
    mode: 'payment',
    subscription: null,
    metadata: { orderId: 'order-1' },
  });
});

test('the customer that was named is charged again', async () => {
  const made = await openSession({ customer: 'cus_known' });
  await sim.press(made.url, 'pay');
  for (const { data } of await readEvents(sim)) {
    expect(data.object).toHaveProperty('customer', 'cus_known');
  }
});

describe('after the payment', () => {
  const paidSession = async () => {
    const made = await openSession();
    await sim.press(made.url, 'pay');
    sim.received.splice(0);
    return made;
  };
  const endOf = (event: Stripe.Event | undefined): number =>
    event?.type === 'customer.subscription.updated'
      ? (event.data.object.items.data[0]?.current_period_end ?? 0)
      : 0;

  test('a renewal moves the period on', async () => {
    const { url } = await paidSession();
    await sim.press(url, 'renew');
    await sim.press(url, 'renew');
    const [first, , second] = await readEvents(sim);
    expect(endOf(second)).toBeGreaterThan(endOf(first));
    expect(endOf(first)).toBeGreaterThan(Date.now() / 1000 + 55 * 86_400);
  });

  test('a failed renewal is past due; paying the same invoice makes it active again', async () => {
    const { url } = await paidSession();
    await sim.press(url, 'fail-renewal');
    await sim.press(url, 'fail-renewal');
    await sim.press(url, 'renew');
    const events = await readEvents(sim);
    expect(events.map(({ type }) => type)).toEqual([
      'invoice.payment_failed',
      'customer.subscription.updated',
      'invoice.payment_failed',
      'customer.subscription.updated',
      'customer.subscription.updated',
      'invoice.payment_succeeded',
    ]);
    const [failed, pastDue, again, , active, paid] = events.map(({ data }) => Object(data.object));
    expect([pastDue.status, active.status]).toEqual(['past_due', 'active']);
    expect([again.id, paid.id]).toEqual([failed.id, failed.id]);
    expect([failed.attempt_count, again.attempt_count, paid.attempt_count]).toEqual([1, 2, 3]);
    expect(endOf(events[4])).toBe(endOf(events[1]));
  });

  test('a cancelled subscription is sent as deleted, and no event can follow', async () => {
    const { url } = await paidSession();
    await sim.press(url, 'cancel-subscription');
    await sim.press(url, 'renew');
    const events = await readEvents(sim);
    expect(events.map(({ type }) => type)).toEqual(['customer.subscription.deleted']);
    expect(events[0]?.data.object).toMatchObject({ status: 'canceled' });
  });

  test('refunds report the sum so far, up to the whole amount', async () => {
    const { url } = await paidSession();
    for (let time = 0; time < 3; time++) await sim.press(url, 'refund');
    const refunds = (await readEvents(sim)).map(({ data }) => Object(data.object));
    expect(refunds.map(({ amount_refunded }) => amount_refunded)).toEqual([750, 1500]);
    expect(refunds[0].id).toBe(refunds[1].id);
    expect(refunds.map(({ refunded }) => refunded)).toEqual([false, true]);
  });

  test('none of it is possible before the checkout is paid', async () => {
    const { url } = await openSession();
    for (const step of ['renew', 'fail-renewal', 'cancel-subscription', 'refund', 'nonsense']) {
      await sim.press(url, step);
    }
    expect(sim.received).toEqual([]);
  });
});

test('the link of an unknown payment answers 404', async () => {
  for (const path of ['/pay/card/cs_test_none', '/pay/crypto/1']) {
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(`${sim.url}${path}`, { method });
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain('Nothing to pay here');
    }
  }
});

test('foreign text never becomes markup on the page', async () => {
  const hostile = '<img src=x onerror=alert(1)>';
  const price_data = {
    ...oncePrice,
    recurring: { interval: 'month' as const },
    product_data: { name: hostile },
  };
  const made = await openSession({ line_items: [{ quantity: 1, price_data }] });
  const answer = await fetch(made.url);
  const page = await answer.text();
  expect(page).toContain('&lt;img');
  expect(page).not.toMatch(/<img|<script/);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
});

test('a bank transfer completes the session unpaid, and arrives later', async () => {
  const made = await openSession({ mode: 'payment', line_items: [{ price_data: oncePrice }] });
  const paid = await sim.press(made.url, 'pay-later');
  expect(paid.headers.get('location')).toContain('http://shop.example/paid');
  expect(await sim.stripe.checkout.sessions.retrieve(made.id)).toMatchObject({
    ...{ status: 'complete', payment_status: 'unpaid' },
  });
  expect(await (await fetch(made.url)).text()).toContain('The payment is on its way');
  await sim.press(made.url, 'refund');
  await sim.press(made.url, 'payment-arrives');
  await sim.press(made.url, 'payment-fails');
  expect(await receivedTypes()).toEqual([
    'checkout.session.completed',
    'checkout.session.async_payment_succeeded',
  ]);
  const [, arrived] = await readEvents(sim);
  expect(arrived?.data.object).toMatchObject({ id: made.id, payment_status: 'paid' });
});

test('a subscription by bank transfer is active at once; if the money does not come, it is past due', async () => {
  const made = await openSession();
  const step = (name: string) =>
    fetch(`${sim.url}/__sim/payments/card/${made.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ step: name }),
    });
  expect((await step('payment-arrives')).status).toBe(409);
  expect((await step('pay-later')).status).toBe(200);
  expect((await step('renew')).status).toBe(409);
  expect((await step('payment-fails')).status).toBe(200);
  expect(await receivedTypes()).toEqual([
    'checkout.session.completed',
    'customer.subscription.updated',
    'checkout.session.async_payment_failed',
    'invoice.payment_failed',
    'customer.subscription.updated',
  ]);
  const [, active, , , due] = await readEvents(sim);
  expect(active?.data.object).toMatchObject({ status: 'active' });
  expect(due?.data.object).toMatchObject({ status: 'past_due' });
});
