import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { eventsOf, type RawCardEvent } from '../../../../test/harness/billing/events.ts';
import {
  accountsOf,
  escrowOf,
  expectSoundLedger,
} from '../../../../test/harness/billing/ledger.ts';
import {
  checkoutFor as checkoutOf,
  sendEvents,
} from '../../../../test/harness/marketplace/checkout.ts';
import {
  actOn,
  balanceOf,
  credit,
  orderBetweenNewAccounts,
  orderOf,
  transactionsOf,
} from '../../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';

let service: TestService;
let seller: OwnTenant;
let buyer: OwnTenant;
beforeAll(async () => {
  service = await startTestService();
});
afterEach(() => expectSoundLedger(service.db));
afterAll(() => service.stop());

const newOrder = async (payWith?: string): Promise<string> => {
  const order = await orderBetweenNewAccounts(service, payWith);
  ({ seller, buyer } = order);
  return order.id;
};

const statusOf = async (id: string) => (await orderOf(buyer, id)).status;
const checkoutFor = (orderId: string) => checkoutOf(orderId, buyer);
const send = (...events: RawCardEvent[]) => sendEvents(service, ...events);

const complete = async (id: string) => {
  await actOn(seller, id, 'deliver', { delivered: 2 });
  expect((await actOn(buyer, id, 'confirm')).status).toBe(200);
};

const outcomes = async (): Promise<string[]> =>
  (await eventsOf(buyer)).map(({ outcome }: { outcome: string }) => outcome).toReversed();

describe('a refund at the card provider', () => {
  test('of the full amount ends an order that is not completed', async () => {
    const id = await newOrder();
    const checkout = checkoutFor(id);
    const before = (await accountsOf(service.db)).get('provider:card') ?? 0;
    await send(checkout.paid(), checkout.refunded(2000), checkout.refunded(2000));
    expect(await orderOf(buyer, id)).toMatchObject({
      status: 'REFUNDED',
      fulfillment: { status: 'cancelled' },
    });
    expect([await balanceOf(buyer), await escrowOf(service.db, id)]).toEqual([0, 0]);
    expect((await accountsOf(service.db)).get('provider:card')).toBe(before);
    expect((await actOn(seller, id, 'deliver', { delivered: 1 })).status).toBe(409);
    for (const party of [buyer, seller]) {
      expect((await auditOf(party)).data[0]).toMatchObject({
        action: 'order.refund',
        changes: { amountCents: 2000, status: { from: 'PAID', to: 'REFUNDED' } },
      });
    }
  });

  test('of a part leaves the rest to the seller, with the same percentage as fee', async () => {
    const id = await newOrder();
    const checkout = checkoutFor(id);
    await send(checkout.paid(), checkout.refunded(500));
    await complete(id);
    expect(await transactionsOf(seller)).toEqual(['SALE 1500', 'FEE -150']);
  });

  test('in two parts is a full refund', async () => {
    const id = await newOrder();
    const checkout = checkoutFor(id);
    await send(checkout.paid(), checkout.refunded(500), checkout.refunded(2000));
    expect(await statusOf(id)).toBe('REFUNDED');
  });

  test('that is reported before the payment counts', async () => {
    const id = await newOrder();
    const checkout = checkoutFor(id);
    await send(checkout.refunded(2000));
    expect(await statusOf(id)).toBe('PENDING');
    await send(checkout.paid());
    expect([await statusOf(id), await balanceOf(buyer)]).toEqual(['REFUNDED', 0]);
    const late = await newOrder();
    await actOn(buyer, late, 'cancel');
    const other = checkoutFor(late);
    await send(other.refunded(1500), other.paid());
    expect([await statusOf(late), await balanceOf(buyer)]).toEqual(['CANCELLED', 500]);
  });

  test('is matched by its payment when the charge does not name the order', async () => {
    const id = await newOrder();
    const checkout = checkoutFor(id);
    await send(checkout.paid(), checkout.refunded(2000, { metadata: {} }));
    expect(await statusOf(id)).toBe('REFUNDED');
  });

  test('of money that became credit is taken from the credit, as far as possible', async () => {
    const id = await newOrder();
    const [first, second] = [checkoutFor(id), checkoutFor(id)];
    await send(first.paid(), second.paid(), second.refunded(500));
    expect([await statusOf(id), await balanceOf(buyer)]).toEqual(['PAID', 1500]);
    const plan = { body: { plan: 'PREMIUM', payWith: 'BALANCE' } };
    for (let month = 0; month < 2; month++) {
      expect((await buyer.call('POST', '/api/v1/billing/invoices', plan)).status).toBe(201);
    }
    await send(second.refunded(2000));
    expect(await balanceOf(buyer)).toBe(0);
    expect((await accountsOf(service.db)).get('platform:losses')).toBe(-1000);
  });
});

