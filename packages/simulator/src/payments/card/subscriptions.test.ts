import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import Stripe from 'stripe';
import {
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

const newPrice = (plan: string, unit_amount: number) =>
  sim.stripe.prices.create({
    ...{ currency: 'usd', unit_amount, recurring: { interval: 'month' } },
    product_data: { name: `Holdfast ${plan}` },
    metadata: { plan },
  });

/** A subscription at a price that can be used again, with the address of its pay page. */
const subscribe = async (unitAmount = 500) => {
  const price = await newPrice('PREMIUM', unitAmount);
  const session = await sim.stripe.checkout.sessions.create(
    subscriptionParams({ line_items: [{ price: price.id, quantity: 1 }] }),
  );
  await sim.press(session.url ?? '', 'pay');
  const paid = await sim.stripe.checkout.sessions.retrieve(session.id);
  const subscription = await sim.stripe.subscriptions.retrieve(String(paid.subscription));
  sim.received.splice(0);
  return { subscription, url: session.url ?? '', itemId: subscription.items.data[0]?.id ?? '' };
};

const refusalOf = async (asked: Promise<unknown>) => {
  const refusal = await asked.catch((error: unknown) => error);
  if (refusal instanceof Stripe.errors.StripeError) return refusal;
  throw new Error('It was not refused');
};

test('a price is found by its lookup key, which only one price has', async () => {
  const params = {
    ...{ currency: 'usd', unit_amount: 700, lookup_key: 'test_seven' },
    product_data: { name: 'Seven' },
  };
  const first = await sim.stripe.prices.create(params);
  expect((await refusalOf(sim.stripe.prices.create(params))).param).toBe('lookup_key');
  const second = await sim.stripe.prices.create({ ...params, transfer_lookup_key: true });
  const { data } = await sim.stripe.prices.list({ lookup_keys: ['test_seven'] });
  expect(data.map(({ id }) => id)).toEqual([second.id]);
  expect(second.id).not.toBe(first.id);
});

test('a higher price is previewed, charged at once for the rest of the period, and announced', async () => {
  const { subscription, itemId } = await subscribe();
  const price = await newPrice('BUSINESS', 1500);
  const items = [{ id: itemId, price: price.id }];
  const preview = await sim.stripe.invoices.createPreview({
    subscription: subscription.id,
    subscription_details: { items, proration_behavior: 'always_invoice' },
  });
  // The period has just begun: nearly the whole difference.
  expect(preview.amount_due).toBeGreaterThanOrEqual(999);
  expect(preview.amount_due).toBeLessThanOrEqual(1000);
  const changed = await sim.stripe.subscriptions.update(subscription.id, {
    ...{ items, proration_behavior: 'always_invoice', metadata: { plan: 'BUSINESS' } },
    payment_behavior: 'error_if_incomplete',
  });
  expect(changed.items.data[0]).toMatchObject({ id: itemId, price: { id: price.id } });
  expect(changed.metadata).toEqual({ userId: 'user-1', plan: 'BUSINESS' });
  const { data } = await sim.stripe.invoices.list({ customer: String(subscription.customer) });
  expect(data.map(({ billing_reason }) => billing_reason)).toEqual([
    'subscription_update',
    'subscription_create',
  ]);
  expect(data[0]?.amount_paid).toBe(preview.amount_due);
  const pdf = await fetch(data[0]?.invoice_pdf ?? '');
  expect(pdf.headers.get('content-type')).toBe('application/pdf');
  expect(await pdf.text()).toStartWith('%PDF-');
  await sim.until(() => sim.received.length === 2);
  expect((await readEvents(sim)).map(({ type }) => type)).toEqual([
    'customer.subscription.updated',
    'invoice.payment_succeeded',
  ]);
});

test('a declined card changes nothing', async () => {
  const { subscription, itemId, url } = await subscribe();
  await sim.press(url, 'decline-card');
  const price = await newPrice('BUSINESS', 1500);
  const refusal = await refusalOf(
    sim.stripe.subscriptions.update(subscription.id, {
      ...{ items: [{ id: itemId, price: price.id }], proration_behavior: 'always_invoice' },
      payment_behavior: 'error_if_incomplete',
    }),
  );
  expect([refusal.statusCode, refusal.code]).toEqual([402, 'card_declined']);
  const { items } = await sim.stripe.subscriptions.retrieve(subscription.id);
  expect(items.data[0]?.price.unit_amount).toBe(500);
  expect(await readEvents(sim)).toEqual([]);
});

test('a cancellation waits for the end of the period, and can be taken back', async () => {
  const { subscription, url } = await subscribe();
  const cancel = (cancel_at_period_end: boolean) =>
    sim.stripe.subscriptions.update(subscription.id, { cancel_at_period_end });
  const cancelled = await cancel(true);
  expect(cancelled).toMatchObject({ status: 'active', cancel_at_period_end: true });
  expect(cancelled.canceled_at).not.toBeNull();
  expect(await cancel(false)).toMatchObject({ cancel_at_period_end: false, canceled_at: null });
  await cancel(true);
  await sim.press(url, 'renew');
  const types = (await readEvents(sim)).map(({ type }) => type);
  expect(types).toContain('customer.subscription.deleted');
});

test('a schedule changes the price when its phase begins, and then lets the subscription go', async () => {
  const { subscription, url } = await subscribe(1500);
  const [item] = subscription.items.data;
  const lower = await newPrice('PREMIUM', 500);
  const schedule = await sim.stripe.subscriptionSchedules.create({
    from_subscription: subscription.id,
  });
  const scheduled = await sim.stripe.subscriptionSchedules.update(schedule.id, {
    end_behavior: 'release',
    phases: [
      {
        items: [{ price: item?.price.id ?? '', quantity: 1 }],
        start_date: schedule.phases[0]?.start_date ?? 0,
        end_date: item?.current_period_end ?? 0,
      },
      {
        items: [{ price: lower.id, quantity: 1 }],
        ...{ duration: { interval: 'month', interval_count: 1 }, metadata: { plan: 'PREMIUM' } },
        proration_behavior: 'none',
      },
    ],
  });
  expect(scheduled.phases).toHaveLength(2);
  const refusal = await refusalOf(
    sim.stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true }),
  );
  expect(refusal.message).toContain('managed by the subscription schedule');
  const now = await sim.stripe.subscriptions.retrieve(subscription.id);
  expect([now.items.data[0]?.price.unit_amount, now.schedule]).toEqual([1500, schedule.id]);
  await sim.press(url, 'renew');
  const next = await sim.stripe.subscriptions.retrieve(subscription.id);
  expect(next.items.data[0]?.price.unit_amount).toBe(500);
  expect(next.metadata.plan).toBe('PREMIUM');
  await sim.press(url, 'renew');
  expect((await sim.stripe.subscriptions.retrieve(subscription.id)).schedule).toBeNull();
});

