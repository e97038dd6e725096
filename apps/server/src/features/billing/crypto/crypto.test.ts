import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { alertsOf } from '../../../../test/harness/alerts.ts';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { findInvoiceOf } from '../../../../test/harness/billing/customer.ts';
import {
  accountOf,
  cardEvent,
  eventsOf,
  insertInvoice,
  merchantSecret,
  newRef,
  sendCard,
  sendCrypto,
} from '../../../../test/harness/billing/events.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
  testBilling,
} from '../../../../test/harness/service.ts';

let service: TestService;
let tenant: OwnTenant;
const clock = { now: () => new Date('2026-05-01T12:00:00.000Z') };
beforeAll(async () => {
  service = await startTestService({ clock });
});
afterAll(() => service.stop());

const dayMs = 86_400_000;

const ask = async (changes: Parameters<typeof insertInvoice>[1] = {}) => {
  tenant = await service.newTenant({ plan: 'FREE' });
  const orderId = await insertInvoice(tenant, changes);
  return { orderId, trackId: newRef('track') };
};

const paid = (invoice: { orderId: string; trackId: string }, changes: object = {}) => ({
  ...{ track_id: invoice.trackId, order_id: invoice.orderId, status: 'Paid', type: 'invoice' },
  ...{ amount: 5, currency: 'USD', ...changes },
});

const take = async (body: object | string) => {
  const reply = await sendCrypto(service, body);
  expect([reply.status, reply.text]).toEqual([200, 'ok']);
  expect(reply.headers.get('content-type')).toStartWith('text/plain');
};

const outcomes = async (): Promise<string[]> =>
  (await eventsOf(tenant)).map(({ outcome }: { outcome: string }) => outcome);

describe('a paid invoice', () => {
  test('gives its plan for 30 days once, however often the payment is reported', async () => {
    const invoice = await ask();
    for (let copy = 0; copy < 5; copy++) await take(paid(invoice));
    await Promise.all(Array.from({ length: 20 }, () => take(paid(invoice, { status: 'paid' }))));
    const { plan, subscription } = await accountOf(tenant);
    expect(plan).toBe('PREMIUM');
    expect(subscription).toEqual({
      ...{ plan: 'PREMIUM', status: 'ACTIVE', isTrial: false },
      currentPeriodEnd: new Date(clock.now().getTime() + 30 * dayMs).toISOString(),
      ...{ trialEndsAt: null, cancelledAt: null },
    });
    expect(await eventsOf(tenant)).toMatchObject([
      { provider: 'CRYPTO', type: 'Paid', providerEventId: `${invoice.trackId}:paid` },
    ]);
    const actions = (await auditOf(tenant)).data.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(['invoice.pay', 'plan.change', 'key.create']);
  });

  test('adds 30 days to the end of what was paid before', async () => {
    await take(paid(await ask()));
    const next = { orderId: await insertInvoice(tenant), trackId: newRef('track') };
    await take(paid(next));
    const { currentPeriodEnd } = (await accountOf(tenant)).subscription;
    expect(currentPeriodEnd).toBe(new Date(clock.now().getTime() + 60 * dayMs).toISOString());
  });

  test('counts once when it is paid twice', async () => {
    const invoice = await ask();
    await take(paid(invoice));
    await take(paid({ ...invoice, trackId: newRef('track') }));
    expect(await outcomes()).toEqual(['IGNORED', 'APPLIED']);
    const { currentPeriodEnd } = (await accountOf(tenant)).subscription;
    expect(currentPeriodEnd).toBe(new Date(clock.now().getTime() + 30 * dayMs).toISOString());
  });

  test.each([
    [
      'in the older spelling',
      ({ orderId, trackId }: { orderId: string; trackId: string }) => ({
        ...{ trackId: Number(trackId.replace(/\D/g, '')), orderId, status: 'PAID' },
        ...{ amount: '5.00', currency: 'usd' },
      }),
    ],
    ['with an amount of many zeros', (invoice) => paid(invoice, { amount: '5.0000000' })],
  ] as [string, (invoice: { orderId: string; trackId: string }) => object][])(
    'is accepted %s',
    async (_, write) => {
      await take(write(await ask()));
      expect((await accountOf(tenant)).plan).toBe('PREMIUM');
    },
  );

  test('that is paid by card in a separate checkout gives 30 days, too', async () => {
    const { orderId } = await ask({ payWith: 'CARD', plan: 'BUSINESS', amountCents: 1500 });
    const session = { mode: 'payment', payment_status: 'paid', metadata: { invoiceId: orderId } };
    const tell = async (more: object) => {
      const object = { ...session, currency: 'usd', ...more };
      const event = cardEvent('checkout.session.completed', object);
      const reply = await sendCard(service, event, clock.now().getTime() / 1000);
      expect(reply.status).toBe(200);
    };
    await tell({ amount_total: 1500, payment_status: 'unpaid' });
    await tell({ amount_total: 1499 });
    expect((await accountOf(tenant)).plan).toBe('FREE');
    await tell({ amount_total: 1500 });
    expect((await accountOf(tenant)).plan).toBe('BUSINESS');
    expect(await outcomes()).toEqual(['APPLIED', 'MISMATCH', 'APPLIED']);
  });
});

