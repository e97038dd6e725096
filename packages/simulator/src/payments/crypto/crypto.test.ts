import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import {
  merchantSecret,
  startPayments,
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

const ask = async (body: object, headers: Record<string, string> = { merchant_api_key: 'key' }) => {
  const response = await fetch(`${sim.url}/v1/payment/invoice`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};

const request = (changes: object = {}) => ({
  amount: 15,
  currency: 'USD',
  order_id: 'order-1',
  callback_url: `${sim.merchantUrl}/coins`,
  return_url: 'http://shop.example/paid',
  lifetime: 60,
  ...changes,
});

const openInvoice = async (changes: object = {}) => {
  const { data } = (await ask(request(changes))).body;
  return { trackId: data.track_id, url: data.payment_url, data };
};

const callbacks = () =>
  sim.received.map(({ body, headers }) => ({
    ...JSON.parse(body),
    hmac: headers.get('hmac'),
    body,
  }));

test('an invoice has a payment page and an expiry', async () => {
  const { status, body } = await ask(request());
  expect(status).toBe(200);
  const { track_id, payment_url, expired_at } = body.data;
  expect(track_id).toMatch(/^\d+$/);
  expect(payment_url).toBe(`${sim.url}/pay/crypto/${track_id}`);
  const minutes = (expired_at - Date.now() / 1000) / 60;
  expect(minutes).toBeGreaterThan(58);
  expect(minutes).toBeLessThanOrEqual(60);
});

test('coins that are sent and confirmed are reported as Paying and Paid, with signed bodies', async () => {
  const { trackId, url } = await openInvoice();
  await sim.press(url, 'send');
  expect(await (await fetch(url)).text()).toContain('Confirming');
  await sim.press(url, 'confirm');
  const sent = callbacks();
  const invoice = { track_id: trackId, order_id: 'order-1', amount: 15, currency: 'USD' };
  expect(sent).toMatchObject([
    { ...invoice, status: 'Paying', txs: [{ status: 'confirming' }] },
    { ...invoice, status: 'Paid', txs: [{ status: 'confirmed' }] },
  ]);
  for (const { body, hmac } of sent) {
    expect(hmac).toBe(createHmac('sha512', merchantSecret).update(body).digest('hex'));
  }
  const page = await (await fetch(url)).text();
  expect(page).toContain('Paid');
  expect(page).toContain('href="http://shop.example/paid"');
});

test('an unpaid invoice expires, and one whose coins are lost fails', async () => {
  const [first, second] = [await openInvoice(), await openInvoice()];
  await sim.press(first.url, 'expire');
  await sim.press(second.url, 'send');
  await sim.press(second.url, 'fail');
  expect(callbacks().map(({ status }) => status)).toEqual(['Expired', 'Paying', 'Failed']);
});

test('what has ended stays as it ended', async () => {
  const { url } = await openInvoice();
  await sim.press(url, 'confirm');
  expect(sim.received).toEqual([]);
  await sim.press(url, 'send');
  await sim.press(url, 'confirm');
  for (const step of ['send', 'confirm', 'expire', 'fail', 'nonsense']) await sim.press(url, step);
  expect(callbacks().map(({ status }) => status)).toEqual(['Paying', 'Paid']);
});

test('the status of an invoice can be read', async () => {
  const { trackId, url } = await openInvoice();
  await sim.press(url, 'send');
  const response = await fetch(`${sim.url}/v1/payment/${trackId}`, {
    headers: { merchant_api_key: 'key' },
  });
  expect((await response.json()).data).toMatchObject({ track_id: trackId, status: 'paying' });
});

test.each([
  ['no amount', { amount: undefined }],
  ['an amount of nothing', { amount: 0 }],
  ['an invalid currency', { currency: 'US D' }],
  ['a time too short', { lifetime: 1 }],
  ['an invalid address', { callback_url: 'file:///etc/passwd' }],
])('it refuses %s', async (_, changes) => {
  expect((await ask(request(changes))).status).toBe(400);
});

test('it refuses a request without a key', async () => {
  expect((await ask(request(), {})).status).toBe(401);
});

test('a callback is repeated until the merchant answers ok', async () => {
  const { url } = await openInvoice();
  sim.answers.push(new Response('thank you'), new Response(' OK\n'));
  await sim.press(url, 'send');
  await sim.until(() => sim.received.length > 1);
  expect(sim.received).toHaveLength(2);
  expect(sim.received[0]?.body).toBe(sim.received[1]?.body ?? '');
});
