import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/audit-entries.ts';
import { expectExactStorage } from '../../../../test/backup-scene.ts';
import { eventually } from '../../../../test/eventually.ts';
import { deliverNow, fulfilToolsOf, ownRun } from '../../../../test/fulfil-by-hand.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
  unhurriedPlans,
} from '../../../../test/harness.ts';
import { expectSoundLedger } from '../../../../test/ledger-check.ts';
import { balanceOf, credit, movesOf, orderOf } from '../../../../test/market-scene.ts';
import { sharedSimulator } from '../../../../test/simulator.ts';
import { createTemplateScene, type TemplateScene } from '../../../../test/template-scene.ts';
import { setPlan } from '../../accounts/queries.ts';
import { refundOrder } from '../orders/refund-order.ts';
import { beginDelivery } from './begin-delivery.ts';
import { completeDelivery } from './end-delivery.ts';

const plans = {
  ...unhurriedPlans,
  FREE: { ...unhurriedPlans.FREE, maxStorageBytes: 3000, maxBackups: 2 },
};

let service: TestService;
let scene: TemplateScene;
beforeAll(async () => {
  service = await startTestService({
    plans,
    doesWork: ['backups.run', 'backups.free', 'marketplace.fulfil', 'servers.purge'],
  });
  scene = createTemplateScene(service, await sharedSimulator());
}, 30_000);
afterAll(() => service.stop());

const newBuyer = async (cents: number, plan?: 'FREE') => {
  const tenant = await service.newTenant(plan ? { plan } : {});
  await credit(tenant, cents);
  return { ...(await scene.backups.newServer(undefined, tenant)), tenant };
};

const actionsOf = async (tenant: OwnTenant, orderId: string): Promise<string[]> =>
  (await auditOf(tenant)).data
    .filter(({ subject }: { subject: { id: string } }) => subject.id === orderId)
    .map(({ action }: { action: string }) => action)
    .toReversed();