describe('a wrong payment is recorded and activates nothing', () => {
  test.each([
    ['when less was paid', { amount: 4.99 }],
    ['when more was paid', { amount: 5.01 }],
    ['when a fraction of a cent is missing', { amount: '4.999999999999999999999' }],
    ['when it was paid in another currency', { currency: 'EUR' }],
    ['when it was paid in a coin of a like name', { currency: 'USDT' }],
    ['when the amount is missing', { amount: null }],
    ['when the currency is missing', { currency: undefined }],
    ['when the amount is none', { amount: '5e0' }],
  ])('%s; the invoice stays payable', async (_, changes) => {
    const invoice = await ask();
    await take(paid(invoice, changes));
    expect((await accountOf(tenant)).plan).toBe('FREE');
    expect(await outcomes()).toEqual(['MISMATCH']);
    await take(paid({ ...invoice, trackId: newRef('track') }));
    expect((await accountOf(tenant)).plan).toBe('PREMIUM');
  });

  test('the right amount of the same payment then pays, once, and further wrong ones do not', async () => {
    const invoice = await ask();
    await take(paid(invoice, { amount: 4.99 }));
    await take(paid(invoice, { amount: 4.99 }));
    await take(paid(invoice, { amount: 4.995 }));
    expect((await accountOf(tenant)).plan).toBe('FREE');
    expect(await outcomes()).toEqual(['MISMATCH']);
    expect(await alertsOf(tenant)).toMatchObject([
      {
        kind: 'PAYMENT_FAILED',
        title: 'A payment for your plan was not accepted',
        detail: expect.stringContaining('4.99 USD arrived'),
      },
    ]);
    await Promise.all(Array.from({ length: 20 }, () => take(paid(invoice))));
    await take(paid(invoice, { amount: 4.99 }));
    const { plan, subscription } = await accountOf(tenant);
    expect(plan).toBe('PREMIUM');
    const inThirtyDays = new Date(clock.now().getTime() + 30 * dayMs).toISOString();
    expect(subscription.currentPeriodEnd).toBe(inThirtyDays);
    expect(await outcomes()).toEqual(['APPLIED']);
    const actions = (await auditOf(tenant)).data.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(['invoice.pay', 'plan.change', 'key.create']);
    expect(await alertsOf(tenant)).toHaveLength(1);
  });

  test.each(['uſd', 'UЅD', 'USD\u200b', 'ＵＳＤ'])(
    'when its currency %p only looks like the one that was asked for',
    async (currency) => {
      await take(paid(await ask(), { currency }));
      expect((await accountOf(tenant)).plan).toBe('FREE');
      expect(await outcomes()).toEqual(['MISMATCH']);
    },
  );

  test('when rounding would make the amounts equal', async () => {
    const invoice = await ask();
    const body = JSON.stringify(paid(invoice)).replace(
      '"amount":5',
      '"amount":4.99999999999999999999',
    );
    expect(JSON.parse(body).amount).toBe(5);
    await take(body);
    expect(await outcomes()).toEqual(['MISMATCH']);
  });

  test.each([crypto.randomUUID(), 'order-1', '', null, '\u0000'])(
    'when the order %p is unknown',
    async (orderId) => {
      const trackId = newRef('track');
      await take({ trackId, orderId, status: 'Paid', amount: 5, currency: 'USD' });
      const logged = service.logLines.filter((line) => line.includes(trackId));
      expect(logged.map((line) => JSON.parse(line).outcome)).toEqual(['UNMATCHED']);
    },
  );
});

