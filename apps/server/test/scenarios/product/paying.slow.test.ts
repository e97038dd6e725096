import { afterAll, beforeAll, expect, test } from 'bun:test';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  expectUsable,
  inBrowser,
  newChromium,
  waitForHeading,
} from '../../harness/browser/chromium.ts';
import { eventually } from '../../harness/eventually.ts';
import { type LocalService, startLocalService } from '../../harness/local-service.ts';
import {
  connectSql,
  createKey,
  request,
  stopServices,
  tenantAt,
} from '../../harness/running-service.ts';
import type { Tenant } from '../../harness/service.ts';

const chromium = newChromium();
let service: LocalService;
beforeAll(async () => {
  service = await startLocalService();
});
afterAll(async () => {
  await chromium.close();
  await stopServices();
});

const newAccount = async (): Promise<Tenant> =>
  tenantAt(service.url, await createKey(service.databaseUrl, { plan: 'FREE' }));

const askForInvoice = async (tenant: Tenant, plan: string, payWith: string) => {
  const reply = await tenant.call('POST', '/api/v1/billing/invoices', { body: { plan, payWith } });
  expect(reply.status).toBe(201);
  return reply.body.data;
};

const accountOf = async (tenant: Tenant) => (await tenant.call('GET', '/api/v1/account')).body.data;

/** The provider may need a second try to be heard; the plan follows by itself. */
const accountWith = (tenant: Tenant, plan: string) =>
  eventually(10_000, async () => {
    const account = await accountOf(tenant);
    expect(account.plan).toBe(plan);
    return account;
  });

const outcomesOf = async (tenant: Tenant): Promise<string[]> => {
  const { data } = (await tenant.call('GET', '/api/v1/billing/events')).body;
  return data.map(({ type, outcome }: Record<string, string>) => `${type} ${outcome}`).toReversed();
};

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

const openAt = async (url: string) => {
  const window = await chromium.openWindow();
  await window.page.goto(url);
  return window;
};

inBrowser('who pays by card on the page has the plan when the browser is back', async () => {
  const tenant = await newAccount();
  const { payUrl, amountCents } = await askForInvoice(tenant, 'PREMIUM', 'CARD');
  expect(amountCents).toBe(500);
  const { page, complaints, close } = await openAt(payUrl);
  await waitForHeading(page, 'Pay by card');
  expect(await page.locator('main').innerText()).toContain('$5.00');
  await expectUsable(page, 'pay-card');

  await press(page, 'Fail the payment');
  await page.getByRole('alert').waitFor();
  await expectUsable(page, 'pay-card-declined');
  expect((await accountOf(tenant)).plan).toBe('FREE');

  await press(page, 'Pay');
  await waitForHeading(page, 'Thank you');
  expect(page.url()).toStartWith(`${service.url}/billing/paid?invoice=`);
  expect(await page.locator('main').innerText()).toContain('Holdfast Premium, $5.00 a month');
  await expectUsable(page, 'billing-paid');
  const account = await accountWith(tenant, 'PREMIUM');
  expect(account.subscription).toMatchObject({ plan: 'PREMIUM', status: 'ACTIVE' });
  expect(account.limits.apiRatePerTenSeconds).toBe(50);
  expect(complaints).toEqual([]);
  await close();
});

