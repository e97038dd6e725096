import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { expectExactStorage } from '../../../../test/harness/backups/fixture.ts';
import { expectSoundLedger } from '../../../../test/harness/billing/ledger.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  deliverNow,
  deliveryDependencies,
  ownRun,
} from '../../../../test/harness/marketplace/deliver.ts';
import {
  balanceOf,
  credit,
  orderOf,
  transactionsOf,
} from '../../../../test/harness/marketplace/fixture.ts';
import {
  createTemplateFixture,
  type TemplateFixture,
} from '../../../../test/harness/marketplace/templates.ts';
import {
  type OwnTenant,
  plansWithoutRateLimit,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import { sharedSimulator } from '../../../../test/harness/simulator/start.ts';
import { setPlan } from '../../accounts/queries.ts';
import { refundOrder } from '../orders/settle.ts';
import { beginDelivery } from './begin-delivery.ts';
import { completeDelivery } from './end-delivery.ts';

const plans = {
  ...plansWithoutRateLimit,
  FREE: { ...plansWithoutRateLimit.FREE, maxStorageBytes: 3000, maxBackups: 2 },
};

let service: TestService;
let fixture: TemplateFixture;
beforeAll(async () => {
  service = await startTestService({
    plans,
    doesWork: ['backups.run', 'backups.release', 'marketplace.deliver', 'servers.purge'],
  });
  fixture = createTemplateFixture(service, await sharedSimulator());
});
afterAll(() => service.stop());

const newBuyer = async (cents: number, plan?: 'FREE') => {
  const tenant = await service.newTenant(plan ? { plan } : {});
  await credit(tenant, cents);
  return { ...(await fixture.backups.newServer(undefined, tenant)), tenant };
};

const actionsOf = async (tenant: OwnTenant, orderId: string): Promise<string[]> =>
  (await auditOf(tenant)).data
    .filter(({ subject }: { subject: { id: string } }) => subject.id === orderId)
    .map(({ action }: { action: string }) => action)
    .toReversed();

describe('a paid template', () => {
  test('is delivered automatically, as a backup of the named server', async () => {
    const { seller, listingId } = await fixture.newTemplate(1000);
    const buyer = await newBuyer(1500);
    const placed = (await fixture.order(buyer, listingId)).body.data;
    expect(placed).toMatchObject({ status: 'PAID', serverId: buyer.serverId });
    const order = await fixture.ended(buyer.tenant, placed.id);
    expect(order).toMatchObject({
      status: 'COMPLETED',
      fulfillment: { status: 'completed', progress: 100, delivered: 1, total: 1 },
    });
    expect(order.completedAt).not.toBeNull();
    const [backup, ...others] = await fixture.delivered(buyer);
    expect(others).toEqual([]);
    expect(backup).toMatchObject({
      ...{ name: 'A figurehead', kind: 'MARKETPLACE', status: 'completed', progress: 100 },
      ...{ components: ['settings', 'roles', 'channels', 'emojis'], suspicious: false },
    });
    expect(backup.counts).toMatchObject({ bans: 0, members: 0, messages: 0, stickers: 0 });
    expect(backup.counts.channels).toBeGreaterThan(0);
    expect(backup.checksum).toMatch(/^[0-9a-f]{64}$/);
    await expectExactStorage(fixture.backups, buyer);
    expect(await transactionsOf(seller)).toEqual(['SALE 1000', 'FEE -50']);
    expect(await balanceOf(buyer.tenant)).toBe(500);
    const steps = ['order.pay', 'order.deliver', 'order.complete'];
    expect(await actionsOf(buyer.tenant, order.id)).toEqual(['order.create', ...steps]);
    await expectSoundLedger(service.db);
  });

  test('a second time takes no more of the buyer’s storage', async () => {
    const { listingId } = await fixture.newTemplate(0);
    const buyer = await newBuyer(0);
    for (const _ of [1, 2]) {
      const { id } = (await fixture.order(buyer, listingId)).body.data;
      await fixture.ended(buyer.tenant, id);
    }
    const [second, first] = await fixture.delivered(buyer);
    expect(first.storedBytes).toBeGreaterThan(0);
    expect([second.storedBytes, second.sizeBytes]).toEqual([0, first.sizeBytes]);
  });

  test('does not make the server’s next backup look suspicious', async () => {
    const { listingId } = await fixture.newTemplate(0);
    const tiny = { channels: [], roles: [] };
    const tenant = await service.newTenant();
    const buyer = await fixture.backups.newServer(tiny, tenant);
    await fixture.ended(tenant, (await fixture.order(buyer, listingId)).body.data.id);
    const { status, suspicious } = await fixture.backups.takeBackup(buyer);
    expect([status, suspicious]).toEqual(['completed', false]);
  });

  test('is not delivered by hand', async () => {
    const { seller, listingId } = await fixture.newTemplate(0);
    const buyer = await newBuyer(0);
    const { id } = (await fixture.order(buyer, listingId)).body.data;
    for (const [who, act, body] of [
      [seller, 'deliver', { delivered: 1 }],
      [buyer.tenant, 'confirm', undefined],
    ] as const) {
      const path = `/api/v1/marketplace/orders/${id}/${act}`;
      expect((await who.call('POST', path, body ? { body } : {})).status).toBe(409);
    }
  });
});

describe('a template that cannot be delivered', () => {
  const expectMoneyBack = async (buyer: Awaited<ReturnType<typeof newBuyer>>, orderId: string) => {
    const order = await fixture.ended(buyer.tenant, orderId);
    expect(order).toMatchObject({ status: 'FAILED', fulfillment: { status: 'failed' } });
    expect(await transactionsOf(buyer.tenant)).toEqual([
      'ADJUSTMENT 1000',
      'PURCHASE -1000',
      'REFUND 1000',
    ]);
    await expectSoundLedger(service.db);
  };

  test('because the storage is full is refunded, with the reason', async () => {
    const { seller, listingId } = await fixture.newTemplate(1000);
    const buyer = await newBuyer(1000, 'FREE');
    const { id } = (await fixture.order(buyer, listingId)).body.data;
    await expectMoneyBack(buyer, id);
    const [backup] = await fixture.delivered(buyer);
    expect(backup).toMatchObject({ status: 'failed' });
    expect(backup.error).toContain("The plan's storage is used up");
    expect((await buyer.tenant.call('GET', '/api/v1/alerts')).body.data).toMatchObject([
      { kind: 'BACKUP_FAILED', serverId: buyer.serverId, detail: `${backup.error}.` },
    ]);
    await eventually(10_000, async () => {
      const { objects, countedBytes } = await fixture.backups.storageOf(buyer);
      expect([objects, countedBytes]).toEqual([0, 0]);
    });
    expect(await transactionsOf(seller)).toEqual([]);
    const [entry] = (await auditOf(seller)).data;
    expect(entry).toMatchObject({ action: 'order.fail', changes: { returnedCents: 1000 } });
  });
});

describe('before it is delivered', () => {
  let idle: TestService;
  let market: TemplateFixture;
  beforeAll(async () => {
    idle = await startTestService({ plans, doesWork: ['backups.run', 'servers.purge'] });
    market = createTemplateFixture(idle, await sharedSimulator());
  });
  afterAll(async () => {
    await expectSoundLedger(idle.db);
    await idle.stop();
  });

  const paidOrder = async () => {
    const { seller, listingId } = await market.newTemplate(1000);
    const tenant = await idle.newTenant();
    await credit(tenant, 1000);
    const buyer = { ...(await market.backups.newServer(undefined, tenant)), tenant };
    const { id } = (await market.order(buyer, listingId)).body.data;
    return { seller, buyer, id: String(id) };
  };

  const operator = { type: 'SYSTEM', id: null } as const;
  const refund = (orderId: string) =>
    idle.db.transaction((tx) => refundOrder(tx, orderId, operator));

  test('a refund by the operator returns the money, and nothing is delivered', async () => {
    const { seller, buyer, id } = await paidOrder();
    expect((await refund(id))?.status).toBe('REFUNDED');
    await deliverNow(idle, id, plans);
    expect(await market.delivered(buyer)).toEqual([]);
    expect((await orderOf(buyer.tenant, id)).status).toBe('REFUNDED');
    expect([await balanceOf(buyer.tenant), await balanceOf(seller)]).toEqual([1000, 0]);
    expect(await refund(id)).toBeUndefined();
  });

  test('a refund during the delivery leaves no backup', async () => {
    const { buyer, id } = await paidOrder();
    const dependencies = deliveryDependencies(idle, plans);
    const delivery = await beginDelivery(dependencies, id, ownRun());
    expect((await orderOf(buyer.tenant, id)).status).toBe('FULFILLING');
    await refund(id);
    if (!delivery) throw new Error('Nothing was begun');
    await completeDelivery(dependencies, delivery, ownRun());
    expect(await market.delivered(buyer)).toMatchObject([
      { status: 'failed', error: 'The order is REFUNDED' },
    ]);
    expect(await transactionsOf(buyer.tenant)).toContain('REFUND 1000');
  });

  test('deleting the server ends the order, and the money is returned', async () => {
    const { buyer, id } = await paidOrder();
    await buyer.tenant.call('DELETE', `/api/v1/servers/${buyer.serverId}`);
    await deliverNow(idle, id, plans);
    expect((await orderOf(buyer.tenant, id)).status).toBe('FAILED');
    expect(await balanceOf(buyer.tenant)).toBe(1000);
    expect((await auditOf(buyer.tenant)).data[0]).toMatchObject({
      action: 'order.fail',
      changes: { error: 'The server that it was ordered for is gone' },
    });
  });

  test('deleting the backup during the delivery ends the order', async () => {
    const { buyer, id } = await paidOrder();
    const dependencies = deliveryDependencies(idle, plans);
    const delivery = await beginDelivery(dependencies, id, ownRun());
    await market.backups.delete(buyer, delivery?.backupId ?? '');
    await deliverNow(idle, id, plans);
    expect((await orderOf(buyer.tenant, id)).status).toBe('FAILED');
    expect(await balanceOf(buyer.tenant)).toBe(1000);
  });

  test('a smaller plan ends the order, and the list of backups shows the reason', async () => {
    const { buyer, id } = await paidOrder();
    await idle.db.transaction((tx) => setPlan(tx, buyer.tenant.accountId, 'FREE'));
    const none = { ...plans, FREE: { ...plans.FREE, maxBackups: 0 } };
    await deliverNow(idle, id, none);
    expect((await orderOf(buyer.tenant, id)).status).toBe('FAILED');
    const [backup] = await market.delivered(buyer);
    expect(backup).toMatchObject({ status: 'failed', error: expect.stringContaining('(0)') });
  });

  test('a corrupt object of the seller ends the order', async () => {
    const { seller, buyer, id } = await paidOrder();
    for await (const one of idle.blobs.list(seller.accountId)) await idle.blobs.delete(one);
    await deliverNow(idle, id, plans);
    expect((await orderOf(buyer.tenant, id)).status).toBe('FAILED');
    expect(await balanceOf(buyer.tenant)).toBe(1000);
  });
});
