import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { findInvoiceOf } from '../../../../test/harness/billing/customer.ts';
import {
  accountOf,
  cardEvent,
  cardSubscription,
  eventsOf,
  insertInvoice,
  newRef,
  nowSeconds,
  type RawCardEvent,
  sendCard,
} from '../../../../test/harness/billing/events.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';

let service: TestService;
let tenant: OwnTenant;
beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  tenant = await service.newTenant({ plan: 'FREE' });
});
afterAll(() => service.stop());

const take = async (...events: RawCardEvent[]) => {
  for (const event of events) expect((await sendCard(service, event)).status).toBe(200);
};
const outcomes = async (): Promise<string[]> =>
  (await eventsOf(tenant)).map(({ outcome }: { outcome: string }) => outcome).toReversed();
const planOf = async () => {
  const { plan, subscription } = await accountOf(tenant);
  return [plan, subscription.status];
};

describe('a plan whose checkout is paid by a delayed method', () => {
  const begin = () => {
    const subscription = cardSubscription(tenant.accountId);
    const at = nowSeconds();
    return {
      delayed: subscription.checkout('PREMIUM', at, {
        payment_status: 'unpaid',
      }),
      // The provider calls it active before the money is there.
      active: subscription.update('PREMIUM', at + 1),
      changed: subscription.update('BUSINESS', at + 2),
      arrived: subscription.ended('succeeded', 'PREMIUM', at + 60, at),
      bounced: subscription.ended('failed', 'PREMIUM', at + 60, at),
      renewed: subscription.payment(1_900_000_000, at + 61),
      deleted: subscription.deletion(at + 62),
    };
  };

  test('is given when the payment arrives, and not before', async () => {
    const { delayed, active, arrived } = begin();
    await take(delayed, active);
    expect(await planOf()).toEqual(['FREE', 'INCOMPLETE']);
    await take(arrived, arrived);
    expect(await planOf()).toEqual(['PREMIUM', 'ACTIVE']);
    expect(await outcomes()).toEqual(['APPLIED', 'APPLIED', 'APPLIED']);
  });

  test.each([
    ['arrived', 'delayed', 'active'],
    ['active', 'arrived', 'delayed'],
    ['renewed', 'active', 'delayed'],
    ['delayed', 'renewed', 'active'],
  ] as const)('is given after %s, %s and %s', async (first, second, third) => {
    const events = begin();
    await take(events[first], events[second], events[third]);
    expect(await planOf()).toEqual(['PREMIUM', 'ACTIVE']);
  });

  test('stays what it was changed to before the payment arrived', async () => {
    const { delayed, changed, arrived } = begin();
    await take(delayed, changed, arrived);
    expect(await planOf()).toEqual(['BUSINESS', 'ACTIVE']);
  });

  test('is given if both are reported in one second, in either order', async () => {
    const { delayed, arrived } = begin();
    await take({ ...arrived, created: delayed.created }, delayed);
    expect(await planOf()).toEqual(['PREMIUM', 'ACTIVE']);
  });

  test('is not given when the payment fails, and ends with the subscription', async () => {
    const { delayed, active, bounced, deleted } = begin();
    await take(delayed, active, bounced);
    expect(await planOf()).toEqual(['FREE', 'INCOMPLETE']);
    await take(deleted);
    expect(await planOf()).toEqual(['FREE', 'CANCELLED']);
  });
});

describe('an invoice that is paid in a separate checkout by a delayed method', () => {
  const begin = async () => {
    const invoiceId = await insertInvoice(tenant, { payWith: 'CARD' });
    const session = { id: newRef('cs'), mode: 'payment', metadata: { invoiceId } };
    const tell = (event: string, payment_status: string) =>
      cardEvent(`checkout.session.${event}`, {
        ...{ ...session, payment_status, amount_total: 500, currency: 'usd' },
      });
    return {
      delayed: tell('completed', 'unpaid'),
      arrived: tell('async_payment_succeeded', 'paid'),
      bounced: tell('async_payment_failed', 'unpaid'),
    };
  };

  test('gives its plan when the payment arrives', async () => {
    const { delayed, arrived } = await begin();
    await take(delayed);
    const { expiresAt } = (await findInvoiceOf(tenant)) ?? {};
    expect(expiresAt?.getTime()).toBeGreaterThan(Date.now() + 50 * 86_400_000);
    expect(await planOf()).toEqual(['FREE', 'ACTIVE']);
    await take(arrived, arrived, delayed);
    expect(await planOf()).toEqual(['PREMIUM', 'ACTIVE']);
    const actions = (await auditOf(tenant)).data.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(['invoice.pay', 'plan.change', 'invoice.await_payment', 'key.create']);
  });

  test('is removed when the payment fails', async () => {
    const { delayed, bounced } = await begin();
    await take(delayed, bounced);
    expect(await findInvoiceOf(tenant)).toBeUndefined();
    expect(await planOf()).toEqual(['FREE', 'ACTIVE']);
  });
});