inBrowser('who goes back has paid nothing', async () => {
  const tenant = await newAccount();
  const { payUrl } = await askForInvoice(tenant, 'ENTERPRISE', 'CARD');
  const { page, complaints, close } = await openAt(payUrl);
  await press(page, 'Cancel');
  await waitForHeading(page, 'Nothing was paid');
  expect(page.url()).toStartWith(`${service.url}/billing/cancelled?invoice=`);
  await expectUsable(page, 'billing-cancelled');
  expect((await accountOf(tenant)).plan).toBe('FREE');
  expect(await outcomesOf(tenant)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

inBrowser('coins give the plan when they are confirmed, not before', async () => {
  const tenant = await newAccount();
  const { payUrl } = await askForInvoice(tenant, 'BUSINESS', 'CRYPTO');
  const { page, complaints, close } = await openAt(payUrl);
  await waitForHeading(page, 'Pay with coins');
  await expectUsable(page, 'pay-crypto');
  await press(page, 'Send the coins');
  await waitForHeading(page, 'Confirming');
  await expectUsable(page, 'pay-crypto-confirming');
  expect((await accountOf(tenant)).plan).toBe('FREE');
  await press(page, 'Confirm the payment');
  await waitForHeading(page, 'Paid');
  await expectUsable(page, 'pay-crypto-paid');
  const account = await accountWith(tenant, 'BUSINESS');
  const days = (Date.parse(account.subscription.currentPeriodEnd) - Date.now()) / 86_400_000;
  expect(days).toBeCloseTo(30, 0);
  await page.getByRole('link', { name: 'Go back to the shop' }).click();
  await waitForHeading(page, 'Thank you');
  expect(complaints).toEqual([]);
  await close();
});

inBrowser('an invoice that expires is gone', async () => {
  const tenant = await newAccount();
  const { id, payUrl } = await askForInvoice(tenant, 'PREMIUM', 'CRYPTO');
  const sql = connectSql(service.databaseUrl);
  expect(await sql`select id from billing_invoices where id = ${id}`).toHaveLength(1);
  const { page, complaints, close } = await openAt(payUrl);
  await press(page, 'Let it expire');
  await waitForHeading(page, 'Expired');
  await expectUsable(page, 'pay-crypto-expired');
  expect(await sql`select id from billing_invoices where id = ${id}`).toHaveLength(0);
  expect((await accountOf(tenant)).plan).toBe('FREE');
  expect(complaints).toEqual([]);
  await close();
});

inBrowser('a renewal that fails is told by one mail, which the outbox shows', async () => {
  const tenant = await newAccount();
  const address = `${tenant.platformId}@example.org`;
  await connectSql(
    service.databaseUrl,
  )`update accounts set email = ${address} where id = ${tenant.accountId}`;
  const { payUrl } = await askForInvoice(tenant, 'PREMIUM', 'CARD');
  const { page, complaints, close } = await openAt(payUrl);
  await press(page, 'Pay');
  await waitForHeading(page, 'Thank you');
  await page.goto(payUrl);
  await waitForHeading(page, 'Paid');
  await expectUsable(page, 'pay-card-later');
  await press(page, 'Fail to pay the next period');
  await page.getByText('past due').waitFor();
  const { plan, subscription } = await accountOf(tenant);
  expect([plan, subscription.status]).toEqual(['PREMIUM', 'PAST_DUE']);

  const mails = async () => (await request(service.simulatorUrl, 'GET', '/__sim/outbox')).body;
  await eventually(20_000, async () => expect(await mails()).toHaveLength(1));
  const [mail] = await mails();
  expect(mail.to).toContain(address);
  await page.goto(`${service.simulatorUrl}/__sim/outbox`);
  await expectUsable(page, 'outbox');
  await page.getByRole('link', { name: mail.subject }).click();
  await waitForHeading(page, mail.subject);
  await expectUsable(page, 'outbox-mail');
  expect(complaints).toEqual([]);
  await close();
});

/** As the page's button does. */
const pressByForm = (payUrl: string, step: string) =>
  request(payUrl, 'POST', '', { raw: new URLSearchParams({ step }) });

test('a declined upgrade leaves the plan as it is, and can still be paid', async () => {
  const tenant = await newAccount();
  const { payUrl } = await askForInvoice(tenant, 'PREMIUM', 'CARD');
  await pressByForm(payUrl, 'pay');
  const upgrade = () =>
    tenant.call('POST', '/api/v1/billing/subscription', { body: { plan: 'BUSINESS' } });
  await pressByForm(payUrl, 'decline-card');
  expect((await upgrade()).status).toBe(409);
  const declined = await accountOf(tenant);
  expect([declined.plan, declined.subscription.status]).toEqual(['PREMIUM', 'ACTIVE']);
  await pressByForm(payUrl, 'accept-card');
  expect((await upgrade()).status).toBe(200);
  const upgraded = await accountOf(tenant);
  expect([upgraded.plan, upgraded.subscription.status]).toEqual(['BUSINESS', 'ACTIVE']);
  const ids = await connectSql(service.databaseUrl)`
    select customer_id from billing_customers where account_id = ${tenant.accountId}`;
  expect(ids).toHaveLength(1);
});

test('only its owner can read the secret with which the simulator signs', async () => {
  const { mode } = await stat(join(service.dataDir, 'payments.secret'));
  expect((mode & 0o777).toString(8)).toBe('600');
});

test('events that are repeated, reordered and garbled on the way give the plan once', async () => {
  const tenant = await newAccount();
  const { payUrl } = await askForInvoice(tenant, 'PREMIUM', 'CARD');
  const setMode = (body: object) =>
    request(service.simulatorUrl, 'PUT', '/__sim/payments/mode', { body });
  await setMode({ repeat: 3, reorder: true, garble: true });
  expect((await pressByForm(payUrl, 'pay')).status).toBe(303);
  expect((await accountOf(tenant)).plan).toBe('FREE');
  expect(await outcomesOf(tenant)).toEqual([]);
  await setMode({});
  await eventually(20_000, async () => expect(await outcomesOf(tenant)).toHaveLength(3));
  expect((await accountOf(tenant)).plan).toBe('PREMIUM');
  const { data } = (await tenant.call('GET', '/api/v1/audit?limit=100')).body;
  const changes = data.filter(({ action }: { action: string }) => action === 'plan.change');
  expect(changes).toHaveLength(1);
});
