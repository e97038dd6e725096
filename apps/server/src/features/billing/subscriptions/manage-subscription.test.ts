import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import {
  askProvider,
  pressAt,
  subscribeByCard,
} from '../../../../test/harness/billing/card-subscription.ts';
import {
  accountOf,
  insertInvoice,
  signingSecret,
} from '../../../../test/harness/billing/events.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';
import {
  startTestSimulator,
  type TestSimulator,
} from '../../../../test/harness/simulator/start.ts';
import { Secret } from '../../../kernel/secret.ts';

let simulator: TestSimulator;
let service: TestService;
let listening: ReturnType<TestService['listen']>;
const cardAt = (apiUrl: string) => ({
  pay: { card: { apiUrl, key: new Secret('sk_test') }, crypto: undefined },
});

beforeAll(async () => {
  simulator = await startTestSimulator();
  const doesWork = ['billing.cancel-subscription', 'billing.close-checkout'];
  service = await startTestService({ ...cardAt(simulator.url), doesWork });
  listening = service.listen();
  const webhookUrl = `${listening.url}/api/billing/webhook`;
  await fetch(`${simulator.url}/__sim/payments`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ webhookUrl, signingSecret }),
  });
});
afterAll(async () => {
  await listening.stop();
  await service.stop();
  await simulator.stop();
});

const path = '/api/v1/billing/subscription';
const change = (tenant: Pick<Tenant, 'call'>, plan: string) =>
  tenant.call('POST', path, { body: { plan } });

const newSubscriber = async (plan: string) => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  return { tenant, card: await subscribeByCard(tenant, plan) };
};

const invoicesOf = async ({ customer }: { customer: string }) =>
  (await askProvider(simulator.url, `/v1/invoices?customer=${customer}`)).data;

const isLive = ({ status }: { status: string }) => status !== 'canceled';

const actionsOf = async (tenant: Tenant): Promise<string[]> =>
  (await auditOf(tenant)).data.map(({ action }: { action: string }) => action);

describe('a higher plan', () => {
  test('takes effect at once on the same subscription, and the difference is charged', async () => {
    const { tenant, card } = await newSubscriber('PREMIUM');
    const before = await accountOf(tenant);
    const { status, body } = await change(tenant, 'BUSINESS');
    expect([status, body.data.plan, body.data.status]).toEqual([200, 'BUSINESS', 'ACTIVE']);
    expect(body.data.currentPeriodEnd).toBe(before.subscription.currentPeriodEnd);
    const account = await accountOf(tenant);
    expect(account.subscription).toEqual(body.data);
    expect(account.plan).toBe('BUSINESS');
    const [proration] = await invoicesOf(card);
    expect(proration.billing_reason).toBe('subscription_update');
    expect(proration.amount_paid).toBeGreaterThan(990);
    expect(proration.amount_paid).toBeLessThanOrEqual(1000);
  });

  test('is refused when the card is declined, and nothing changes', async () => {
    const { tenant, card } = await newSubscriber('PREMIUM');
    await pressAt(card.payUrl, 'decline-card');
    const { status, body } = await change(tenant, 'ENTERPRISE');
    expect([status, body.error]).toEqual([409, expect.stringContaining('declined')]);
    expect(await accountOf(tenant)).toMatchObject({ plan: 'PREMIUM' });
    expect(await invoicesOf(card)).toHaveLength(1);
  });

  test('is refused while a payment is open', async () => {
    const { tenant, card } = await newSubscriber('PREMIUM');
    await pressAt(card.payUrl, 'fail-renewal');
    const { status, body } = await change(tenant, 'ENTERPRISE');
    expect([status, body.error]).toEqual([409, expect.stringContaining('last payment failed')]);
  });
});

describe('a lower plan', () => {
  test('waits for the end of the period', async () => {
    const { tenant, card } = await newSubscriber('BUSINESS');
    const { status, body } = await change(tenant, 'PREMIUM');
    expect([status, body.data.plan, body.data.cancelledAt]).toEqual([200, 'BUSINESS', null]);
    expect(await invoicesOf(card)).toHaveLength(1);
    await pressAt(card.payUrl, 'renew');
    expect(await accountOf(tenant)).toMatchObject({ plan: 'PREMIUM' });
    const [renewal] = await invoicesOf(card);
    expect([renewal.billing_reason, renewal.amount_paid]).toEqual(['subscription_cycle', 500]);
  });

  test('is taken back by choosing the current plan again', async () => {
    const { tenant, card } = await newSubscriber('BUSINESS');
    await change(tenant, 'PREMIUM');
    expect((await change(tenant, 'BUSINESS')).status).toBe(200);
    await pressAt(card.payUrl, 'renew');
    expect(await accountOf(tenant)).toMatchObject({ plan: 'BUSINESS' });
    expect(await invoicesOf(card)).toHaveLength(2);
  });

  test('can be cancelled or raised while it waits', async () => {
    const { tenant, card } = await newSubscriber('BUSINESS');
    await change(tenant, 'PREMIUM');
    expect((await tenant.call('DELETE', path)).body.data.cancelledAt).not.toBeNull();
    const raised = await change(tenant, 'ENTERPRISE');
    expect(raised.body.data).toMatchObject({ plan: 'ENTERPRISE', cancelledAt: null });
    await pressAt(card.payUrl, 'renew');
    expect(await accountOf(tenant)).toMatchObject({ plan: 'ENTERPRISE' });
  });
});

