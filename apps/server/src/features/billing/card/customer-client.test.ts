import { afterAll, beforeAll, expect, test } from 'bun:test';
import { subscribeByCard } from '../../../../test/harness/billing/card-subscription.ts';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import {
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const newSubscriber = async (plan: string) => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  const card = await subscribeByCard(tenant, plan);
  return { tenant, card, dashboard: await openDashboard(service, tenant) };
};

const standingOf = async (tenant: Tenant) =>
  (await (await openDashboard(service, tenant)).call('GET', '/billing/standing')).body.data;

test('the cost of a higher plan is told before it is charged, and charged as told', async () => {
  const { dashboard, tenant } = await newSubscriber('PREMIUM');
  const preview = await dashboard.call('GET', '/billing/subscription/preview?plan=BUSINESS');
  expect(preview.status).toBe(200);
  expect(preview.body.data.currency).toBe('USD');
  expect(preview.body.data.dueCents).toBeGreaterThan(990);
  await tenant.call('POST', '/api/v1/billing/subscription', { body: { plan: 'BUSINESS' } });
  const [receipt] = (await dashboard.call('GET', '/billing/receipts')).body.data;
  expect(Math.abs(receipt.amountCents - preview.body.data.dueCents)).toBeLessThanOrEqual(1);
});

test('receipts lead to the page and the PDF of the provider, for their account alone', async () => {
  const { dashboard } = await newSubscriber('PREMIUM');
  const stranger = await openDashboard(service, await service.newTenant({ plan: 'FREE' }));
  const { status, body } = await dashboard.call('GET', '/billing/receipts');
  expect([status, body.data.length]).toEqual([200, 1]);
  expect(body.data[0]).toMatchObject({
    ...{ description: '1 × Holdfast Premium', amountCents: 500, currency: 'USD', status: 'PAID' },
  });
  const pdf = await fetch(body.data[0].pdfUrl);
  expect(pdf.headers.get('content-type')).toBe('application/pdf');
  expect((await stranger.call('GET', '/billing/receipts')).body.data).toEqual([]);
});

test("the provider's own pages are opened for the customer, and lead back", async () => {
  const { dashboard } = await newSubscriber('PREMIUM');
  const { status, body } = await dashboard.call('POST', '/billing/portal');
  expect(status).toBe(200);
  expect(await (await fetch(body.data.url)).text()).toContain('/dashboard/billing');
  const stranger = await openDashboard(service, await service.newTenant({ plan: 'FREE' }));
  expect((await stranger.call('POST', '/billing/portal')).status).toBe(409);
  const preview = await stranger.call('GET', '/billing/subscription/preview?plan=BUSINESS');
  expect(preview.status).toBe(409);
});

test('the page knows the subscription, the plan that follows it, and what the operator granted', async () => {
  const { tenant } = await newSubscriber('BUSINESS');
  expect(await standingOf(tenant)).toMatchObject({
    ...{ provider: 'CARD', renews: true, hasReceipts: true },
    card: { plan: 'BUSINESS', status: 'ACTIVE', cancelledAt: null, nextPlan: null },
  });
  await tenant.call('POST', '/api/v1/billing/subscription', { body: { plan: 'PREMIUM' } });
  expect((await standingOf(tenant)).card.nextPlan).toBe('PREMIUM');
  const granted = await service.newTenant({ plan: 'ENTERPRISE' });
  expect(await standingOf(granted)).toMatchObject({
    ...{ provider: null, renews: false, lapsesAt: null, card: null, hasReceipts: false },
  });
});

test('the pages after paying name what was paid', async () => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  const reply = await tenant.call('POST', '/api/v1/billing/invoices', {
    body: { plan: 'PREMIUM', payWith: 'CARD' },
  });
  const query = `?invoice=${reply.body.data.id}`;
  const waiting = await service.call('GET', `/billing/paid${query}`);
  expect(waiting.text).toContain('Holdfast Premium');
  expect(waiting.text).toContain('$5.00 a month');
  expect(waiting.text).toContain('has not reported your payment yet');
  expect((await service.call('GET', `/billing/cancelled${query}`)).text).toContain(
    'Holdfast Premium',
  );
  for (const nonsense of ['?invoice=x', `?invoice=${crypto.randomUUID()}`, '?order=%00', '']) {
    const page = await service.call('GET', `/billing/paid${nonsense}`);
    expect([page.status, page.text.includes('Holdfast Premium')]).toEqual([200, false]);
  }
});