describe('a refund at the card provider of a completed order', () => {
  const cardAccount = async () => (await accountsOf(service.db)).get('provider:card') ?? 0;

  test('is taken from the seller, who gets the fee back, and never credited to the buyer', async () => {
    const before = await cardAccount();
    const id = await newOrder();
    const checkout = checkoutFor(id);
    await send(checkout.paid());
    await complete(id);
    const event = checkout.refunded(2000);
    await send(event, event, checkout.refunded(2000));
    expect(await statusOf(id)).toBe('COMPLETED');
    expect(await transactionsOf(buyer)).toEqual([]);
    expect(await transactionsOf(seller)).toEqual([
      'SALE 2000',
      'FEE -200',
      'REFUND -2000',
      'FEE 200',
    ]);
    expect(await cardAccount()).toBe(before);
    expect(await outcomes()).toEqual(['APPLIED', 'APPLIED', 'IGNORED']);
    for (const party of [buyer, seller]) {
      expect((await auditOf(party)).data[0]).toMatchObject({
        ...{ action: 'order.refund', subject: { id } },
        changes: { amountCents: 2000, currency: 'USD', events: [event.id] },
      });
    }
  });

  test('leaves the seller with the same amount as a refund before completion', async () => {
    const early = await newOrder();
    const first = checkoutFor(early);
    await send(first.paid(), first.refunded(333), first.refunded(1234));
    await complete(early);
    const kept = await balanceOf(seller);
    const late = await newOrder();
    const second = checkoutFor(late);
    await send(second.paid());
    await complete(late);
    await send(second.refunded(333), second.refunded(1234), second.refunded(333));
    expect([await balanceOf(seller), await balanceOf(buyer)]).toEqual([kept, 0]);
  });

  test('may leave the seller in debt, who then gets no payout until it is repaid', async () => {
    const id = await newOrder();
    const checkout = checkoutFor(id);
    await send(checkout.paid());
    await complete(id);
    const askFor = async (amountCents: number) =>
      (await seller.call('POST', '/api/v1/marketplace/payouts', { body: { amountCents } })).status;
    expect(await askFor(1800)).toBe(201);
    await send(checkout.refunded(2000));
    expect(await balanceOf(seller)).toBe(-1800);
    expect(await askFor(1)).toBe(403);
    await credit(seller, 1801);
    expect([await askFor(2), await askFor(1)]).toEqual([403, 201]);
  });

  test('that was paid twice belongs to the payment that it names', async () => {
    const id = await newOrder();
    const [first, second] = [checkoutFor(id), checkoutFor(id)];
    await send(first.paid());
    await complete(id);
    // The second payment was not reported yet.
    await send(second.refunded(1500));
    expect(await transactionsOf(seller)).toEqual(['SALE 2000', 'FEE -200']);
    await send(second.paid());
    expect([await balanceOf(buyer), await balanceOf(seller)]).toEqual([500, 1800]);
  });

  test('that was paid from the balance changes nothing', async () => {
    const id = await newOrder('BALANCE');
    await complete(id);
    await send(checkoutFor(id).refunded(2000));
    expect([await balanceOf(buyer), await balanceOf(seller)]).toEqual([0, 1800]);
  });
});

describe('a payment of a wrong amount', () => {
  test.each(['before', 'after'])(
    'that is refunded %s it is reported does not touch the order',
    async (when) => {
      const id = await newOrder();
      const wrong = checkoutFor(id);
      const events = [wrong.paid({ amount_total: 1999 }), wrong.refunded(1999)];
      await send(...(when === 'after' ? events : events.toReversed()));
      await send(checkoutFor(id).paid());
      expect([await statusOf(id), await escrowOf(service.db, id)]).toEqual(['PAID', 2000]);
      expect(await transactionsOf(buyer)).toEqual([]);
    },
  );
});
