import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { insertInvoice } from '../../../../test/harness/billing/events.ts';
import {
  plansWithoutRateLimit,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';
import { sharedSimulator } from '../../../../test/harness/simulator/start.ts';
import { newId } from '../../../kernel/ids.ts';
import { Secret } from '../../../kernel/secret.ts';
import { countPayableInvoices } from '../queries/invoices.ts';
import { billingCustomers } from '../table.ts';

let service: TestService;
let simulatorUrl: string;
beforeAll(async () => {
  service = await startTestService();
  simulatorUrl = (await sharedSimulator()).url;
});
afterAll(() => service.stop());

const pay = (tenant: Tenant, body: object = {}, headers: Record<string, string> = {}) =>
  tenant.call('POST', '/api/v1/billing/invoices', {
    body: { plan: 'PREMIUM', payWith: 'CARD', ...body },
    headers,
  });

const payableOf = (tenant: Tenant) =>
  countPayableInvoices(service.db, tenant.accountId, new Date());

const actionsOf = async (tenant: Tenant): Promise<string[]> =>
  (await auditOf(tenant)).data.map(({ action }: { action: string }) => action);

/** The requests that the card provider received. */
const sessionAt = async (payUrl: string) => {
  const path = `/v1/checkout/sessions/${payUrl.split('/').at(-1)}`;
  const headers = { Authorization: 'Bearer sk' };
  return (await fetch(`${simulatorUrl}${path}`, { headers })).json();
};

test.each([
  ['PREMIUM', 500],
  ['BUSINESS', 1500],
  ['ENTERPRISE', 5000],
] as const)('%s can be paid by card and with coins, for %d cents a month', async (plan, cents) => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  for (const [payWith, page] of [
    ['CARD', 'card'],
    ['CRYPTO', 'crypto'],
  ]) {
    const { status, body } = await pay(tenant, { plan, payWith });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ amountCents: cents, currency: 'USD' });
    expect(Object.keys(body.data).toSorted()).toEqual(
      ['amountCents', 'currency', 'expiresAt', 'id', 'payUrl'].toSorted(),
    );
    expect(body.data.payUrl).toStartWith(`${simulatorUrl}/pay/${page}/`);
    expect(Date.parse(body.data.expiresAt)).toBeGreaterThan(Date.now());
  }
  expect(await payableOf(tenant)).toBe(2);
  expect((await actionsOf(tenant)).filter((action) => action === 'invoice.create')).toHaveLength(2);
});

test('the provider receives the account and the invoice', async () => {
  const tenant = await service.newTenant();
  const { id, payUrl } = (await pay(tenant, { plan: 'BUSINESS' })).body.data;
  const metadata = { userId: tenant.accountId, plan: 'BUSINESS', invoiceId: id };
  expect(await sessionAt(payUrl)).toMatchObject({
    client_reference_id: tenant.accountId,
    customer: null,
    metadata,
  });
});

test('a returning customer pays as the same customer', async () => {
  const tenant = await service.newTenant();
  const stranger = await service.newTenant();
  const customerId = `cus_${newId()}`;
  await service.db.insert(billingCustomers).values({ customerId, accountId: tenant.accountId });
  const [own, others] = [await pay(tenant), await pay(stranger)];
  expect((await sessionAt(own.body.data.payUrl)).customer).toBe(customerId);
  expect((await sessionAt(others.body.data.payUrl)).customer).toBeNull();
});

test('two requests with one idempotency key create one invoice', async () => {
  const tenant = await service.newTenant();
  const headers = { 'idempotency-key': newId() };
  const first = await pay(tenant, {}, headers);
  const second = await pay(tenant, {}, headers);
  expect(second.status).toBe(201);
  expect(second.body).toEqual(first.body);
  expect(await payableOf(tenant)).toBe(1);
});

describe('there is nothing to pay for', () => {
  test.each([
    ['the plan that costs nothing', { plan: 'FREE' }, 'plan'],
    ['a plan that is none', { plan: 'GOLD' }, 'plan'],
    ['shells', { payWith: 'SHELLS' }, 'payWith'],
  ])('%s', async (_, body, field) => {
    const tenant = await service.newTenant();
    const reply = await pay(tenant, body);
    expect(reply.status).toBe(400);
    expect(reply.body.details.fieldErrors).toHaveProperty(field);
    expect(await payableOf(tenant)).toBe(0);
  });
});

test('a key without the scope is refused', async () => {
  const reply = await pay(await service.newTenant({ scopes: ['billing:read'] }));
  expect(reply.status).toBe(403);
  expect(reply.body.requiredScope).toBe('billing:write');
});

describe('when the provider does not answer', () => {
  let lonely: TestService;
  beforeAll(async () => {
    const nobody = { apiUrl: 'http://127.0.0.1:9', key: new Secret('sk_test') };
    lonely = await startTestService({
      databaseUrl: service.databaseUrl,
      pay: { card: nobody, crypto: nobody },
    });
  });
  afterAll(() => lonely.stop());

  test.each(['CARD', 'CRYPTO'])(
    'by %s the request is refused with a message, and nothing is stored',
    async (payWith) => {
      const tenant = await lonely.newTenant();
      const before = await actionsOf(tenant);
      const reply = await pay(tenant, { payWith });
      expect(reply.status).toBe(409);
      expect(reply.body.error).toContain('cannot be reached now');
      expect(await payableOf(tenant)).toBe(0);
      expect(await actionsOf(tenant)).toEqual(before);
    },
  );
});

test('without a provider the request is refused', async () => {
  const { databaseUrl } = service;
  const bare = await startTestService({ databaseUrl, pay: { card: undefined, crypto: undefined } });
  const tenant = await bare.newTenant();
  for (const payWith of ['CARD', 'CRYPTO']) {
    const reply = await pay(tenant, { payWith });
    expect([reply.status, reply.body.error]).toEqual([409, expect.stringContaining('set up')]);
  }
  await bare.stop();
});

test('a plan that the operator made free cannot be bought', async () => {
  const plans = {
    ...plansWithoutRateLimit,
    PREMIUM: { ...plansWithoutRateLimit.PREMIUM, priceCents: 0 },
  };
  const generous = await startTestService({ databaseUrl: service.databaseUrl, plans });
  const reply = await pay(await generous.newTenant());
  expect([reply.status, reply.body.error]).toEqual([
    409,
    expect.stringContaining('nothing to pay'),
  ]);
  await generous.stop();
});

test('fifty invoices may wait to be paid, not counting expired ones', async () => {
  const tenant = await service.newTenant();
  const over = new Date(Date.now() - 1000);
  for (let made = 0; made < 49; made++) {
    await insertInvoice(tenant);
    await insertInvoice(tenant, { expiresAt: over });
  }
  const replies = await Promise.all([pay(tenant), pay(tenant), pay(tenant)]);
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  const refused = await pay(tenant);
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringContaining('50 invoices'),
  ]);
});

describe('the return page', () => {
  test.each([
    ['/billing/paid', 'Thank you'],
    ['/billing/cancelled', 'Nothing was paid'],
  ])('%s needs no key and shows the state of the payment', async (path, heading) => {
    const { status, text, headers } = await service.call('GET', path);
    expect(status).toBe(200);
    expect(text).toContain(`<h1>${heading}</h1>`);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});