describe('a cancelled subscription', () => {
  test('says so at once, and keeps its plan until the end of the period', async () => {
    const { tenant, card } = await newSubscriber('PREMIUM');
    const { status, body } = await tenant.call('DELETE', path);
    expect([status, body.data.plan, body.data.status]).toEqual([200, 'PREMIUM', 'ACTIVE']);
    expect(Math.abs(Date.parse(body.data.cancelledAt) - Date.now())).toBeLessThan(60_000);
    const again = await tenant.call('DELETE', path);
    expect([again.status, again.body.data]).toEqual([200, body.data]);
    expect((await accountOf(tenant)).subscription).toEqual(body.data);
    await pressAt(card.payUrl, 'renew');
    expect(await accountOf(tenant)).toMatchObject({
      plan: 'FREE',
      subscription: { plan: 'FREE', status: 'CANCELLED' },
    });
    expect((await tenant.call('POST', `${path}/resume`)).status).toBe(409);
  });

  test('can be resumed', async () => {
    const { tenant, card } = await newSubscriber('PREMIUM');
    await tenant.call('DELETE', path);
    const { status, body } = await tenant.call('POST', `${path}/resume`);
    expect([status, body.data.cancelledAt]).toEqual([200, null]);
    await tenant.call('DELETE', path);
    expect((await accountOf(tenant)).subscription.cancelledAt).not.toBeNull();
    await tenant.call('POST', `${path}/resume`);
    await pressAt(card.payUrl, 'renew');
    expect(await accountOf(tenant)).toMatchObject({ plan: 'PREMIUM' });
    expect((await actionsOf(tenant)).filter((name) => name === 'subscription.resume')).toHaveLength(
      2,
    );
  });
});

describe('without a card subscription', () => {
  test('all three are refused', async () => {
    const tenant = await service.newTenant({ plan: 'BUSINESS' });
    const stranger = await newSubscriber('PREMIUM');
    const replies = [
      await change(tenant, 'ENTERPRISE'),
      await tenant.call('DELETE', path),
      await tenant.call('POST', `${path}/resume`),
    ];
    for (const { status, body } of replies) {
      expect([status, body.error]).toEqual([409, 'You have no card subscription']);
    }
    expect(await accountOf(stranger.tenant)).toMatchObject({ plan: 'PREMIUM' });
  });

  test.each([['FREE'], ['GOLD'], [7]])('%p is no plan to change to', async (plan) => {
    const reply = await (await service.newTenant()).call('POST', path, { body: { plan } });
    expect([reply.status, Object.keys(reply.body.details.fieldErrors)]).toEqual([400, ['plan']]);
  });

  test('and without the scope, too', async () => {
    const tenant = await service.newTenant({ scopes: ['billing:read'] });
    const reply = await tenant.call('DELETE', path);
    expect([reply.status, reply.body.requiredScope]).toEqual([403, 'billing:write']);
  });
});

