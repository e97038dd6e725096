import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import {
  askProvider,
  subscribeByCard,
} from '../../../../test/harness/billing/card-subscription.ts';
import {
  accountOf,
  cardEvent,
  nowSeconds,
  sendCard,
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
let proxy: ReturnType<typeof Bun.serve>;
/** What the way to the provider does to a request before it is passed on. */
let onTheWay: (method: string, path: string) => Promise<void>;
/** Requests that change something at the provider. */
let changes: string[];

beforeAll(async () => {
  simulator = await startTestSimulator();
  proxy = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === 'POST' ? await request.text() : null;
      await onTheWay(method, pathname);
      if (method !== 'GET') changes.push(`${method} ${pathname.split('/')[2]}`);
      const url = `${simulator.url}${pathname}${search}`;
      return fetch(url, { method, headers, body, redirect: 'manual' });
    },
  });
  const apiUrl = `http://127.0.0.1:${proxy.port}`;
  service = await startTestService({
    pay: { card: { apiUrl, key: new Secret('sk_test') }, crypto: undefined },
    doesWork: ['billing.cancel-subscription'],
    patience: 1,
  });
});
beforeEach(() => {
  onTheWay = async () => {};
  changes = [];
});
afterAll(async () => {
  await service.stop();
  await proxy.stop(true);
  await simulator.stop();
});

const path = '/api/v1/billing/subscription';
const change = (tenant: Tenant, plan: string) => tenant.call('POST', path, { body: { plan } });

const newSubscriber = async (plan: string) => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  const card = await subscribeByCard(tenant, plan);
  changes = [];
  return { tenant, card };
};

test('a change that the provider is too slow for ends with the answer, and charges nothing later', async () => {
  const { tenant } = await newSubscriber('PREMIUM');
  // It looks up the subscription and the price before it changes anything.
  let slowRequests = 2;
  onTheWay = async () => {
    if (slowRequests-- > 0) await Bun.sleep(1700);
  };
  const { status, body } = await change(tenant, 'ENTERPRISE');
  expect([status, body.error]).toEqual([409, expect.stringContaining('in time')]);
  await Bun.sleep(1500);
  expect(changes).not.toContain('POST subscriptions');
});

test('while a change may still reach the provider no other is sent', async () => {
  const other = await newSubscriber('PREMIUM');
  expect((await change(other.tenant, 'BUSINESS')).status).toBe(200);
  const { tenant, card } = await newSubscriber('PREMIUM');
  onTheWay = async (method) => {
    if (method === 'POST') await Bun.sleep(3500);
  };
  expect((await change(tenant, 'BUSINESS')).status).toBe(409);
  onTheWay = async () => {};
  const { status, body } = await tenant.call('DELETE', path);
  expect([status, body.error]).toEqual([409, expect.stringContaining('being changed')]);
  await eventually(10_000, async () => {
    const { metadata } = await askProvider(simulator.url, `/v1/subscriptions/${card.ref}`);
    expect(metadata.plan).toBe('BUSINESS');
  });
});

test('a clock that was set back does not lock the subscription', async () => {
  const { tenant } = await newSubscriber('PREMIUM');
  const { accountId } = tenant;
  await service.db.$client`update subscriptions set changing_until = now() + interval '1 hour'
    where account_id = ${accountId}`;
  expect((await change(tenant, 'BUSINESS')).status).toBe(200);
});

test('what has ended at the provider is neither cancelled nor resumed', async () => {
  const { tenant, card } = await newSubscriber('PREMIUM');
  const headers = { Authorization: 'Bearer sk_test' };
  const gone = await fetch(`${simulator.url}/v1/subscriptions/${card.ref}`, {
    ...{ method: 'DELETE', headers },
  });
  expect(gone.status).toBe(200);
  const replies = [
    await tenant.call('POST', `${path}/resume`),
    await tenant.call('DELETE', path),
    await change(tenant, 'BUSINESS'),
  ];
  expect(replies.map(({ status }) => status)).toEqual([409, 409, 409]);
  expect(changes).toEqual([]);
});

test('a second subscription that is paid for after its checkout replaces the first', async () => {
  const { tenant, card } = await newSubscriber('BUSINESS');
  const second = `sub_late_${tenant.accountId}`;
  const { accountId } = tenant;
  await sendCard(
    tenant,
    cardEvent(
      'checkout.session.completed',
      {
        ...{ mode: 'subscription', subscription: second, customer: card.customer },
        ...{
          client_reference_id: accountId,
          payment_status: 'unpaid',
          metadata: { plan: 'PREMIUM' },
        },
      },
      nowSeconds() + 2,
    ),
  );
  expect(await accountOf(tenant)).toMatchObject({ plan: 'BUSINESS' });
  await sendCard(
    tenant,
    cardEvent(
      'invoice.payment_succeeded',
      {
        ...{ id: `in_${accountId}`, customer: card.customer, subscription: second },
      },
      nowSeconds() + 3,
    ),
  );
  await eventually(20_000, async () => {
    const { status } = await askProvider(simulator.url, `/v1/subscriptions/${card.ref}`);
    expect(status).toBe('canceled');
  });
  expect(changes).toEqual(['DELETE subscriptions']);
});
