import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import {
  cardSubscription,
  eventsOf,
  ledgerOf,
  newRef,
  nowSeconds,
  sendCard,
} from '../../../../test/harness/billing/events.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import { violatedConstraint } from '../../../db/failures.ts';
import { type LedgerTransaction, post } from './post.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const t = nowSeconds() - 1000;

const amountsOf = async (tenant: OwnTenant): Promise<number[]> =>
  (await ledgerOf(tenant)).map(({ amountCents }: { amountCents: number }) => amountCents);

describe('a refund', () => {
  test('of 300, then of 500 in total, each reported twice, credits 500', async () => {
    const tenant = await service.newTenant();
    const subscription = cardSubscription(tenant.accountId);
    await sendCard(service, subscription.checkout('PREMIUM', t));
    const charge = newRef('ch');
    const events = [
      subscription.refund(charge, 300, t + 1),
      subscription.refund(charge, 500, t + 2),
    ];
    for (const event of [...events, ...events]) await sendCard(service, event);
    // The provider makes another event of the same total, too.
    await sendCard(service, subscription.refund(charge, 500, t + 3));
    const ledger = await ledgerOf(tenant);
    expect(ledger).toEqual([
      {
        ...{
          id: expect.any(String),
          type: 'REFUND',
          amountCents: 200,
          pot: 'CREDIT',
          balanceCents: 500,
        },
        ...{ currency: 'USD', reference: charge, clearsAt: null, createdAt: expect.any(String) },
      },
      expect.objectContaining({ amountCents: 300, balanceCents: 300 }),
    ]);
    const outcomes = (await eventsOf(tenant)).map(({ outcome }: { outcome: string }) => outcome);
    expect(outcomes).toEqual(['IGNORED', 'APPLIED', 'APPLIED', 'APPLIED']);
    const refunds = (await auditOf(tenant)).data.filter(
      ({ action }: { action: string }) => action === 'ledger.refund',
    );
    expect(refunds).toMatchObject([
      { changes: { amountCents: 200, balanceCents: 500, events: [events[1]?.id] } },
      { changes: { amountCents: 300, balanceCents: 300, events: [events[0]?.id] } },
    ]);
  });

  test('reported in the wrong order credits the same amount', async () => {
    const tenant = await service.newTenant();
    const subscription = cardSubscription(tenant.accountId);
    await sendCard(service, subscription.checkout('PREMIUM', t));
    const charge = newRef('ch');
    await sendCard(service, subscription.refund(charge, 500, t + 2));
    await sendCard(service, subscription.refund(charge, 300, t + 1));
    expect(await amountsOf(tenant)).toEqual([500]);
  });

  test('reported before its account is known waits for the checkout', async () => {
    const tenant = await service.newTenant();
    const subscription = cardSubscription(tenant.accountId);
    const charge = newRef('ch');
    await sendCard(service, subscription.refund(charge, 300, t + 1));
    await sendCard(service, subscription.refund(charge, 500, t + 2));
    expect(await amountsOf(tenant)).toEqual([]);
    await sendCard(service, subscription.checkout('PREMIUM', t));
    expect(await amountsOf(tenant)).toEqual([500]);
    await sendCard(service, subscription.refund(charge, 650, t + 3));
    expect(await amountsOf(tenant)).toEqual([150, 500]);
  });

  test('of twenty charges, all reported at once, credits each', async () => {
    const tenant = await service.newTenant();
    const subscription = cardSubscription(tenant.accountId);
    await sendCard(service, subscription.checkout('PREMIUM', t));
    const charges = Array.from({ length: 20 }, () => newRef('ch'));
    const events = charges.flatMap((charge) =>
      [100, 250, 250].map((cents) => subscription.refund(charge, cents)),
    );
    const replies = await Promise.all(events.map((event) => sendCard(service, event)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    const ledger: { amountCents: number; balanceCents: number }[] = await ledgerOf(tenant);
    expect(ledger[0]?.balanceCents).toBe(5000);
    // Newest first, each balance is the one below plus its own amount.
    for (const [at, { amountCents, balanceCents }] of ledger.entries()) {
      expect(balanceCents).toBe((ledger[at + 1]?.balanceCents ?? 0) + amountCents);
    }
  });

  test('is visible to its account only', async () => {
    const other = await service.newTenant();
    expect(await ledgerOf(other)).toEqual([]);
  });
});

describe('the ledger', () => {
  const move = (postings: LedgerTransaction['postings'], onceKey?: string) =>
    service.db.transaction((tx) =>
      post(tx, {
        ...{ type: 'ADJUSTMENT', reference: 'test', currency: 'USD', postings },
        ...(onceKey && { onceKey }),
      }),
    );

  test('refuses postings that do not add up to zero', async () => {
    const { accountId } = await service.newTenant();
    const refused = await move([
      { accountId, pot: 'EARNED', amountCents: 500 },
      { account: 'platform:fees', amountCents: -499 },
    ]).catch((error) => error);
    expect(violatedConstraint(refused)).toBe('ledger_adds_up');
  });

  test('posts a transaction with a once key only once, however many try', async () => {
    const tenant = await service.newTenant();
    const other = await service.newTenant();
    const name = newRef('once');
    const postings = [
      { accountId: tenant.accountId, pot: 'EARNED' as const, amountCents: -700 },
      { accountId: other.accountId, pot: 'EARNED' as const, amountCents: 650 },
      { account: 'platform:fees' as const, amountCents: 50 },
    ];
    const tried = await Promise.all(Array.from({ length: 10 }, () => move(postings, name)));
    expect(tried.filter((posted) => posted !== undefined)).toHaveLength(1);
    expect(await amountsOf(tenant)).toEqual([-700]);
    expect(await amountsOf(other)).toEqual([650]);
  });

  test('keeps balances correct while two accounts pay each other at once', async () => {
    const [one, other] = [await service.newTenant(), await service.newTenant()];
    const pay = (from: OwnTenant, to: OwnTenant) =>
      move([
        { accountId: from.accountId, pot: 'EARNED', amountCents: -1 },
        { accountId: to.accountId, pot: 'EARNED', amountCents: 1 },
      ]);
    await Promise.all(
      Array.from({ length: 40 }, (_, at) => (at % 2 ? pay(one, other) : pay(other, one))),
    );
    expect((await ledgerOf(one))[0].balanceCents).toBe(0);
    expect((await ledgerOf(other))[0].balanceCents).toBe(0);
  });
});