describe('one account has one subscription', () => {
  test('a second checkout by card is refused, one in advance is not', async () => {
    const { tenant } = await newSubscriber('PREMIUM');
    const pay = (payWith: string) =>
      tenant.call('POST', '/api/v1/billing/invoices', { body: { plan: 'BUSINESS', payWith } });
    const { status, body } = await pay('CARD');
    expect([status, body.error]).toEqual([409, expect.stringContaining('change it')]);
    expect((await pay('CRYPTO')).body.error).toContain('set up');
  });

  test('an older checkout can no longer be paid', async () => {
    const tenant = await service.newTenant({ plan: 'FREE' });
    const body = { plan: 'PREMIUM', payWith: 'CARD' };
    const older = await tenant.call('POST', '/api/v1/billing/invoices', { body });
    await tenant.call('POST', '/api/v1/billing/invoices', { body });
    const id = older.body.data.payUrl.split('/').at(-1);
    await eventually(20_000, async () => {
      const { status } = await askProvider(simulator.url, `/v1/checkout/sessions/${id}`);
      expect(status).toBe('expired');
    });
  });

  test('of two that were paid nevertheless, the older one is ended', async () => {
    const tenant = await service.newTenant({ plan: 'FREE' });
    const customer = `cus_${tenant.accountId}`;
    const open = async (plan: string) => {
      const invoiceId = await insertInvoice(tenant, { payWith: 'CARD' });
      const metadata = { userId: tenant.accountId, plan, invoiceId };
      const form = new URLSearchParams({
        ...{ mode: 'subscription', customer, success_url: 'https://shop.example/' },
        client_reference_id: tenant.accountId,
        ...{ 'line_items[0][price_data][currency]': 'usd' },
        'line_items[0][price_data][unit_amount]': '500',
        'line_items[0][price_data][product_data][name]': plan,
        'line_items[0][price_data][recurring][interval]': 'month',
      });
      for (const [name, value] of Object.entries(metadata)) {
        form.set(`metadata[${name}]`, value);
        form.set(`subscription_data[metadata][${name}]`, value);
      }
      const headers = { Authorization: 'Bearer sk_test' };
      const options = { method: 'POST', headers, body: form };
      return (await fetch(`${simulator.url}/v1/checkout/sessions`, options)).json();
    };
    const [first, second] = [await open('BUSINESS'), await open('PREMIUM')];
    await pressAt(first.url, 'pay');
    await Bun.sleep(1100);
    await pressAt(second.url, 'pay');
    await eventually(20_000, async () => {
      expect(await accountOf(tenant)).toMatchObject({ plan: 'PREMIUM' });
    });
    const { subscription } = await askProvider(simulator.url, `/v1/checkout/sessions/${first.id}`);
    const ended = await askProvider(simulator.url, `/v1/subscriptions/${subscription}`);
    expect(isLive(ended)).toBe(false);
  });
});

describe('several requests at once', () => {
  test('are one change, over two processes', async () => {
    const { tenant, card } = await newSubscriber('PREMIUM');
    const { databaseUrl } = service;
    const second = await startTestService({ ...cardAt(simulator.url), databaseUrl });
    const authorization = { Authorization: `Bearer ${tenant.key}` };
    const clicks = Array.from({ length: 8 }, (_, index) =>
      (index % 2 === 0 ? service : second).call('POST', path, {
        body: { plan: 'BUSINESS' },
        headers: authorization,
      }),
    );
    const statuses = (await Promise.all(clicks)).map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(await invoicesOf(card)).toHaveLength(2);
    expect((await actionsOf(tenant)).filter((name) => name === 'subscription.change')).toHaveLength(
      1,
    );
    await second.stop();
  });

  test('for two plans never lower the plan before the period ends', async () => {
    const { tenant } = await newSubscriber('PREMIUM');
    await Promise.all([change(tenant, 'BUSINESS'), change(tenant, 'ENTERPRISE')]);
    await eventually(10_000, async () => {
      expect((await change(tenant, 'ENTERPRISE')).status).toBe(200);
    });
    expect(await accountOf(tenant)).toMatchObject({ plan: 'ENTERPRISE' });
  });

  test('a repeated request with the same idempotency key does not undo a later one', async () => {
    const { tenant } = await newSubscriber('PREMIUM');
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const resume = () => tenant.call('POST', `${path}/resume`, { headers });
    await tenant.call('DELETE', path);
    expect((await resume()).status).toBe(200);
    const cancelled = await tenant.call('DELETE', path);
    expect((await resume()).headers.get('idempotency-replayed')).toBe('true');
    expect((await accountOf(tenant)).subscription).toEqual(cancelled.body.data);
  });
});

test('a change whose answer was lost is stored by the event, and a repetition changes nothing more', async () => {
  const { tenant, card } = await newSubscriber('PREMIUM');
  let isBroken = true;
  const proxy = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === 'POST' ? await request.text() : null;
      const answer = await fetch(`${simulator.url}${pathname}${search}`, { method, headers, body });
      const isChange = method === 'POST' && pathname.startsWith('/v1/subscriptions/');
      // The provider has done it; the answer never arrives.
      return isBroken && isChange ? new Response('', { status: 502 }) : answer;
    },
  });
  const crashing = await startTestService({
    ...cardAt(`http://127.0.0.1:${proxy.port}`),
    databaseUrl: service.databaseUrl,
  });
  const headers = { Authorization: `Bearer ${tenant.key}` };
  const click = () => crashing.call('POST', path, { body: { plan: 'BUSINESS' }, headers });
  expect((await click()).status).toBe(409);
  await eventually(10_000, async () => {
    expect(await accountOf(tenant)).toMatchObject({ plan: 'BUSINESS' });
  });
  isBroken = false;
  const again = await click();
  expect([again.status, again.body.data.plan]).toEqual([200, 'BUSINESS']);
  expect(await invoicesOf(card)).toHaveLength(2);
  await crashing.stop();
  await proxy.stop(true);
});
