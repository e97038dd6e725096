import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cardEvent, cardSubscription, newRef, sendCard } from '../../../test/billing-scene.ts';
import { type OwnTenant, startTestService, type TestService } from '../../../test/harness.ts';
import { balanceOf, credit } from '../../../test/market-scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
}, 30_000);
afterAll(() => service.stop());

const refundedCents = 100;

/** Somebody whose refund waits for it to be known that it is theirs. */
const awaitRefund = async (tenant: OwnTenant) => {
  const subscription = cardSubscription(tenant.accountId);
  await sendCard(
    service,
    cardEvent('charge.refunded', {
      ...{ id: newRef('ch'), customer: subscription.customer },
      ...{ amount_refunded: refundedCents, currency: 'usd' },
    }),
  );
  return subscription;
};

const rounds = 15;

/** Both move the balance and write into the audit chain: in the same order, or they would wait in a circle. */
test('a customer becomes known while the same person asks for payouts, and neither fails', async () => {
  const tenant = await service.newTenant();
  await credit(tenant, rounds * 2);
  for (let round = 0; round < rounds; round++) {
    const subscription = await awaitRefund(tenant);
    const askForPayout = () =>
      tenant.call('POST', '/api/v1/marketplace/payouts', { body: { amountCents: 1 } });
    const replies = await Promise.all([
      askForPayout(),
      sendCard(service, subscription.checkout('PREMIUM')),
      askForPayout(),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([201, 200, 201]);
  }
  expect(await balanceOf(tenant)).toBe(rounds * refundedCents);
}, 60_000);