test('a released schedule leaves the subscription as it is', async () => {
  const { subscription } = await subscribe();
  const schedule = await sim.stripe.subscriptionSchedules.create({
    from_subscription: subscription.id,
  });
  const released = await sim.stripe.subscriptionSchedules.release(schedule.id);
  expect(released).toMatchObject({ status: 'released', released_subscription: subscription.id });
  expect((await sim.stripe.subscriptions.retrieve(subscription.id)).schedule).toBeNull();
});

test('the portal shows the invoices, cancels, and leads back', async () => {
  const { subscription } = await subscribe();
  const portal = await sim.stripe.billingPortal.sessions.create({
    customer: String(subscription.customer),
    return_url: 'http://shop.example/billing',
  });
  const page = await (await fetch(portal.url)).text();
  expect(page).toContain('http://shop.example/billing');
  expect(page).toContain('/pay/invoice/');
  await sim.press(portal.url, `cancel:${subscription.id}`);
  const cancelled = await sim.stripe.subscriptions.retrieve(subscription.id);
  expect(cancelled.cancel_at_period_end).toBe(true);
  const stranger = sim.stripe.billingPortal.sessions.create({ customer: 'cus_nobody' });
  expect((await refusalOf(stranger)).code).toBe('resource_missing');
});

/** What the customer pays for another subscription. */
const payAnother = async (customer: string) => {
  const price = await newPrice('BUSINESS', 1500);
  const { url } = await sim.stripe.checkout.sessions.create(
    subscriptionParams({ line_items: [{ price: price.id, quantity: 1 }], customer }),
  );
  await sim.press(url ?? '', 'pay');
  const [invoice] = (await sim.stripe.invoices.list({ customer })).data;
  return invoice?.amount_paid;
};

test('what was not used of a subscription is lost unless it is prorated', async () => {
  const { subscription } = await subscribe();
  const customer = String(subscription.customer);
  await sim.stripe.subscriptions.cancel(subscription.id);
  expect((await sim.stripe.invoices.list({ customer })).data).toHaveLength(1);
  expect(await payAnother(customer)).toBe(1500);
});

test('an invoice for what was not used is credit of the customer', async () => {
  const { subscription } = await subscribe();
  const customer = String(subscription.customer);
  await sim.stripe.subscriptions.cancel(subscription.id, { prorate: true, invoice_now: true });
  const { data } = await sim.stripe.invoices.list({ customer });
  const [last] = data;
  expect([data.length, last?.amount_due, last?.status]).toEqual([2, 0, 'paid']);
  // The period has just begun: nearly all of it.
  expect(last?.total).toBeWithin(-500, -498);
  expect(last?.ending_balance).toBe(last?.total ?? 0);
  await sim.until(() => sim.received.length === 2);
  expect((await readEvents(sim)).map(({ type }) => type)).toEqual([
    'customer.subscription.deleted',
    'invoice.payment_succeeded',
  ]);
  expect(await payAnother(customer)).toBe(1500 + Number(last?.total));
});

test('without an invoice, what was not used is an item of the next one', async () => {
  const { subscription } = await subscribe();
  const customer = String(subscription.customer);
  await sim.stripe.subscriptions.cancel(subscription.id, { prorate: true });
  expect((await sim.stripe.invoices.list({ customer })).data).toHaveLength(1);
  expect(await payAnother(customer)).toBeWithin(1000, 1003);
  const unknown = sim.stripe.subscriptions.cancel(
    subscription.id,
    // A parameter that the provider does not have.
    Object({ prorated: true }),
  );
  expect((await refusalOf(unknown)).param).toBe('prorated');
});
