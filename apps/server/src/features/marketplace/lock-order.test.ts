import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  cardEvent,
  cardSubscription,
  newRef,
  sendCard,
} from '../../../test/harness/billing/events.ts';
import { balanceOf, credit } from '../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const refundedCents = 100;

/** An account with a refund that waits for its customer to become known. */
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

/** Both change the balance and the audit chain. They must lock them in the same order, or they would deadlock. */
test('a customer becomes known while its account requests payouts, and neither fails', async () => {
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
});