describe('a pending invoice', () => {
  test('stays while its payment is being confirmed', async () => {
    const invoice = await ask();
    for (const status of ['Confirming', 'paying', 'Waiting']) await take(paid(invoice, { status }));
    expect(await findInvoiceOf(tenant)).toMatchObject({ id: invoice.orderId, paidAt: null });
    expect(await outcomes()).toEqual(['IGNORED', 'IGNORED']);
    expect((await accountOf(tenant)).plan).toBe('FREE');
  });

  test.each(['Expired', 'Failed', 'EXPIRED'])('is removed when it is %s', async (status) => {
    const invoice = await ask();
    await take(paid(invoice, { status }));
    expect(await findInvoiceOf(tenant)).toBeUndefined();
    expect((await auditOf(tenant)).data[0]).toMatchObject({ action: 'invoice.remove' });
    await take(paid(invoice));
    expect((await accountOf(tenant)).plan).toBe('FREE');
  });

  test('that was paid stays, whatever is reported later', async () => {
    const invoice = await ask();
    await take(paid(invoice));
    await take(paid(invoice, { status: 'Expired' }));
    expect(await findInvoiceOf(tenant)).toMatchObject({ paidAt: expect.any(Date) });
    expect((await accountOf(tenant)).plan).toBe('PREMIUM');
  });
});

describe('a notification is refused with 400', () => {
  const body = JSON.stringify({ trackId: '1', orderId: '2', status: 'Paid' });
  const digest = (text: string, secret = merchantSecret, kind = 'sha512') =>
    createHmac(kind, secret).update(text).digest('hex');
  const send = (raw: string, headers: Record<string, string>, to = service) =>
    to.call('POST', '/api/oxapay/webhook', { raw, headers });

  test.each([
    ['without an HMAC', {}],
    ['with an empty one', { HMAC: '' }],
    ['with that of other bytes', { HMAC: digest(`${body} `) }],
    ['with that of another secret', { HMAC: digest(body, 'other') }],
    ['with another kind of HMAC', { HMAC: digest(body, merchantSecret, 'sha256') }],
    ['with half of it', { HMAC: digest(body).slice(0, 64) }],
    ['with two of them', { HMAC: `${digest(body)}, ${digest(body)}` }],
    ['with letters that are no ASCII', { HMAC: `${digest(body).slice(1)}é` }],
  ])('%s', async (_, headers: Record<string, string>) => {
    expect((await send(body, headers)).status).toBe(400);
  });

  test('when any one digit of the HMAC is wrong', async () => {
    const right = digest(body);
    const wrongAt = (at: number) =>
      `${right.slice(0, at)}${right[at] === '0' ? '1' : '0'}${right.slice(at + 1)}`;
    for (let at = 0; at < right.length; at++) {
      const { status } = await send(body, { HMAC: wrongAt(at) });
      expect({ at, status }).toEqual({ at, status: 400 });
    }
  });

  test.each([
    '{',
    '[]',
    '7',
    '{"status":"Paid"}',
    '{"trackId":"1"}',
    '{"trackId":"","status":"x"}',
  ])('when it is signed but says %s', async (raw) => {
    expect((await send(raw, { HMAC: digest(raw) })).status).toBe(400);
  });

  test.each([
    ['nests deeply', '['.repeat(65) + ']'.repeat(65)],
    ['holds many values', `[${Array(220_000).fill(0)}]`],
  ])('when it is signed but %s in what nobody reads', async (_, more) => {
    const raw = `{"trackId":"1","orderId":"2","status":"Paid","more":${more}}`;
    expect((await send(raw, { HMAC: digest(raw) })).status).toBe(400);
  });

  test('unless the digest is only in capital letters', async () => {
    expect((await send(body, { HMAC: digest(body).toUpperCase() })).status).toBe(200);
  });

  test('when no merchant secret is set', async () => {
    const unset = await startTestService({
      billing: { ...testBilling, merchantSecret: undefined },
    });
    expect((await send(body, { HMAC: digest(body, '') }, unset)).status).toBe(400);
    await unset.stop();
  });
});
