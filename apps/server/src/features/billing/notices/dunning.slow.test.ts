import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { setContact } from '../../../../test/harness/billing/customer.ts';
import {
  accountOf,
  cardSubscription,
  insertInvoice,
  newRef,
  type RawCardEvent,
  sendCard,
  sendCrypto,
} from '../../../../test/harness/billing/events.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { type MailServer, startMailServer } from '../../../../test/harness/network/mail-server.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
  testBilling,
} from '../../../../test/harness/service.ts';
import { createSmtpMailer } from '../../../integrations/mailer.ts';
import { Secret } from '../../../kernel/secret.ts';
import { deliverAlerts, sendAlertMail } from '../../alerts/jobs.ts';
import { expireDueSubscriptions } from '../jobs.ts';
import { sendNotice } from './jobs.ts';

const dayMs = 86_400_000;
let now = new Date('2026-05-01T12:00:00.000Z');
const clock = { now: () => now };
const seconds = () => Math.floor(now.getTime() / 1000);
const pass = (days: number) => {
  now = new Date(now.getTime() + days * dayMs);
};

let service: TestService;
let mail: MailServer;
let tenant: OwnTenant;
beforeAll(async () => {
  mail = await startMailServer();
  const mailer = createSmtpMailer({
    ...{ url: new Secret(mail.url), from: 'Holdfast <billing@holdfast.example>' },
  });
  const jobs = [sendNotice, deliverAlerts, sendAlertMail];
  service = await startTestService({ clock, mailer, doesWork: jobs.map(({ name }) => name) });
});
afterAll(async () => {
  await service.stop();
  await mail.stop();
});
beforeEach(async () => {
  tenant = await service.newTenant({ plan: 'FREE' });
});

const take = async (event: RawCardEvent) => {
  const reply = await sendCard(service, event, seconds());
  expect(reply.status).toBe(200);
};

const expireSubscriptions = () =>
  expireDueSubscriptions({ ...service, clock, billing: testBilling }, new AbortController().signal);

/** The mails to that address, after a pause in which a superfluous one would arrive. */
const mailsTo = async (address: string, count: number): Promise<string[]> => {
  const found = () => mail.mails.filter((text) => text.includes(address));
  await eventually(15_000, () => expect(found().length).toBeGreaterThanOrEqual(count));
  await Bun.sleep(1500);
  return found();
};

const actionsOf = async (): Promise<string[]> =>
  (await auditOf(tenant)).data.map(({ action }: { action: string }) => action);