describe('a template that is paid for', () => {
  test('is delivered by itself, as a backup of the server that was named', async () => {
    const { seller, listingId } = await scene.newTemplate(1000);
    const buyer = await newBuyer(1500);
    const placed = (await scene.order(buyer, listingId)).body.data;
    expect(placed).toMatchObject({ status: 'PAID', serverId: buyer.serverId });
    const order = await scene.ended(buyer.tenant, placed.id);
    expect(order).toMatchObject({
      status: 'COMPLETED',
      fulfillment: { status: 'completed', progress: 100, delivered: 1, total: 1 },
    });
    expect(order.completedAt).not.toBeNull();
    const [backup, ...others] = await scene.delivered(buyer);
    expect(others).toEqual([]);
    expect(backup).toMatchObject({
      ...{ name: 'A figurehead', kind: 'MARKETPLACE', status: 'completed', progress: 100 },
      ...{ components: ['settings', 'roles', 'channels', 'emojis'], suspicious: false },
    });
    expect(backup.counts).toMatchObject({ bans: 0, members: 0, messages: 0, stickers: 0 });
    expect(backup.counts.channels).toBeGreaterThan(0);
    expect(backup.checksum).toMatch(/^[0-9a-f]{64}$/);
    await expectExactStorage(scene.backups, buyer);
    expect(await movesOf(seller)).toEqual(['SALE 1000', 'FEE -50']);
    expect(await balanceOf(buyer.tenant)).toBe(500);
    const steps = ['order.pay', 'order.deliver', 'order.complete'];
    expect(await actionsOf(buyer.tenant, order.id)).toEqual(['order.create', ...steps]);
    await expectSoundLedger(service.db);
  });

  test('a second time takes no more of the buyer’s storage', async () => {
    const { listingId } = await scene.newTemplate(0);
    const buyer = await newBuyer(0);
    for (const _ of [1, 2]) {
      const { id } = (await scene.order(buyer, listingId)).body.data;
      await scene.ended(buyer.tenant, id);
    }
    const [second, first] = await scene.delivered(buyer);
    expect(first.storedBytes).toBeGreaterThan(0);
    expect([second.storedBytes, second.sizeBytes]).toEqual([0, first.sizeBytes]);
  });

  test('does not make the server’s next backup look suspicious', async () => {
    const { listingId } = await scene.newTemplate(0);
    const tiny = { channels: [], roles: [] };
    const tenant = await service.newTenant();
    const buyer = await scene.backups.newServer(tiny, tenant);
    await scene.ended(tenant, (await scene.order(buyer, listingId)).body.data.id);
    const { status, suspicious } = await scene.backups.takeBackup(buyer);
    expect([status, suspicious]).toEqual(['completed', false]);
  });

  test('is not delivered by hand', async () => {
    const { seller, listingId } = await scene.newTemplate(0);
    const buyer = await newBuyer(0);
    const { id } = (await scene.order(buyer, listingId)).body.data;
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
    const order = await scene.ended(buyer.tenant, orderId);
    expect(order).toMatchObject({ status: 'FAILED', fulfillment: { status: 'failed' } });
    expect(await movesOf(buyer.tenant)).toEqual([
      'ADJUSTMENT 1000',
      'PURCHASE -1000',
      'REFUND 1000',
    ]);
    await expectSoundLedger(service.db);
  };

  test('since the storage is full is paid back, and the reason told', async () => {
    const { seller, listingId } = await scene.newTemplate(1000);
    const buyer = await newBuyer(1000, 'FREE');
    const { id } = (await scene.order(buyer, listingId)).body.data;
    await expectMoneyBack(buyer, id);
    const [backup] = await scene.delivered(buyer);
    expect(backup).toMatchObject({ status: 'failed' });
    expect(backup.error).toContain("The plan's storage is used up");
    await eventually(10_000, async () => {
      const { objects, countedBytes } = await scene.backups.storageOf(buyer);
      expect([objects, countedBytes]).toEqual([0, 0]);
    });
    expect(await movesOf(seller)).toEqual([]);
    const [entry] = (await auditOf(seller)).data;
    expect(entry).toMatchObject({ action: 'order.fail', changes: { returnedCents: 1000 } });
  });
});

describe('what happens before it is delivered', () => {
  let idle: TestService;
  let market: TemplateScene;
  beforeAll(async () => {
    idle = await startTestService({ plans, doesWork: ['backups.run', 'servers.purge'] });
    market = createTemplateScene(idle, await sharedSimulator());
  }, 30_000);
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

  test('a refund by the operator gives the money back, and nothing is delivered', async () => {
    const { seller, buyer, id } = await paidOrder();
    expect((await refund(id))?.status).toBe('REFUNDED');
    await deliverNow(idle, id, plans);
    expect(await market.delivered(buyer)).toEqual([]);
    expect((await orderOf(buyer.tenant, id)).status).toBe('REFUNDED');
    expect([await balanceOf(buyer.tenant), await balanceOf(seller)]).toEqual([1000, 0]);
    expect(await refund(id)).toBeUndefined();
  });

  test('a refund in the middle of it leaves no backup behind', async () => {
    const { buyer, id } = await paidOrder();
    const tools = fulfilToolsOf(idle, plans);
    const delivery = await beginDelivery(tools, id, ownRun());
    expect((await orderOf(buyer.tenant, id)).status).toBe('FULFILLING');
    await refund(id);
    if (!delivery) throw new Error('Nothing was begun');
    await completeDelivery(tools, delivery, ownRun());
    expect(await market.delivered(buyer)).toMatchObject([
      { status: 'failed', error: 'The order is REFUNDED' },
    ]);
    expect(await movesOf(buyer.tenant)).toContain('REFUND 1000');
  });

  test('a server that is deleted ends the order, and the money comes back', async () => {
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

  test('a backup that is deleted while it comes ends the order as well', async () => {
    const { buyer, id } = await paidOrder();
    const tools = fulfilToolsOf(idle, plans);
    const delivery = await beginDelivery(tools, id, ownRun());
    await market.backups.delete(buyer, delivery?.backupId ?? '');
    await deliverNow(idle, id, plans);
    expect((await orderOf(buyer.tenant, id)).status).toBe('FAILED');
    expect(await balanceOf(buyer.tenant)).toBe(1000);
  });

  test('a plan that has no room for it any more ends the order, and the list says why', async () => {
    const { buyer, id } = await paidOrder();
    await idle.db.transaction((tx) => setPlan(tx, buyer.tenant.accountId, 'FREE'));
    const none = { ...plans, FREE: { ...plans.FREE, maxBackups: 0 } };
    await deliverNow(idle, id, none);
    expect((await orderOf(buyer.tenant, id)).status).toBe('FAILED');
    const [backup] = await market.delivered(buyer);
    expect(backup).toMatchObject({ status: 'failed', error: expect.stringContaining('(0)') });
  });

  test('an object of the seller’s that is spoilt ends the order', async () => {
    const { seller, buyer, id } = await paidOrder();
    for await (const one of idle.blobs.list(seller.accountId)) await idle.blobs.delete(one);
    await deliverNow(idle, id, plans);
    expect((await orderOf(buyer.tenant, id)).status).toBe('FAILED');
    expect(await balanceOf(buyer.tenant)).toBe(1000);
  });
});
