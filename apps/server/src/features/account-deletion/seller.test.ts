import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { eventually } from '../../../test/harness/eventually.ts';
import { createListing, orderOf, placeOrder } from '../../../test/harness/marketplace/fixture.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** Waits until so many statements wait for a lock in this service's database. */
const untilWaiting = (count: number) =>
  eventually(3000, async () => {
    const [row] = await service.db.$client`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    expect(row.waiting).toBeGreaterThanOrEqual(count);
  });

test('no order is placed with a seller whose account is deleted meanwhile', async () => {
  const [seller, buyer] = [await service.newTenant(), await service.newTenant()];
  const listing = await createListing(seller);
  const { placed, removed } = await service.db.transaction(async (tx) => {
    // An order that is paid later locks the buyer's row after it has read the listing.
    await tx.execute(sql`select id from accounts where id = ${buyer.accountId} for share`);
    const placed = placeOrder(buyer, listing.id);
    await untilWaiting(1);
    const confirm = `user-${seller.platformId}`;
    const removed = seller.call('DELETE', '/api/v1/account', { body: { confirm } });
    // The deletion is done at once, or waits for the order.
    await Promise.race([removed, untilWaiting(2)]);
    return { placed, removed };
  });
  expect((await removed).status).toBe(200);
  const order = await placed;
  if (order.status === 409) return;
  expect(order.status).toBe(201);
  expect((await orderOf(buyer, order.body.data.id)).status).toBe('CANCELLED');
});