describe('a failed payment', () => {
  test('reported five times sends one mail, with the end of the grace time', async () => {
    const email = `${newRef('owner')}@example.com`;
    await setContact(tenant, { email, displayName: 'Ada' });
    const subscription = cardSubscription(tenant.accountId);
    await take(subscription.checkout('PREMIUM', seconds()));
    const invoiceId = newRef('in');
    const event = subscription.failure(seconds() + 1, invoiceId);
    for (let copy = 0; copy < 5; copy++) await take(event);
    // The provider retries the payment, and reports each attempt.
    await take(subscription.failure(seconds() + 2, invoiceId));
    const [text = '', ...others] = await mailsTo(email, 1);
    expect(others).toEqual([]);
    expect(text).toContain('Subject: Your payment for the PREMIUM plan failed');
    expect(text).toContain('Hello Ada');
    const until = new Date(now.getTime() + 7 * dayMs);
    expect(text).toContain(`until ${until.getUTCDate()} `);
    expect((await tenant.call('GET', '/api/v1/alerts')).body.data).toMatchObject([
      { kind: 'PAYMENT_FAILED', href: '/dashboard/billing' },
    ]);
  });

  test('sends no mail where its owner does not want one', async () => {
    const email = `${newRef('owner')}@example.com`;
    await setContact(tenant, { email });
    const body = { PAYMENT_FAILED: { email: false, channel: false, dashboard: true } };
    await tenant.call('PUT', '/api/v1/alerts/settings', { body });
    const subscription = cardSubscription(tenant.accountId);
    await take(subscription.checkout('PREMIUM', seconds()));
    await take(subscription.failure(seconds() + 1));
    expect(await mailsTo(email, 0)).toEqual([]);
    expect((await tenant.call('GET', '/api/v1/alerts')).body.pagination.total).toBe(1);
  });

  test('of an account without an address is recorded in the audit log', async () => {
    const subscription = cardSubscription(tenant.accountId);
    await take(subscription.checkout('PREMIUM', seconds()));
    await take(subscription.failure(seconds() + 1, 'in_without_address'));
    await take(subscription.failure(seconds() + 2, 'in_without_address'));
    expect(await actionsOf()).toEqual([
      ...['subscription.payment_failed', 'subscription.payment_failed'],
      ...['billing.mail_skipped', 'subscription.attach', 'plan.change', 'key.create'],
    ]);
  });

  test('of a person whose name has line breaks adds no mail header', async () => {
    const email = `${newRef('owner')}@example.com`;
    const displayName = 'Eve\r\nBcc: victim@example.com\r\n\r\n<b>body</b>\u2028\u0000';
    await setContact(tenant, { email, displayName: displayName.replace('\u0000', '') });
    const subscription = cardSubscription(tenant.accountId);
    await take(subscription.checkout('PREMIUM', seconds()));
    await take(subscription.failure(seconds() + 1));
    const [text = ''] = await mailsTo(email, 1);
    const [head = ''] = text.split('\r\n\r\n');
    expect(head).not.toMatch(/^bcc:/im);
    expect(head.match(/^to:/gim)).toHaveLength(1);
    expect(text).toContain('Hello Eve Bcc: victim@example. com');
    expect(mail.recipients).not.toContain('victim@example.com');
  });

  test('sends its mail once the mail server is back', async () => {
    const email = `${newRef('owner')}@example.com`;
    await setContact(tenant, { email });
    const subscription = cardSubscription(tenant.accountId);
    await take(subscription.checkout('PREMIUM', seconds()));
    mail.refuse(true);
    await take(subscription.failure(seconds() + 1));
    await Bun.sleep(1000);
    mail.refuse(false);
    expect(await mailsTo(email, 1)).toHaveLength(1);
  });

  test('that succeeds while its mail waits is not told any more', async () => {
    const email = `${newRef('owner')}@example.com`;
    await setContact(tenant, { email });
    const subscription = cardSubscription(tenant.accountId);
    await take(subscription.checkout('PREMIUM', seconds()));
    mail.refuse(true);
    await take(subscription.failure(seconds() + 1));
    await take(subscription.payment(seconds() + 1_000_000, seconds() + 2));
    // A mail that was on its way is refused: it had begun before the payment.
    await eventually(20_000, async () => {
      const sending = await service.db.$client`
        select 1 from pgboss.job where name = 'alerts.send-mail' and state = 'active'`;
      expect(sending).toHaveLength(0);
    });
    mail.refuse(false);
    expect(await mailsTo(email, 0)).toEqual([]);
    expect((await tenant.call('GET', '/api/v1/alerts')).body.pagination.total).toBe(1);
  });

  test('ends the plan when the grace time is over, and a payment restores it', async () => {
    const subscription = cardSubscription(tenant.accountId);
    await take(subscription.checkout('BUSINESS', seconds()));
    await take(subscription.failure(seconds() + 60));
    await take(subscription.failure(seconds() + 3600));
    pass(6.9);
    await expireSubscriptions();
    expect(await accountOf(tenant)).toMatchObject({ plan: 'BUSINESS' });
    pass(0.2);
    await Promise.all([expireSubscriptions(), expireSubscriptions(), expireSubscriptions()]);
    const account = await accountOf(tenant);
    expect(account).toMatchObject({
      plan: 'FREE',
      subscription: { plan: 'FREE', status: 'PAST_DUE' },
    });
    expect((await actionsOf()).slice(0, 2)).toEqual(['subscription.lapse', 'plan.change']);
    expect((await auditOf(tenant)).data[0].actor).toEqual({ type: 'SYSTEM', id: null });
    await expireSubscriptions();
    expect((await actionsOf()).filter((action) => action === 'subscription.lapse')).toHaveLength(1);
    await take(subscription.payment(seconds() + 1_000_000, seconds()));
    expect(await accountOf(tenant)).toMatchObject({
      plan: 'BUSINESS',
      subscription: { status: 'ACTIVE' },
    });
  });

  test('that is paid within the grace time changes nothing', async () => {
    const subscription = cardSubscription(tenant.accountId);
    await take(subscription.checkout('BUSINESS', seconds()));
    await take(subscription.failure(seconds() + 60));
    pass(3);
    await take(subscription.payment(seconds() + 1_000_000, seconds()));
    pass(10);
    await expireSubscriptions();
    expect(await accountOf(tenant)).toMatchObject({ plan: 'BUSINESS' });
  });
});

describe('a month paid with cryptocurrency', () => {
  const pay = async () => {
    const order_id = await insertInvoice(tenant);
    const body = {
      track_id: newRef('track'),
      order_id,
      status: 'Paid',
      amount: 5,
      currency: 'USD',
    };
    expect((await sendCrypto(service, body)).text).toBe('ok');
  };

  test('ends with its last day', async () => {
    await pay();
    pass(29.9);
    await expireSubscriptions();
    expect(await accountOf(tenant)).toMatchObject({ plan: 'PREMIUM' });
    pass(0.2);
    await expireSubscriptions();
    expect(await accountOf(tenant)).toMatchObject({
      plan: 'FREE',
      subscription: { plan: 'FREE', status: 'EXPIRED' },
    });
    await pay();
    const { plan, subscription } = await accountOf(tenant);
    expect(plan).toBe('PREMIUM');
    expect(subscription.currentPeriodEnd).toBe(new Date(now.getTime() + 30 * dayMs).toISOString());
  });

  test('sends one reminder three days before its end', async () => {
    const email = `${newRef('owner')}@example.com`;
    await setContact(tenant, { email });
    await pay();
    pass(26.9);
    await expireSubscriptions();
    pass(0.2);
    for (let hour = 0; hour < 3; hour++) await expireSubscriptions();
    const [text = '', ...others] = await mailsTo(email, 1);
    expect(others).toEqual([]);
    expect(text).toContain('Subject: Your PREMIUM plan ends on ');
    await pay();
    pass(30);
    for (let hour = 0; hour < 3; hour++) await expireSubscriptions();
    expect(await mailsTo(email, 2)).toHaveLength(2);
  });
});

test('an unpaid invoice is deleted a week after it expired', async () => {
  await insertInvoice(tenant, { expiresAt: new Date(now.getTime() + 1000) });
  pass(6.9);
  await expireSubscriptions();
  expect(await actionsOf()).not.toContain('invoice.remove');
  pass(0.2);
  await expireSubscriptions();
  expect((await actionsOf())[0]).toBe('invoice.remove');
});
