import { afterAll, beforeAll, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { expectExactStorage, type OwnedGuild } from '../../../../test/harness/backups/fixture.ts';
import { expectSoundLedger } from '../../../../test/harness/billing/ledger.ts';
import {
  deliverNow,
  deliveryDependencies,
  ownRun,
} from '../../../../test/harness/marketplace/deliver.ts';
import { credit, orderOf, transactionsOf } from '../../../../test/harness/marketplace/fixture.ts';
import {
  createTemplateFixture,
  type TemplateFixture,
} from '../../../../test/harness/marketplace/templates.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import { sharedSimulator } from '../../../../test/harness/simulator/start.ts';
import { createMortalWorker, mortalStore } from '../../../../test/harness/workers/mortal-worker.ts';
import { openBlobStore } from '../../../integrations/blobs/open-store.ts';
import { createSealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { runDelivery } from './deliver-order.ts';

let service: TestService;
let fixture: TemplateFixture;
beforeAll(async () => {
  service = await startTestService({ doesWork: ['backups.run'] });
  fixture = createTemplateFixture(service, await sharedSimulator());
});
afterAll(() => service.stop());

const deliverUntilDeath = async (orderId: string, deathAt: number): Promise<boolean> => {
  const { db, around, died, close } = createMortalWorker(service.databaseUrl, deathAt);
  const store = mortalStore(openBlobStore({ dataDir: service.dataDir }), around);
  const blobs = createSealedBlobs(store, service.ring);
  const dependencies = { ...deliveryDependencies(service), db, blobs };
  const delivering = runDelivery(dependencies, orderId, ownRun()).then(() => 'done' as const);
  const end = await Promise.race([delivering.catch(() => died), died]);
  if (end === 'done') await close();
  return end === 'dead';
};

const countsOf = (actions: string[]) => {
  const counts: Record<string, number> = {};
  for (const action of actions) counts[action] = (counts[action] ?? 0) + 1;
  return counts;
};

const expectOneDelivery = async (buyer: OwnedGuild, orderId: string): Promise<void> => {
  expect((await orderOf(buyer.tenant, orderId)).status).toBe('COMPLETED');
  const delivered = await fixture.delivered(buyer);
  expect(delivered).toMatchObject([{ status: 'completed', kind: 'MARKETPLACE' }]);
  await expectExactStorage(fixture.backups, buyer);
  const actions = (await auditOf(buyer.tenant)).data.map(
    ({ action }: { action: string }) => action,
  );
  expect(countsOf(actions)).toMatchObject({
    ...{ 'order.create': 1, 'order.pay': 1, 'order.deliver': 1, 'order.complete': 1 },
    ...{ 'backup.create': 1, 'backup.complete': 1 },
  });
};

const postedTypesOf = async (orderId: string): Promise<string[]> => {
  const rows: { type: string }[] = await service.db.$client`
    select type from ledger_transactions where reference = ${orderId}`;
  return rows.map(({ type }) => type).toSorted();
};

test('a worker that dies at any step of a delivery leaves one delivery and one credit', async () => {
  const { listingId } = await fixture.newTemplate(1000);
  let deaths = 0;
  for (let deathAt = 1; ; deathAt++) {
    const tenant: OwnTenant = await service.newTenant();
    await credit(tenant, 1000);
    const buyer = { ...(await fixture.backups.newServer(undefined, tenant)), tenant };
    const { id } = (await fixture.order(buyer, listingId)).body.data;
    const isDead = await deliverUntilDeath(id, deathAt);
    if (isDead) {
      deaths++;
      await deliverNow(service, id);
    }
    await expectOneDelivery(buyer, id);
    expect(await postedTypesOf(id)).toEqual(['FEE', 'PURCHASE', 'SALE']);
    if (!isDead) break;
    if (deathAt > 400) throw new Error('The delivery never completed');
  }
  expect(deaths).toBeGreaterThan(30);
  await expectSoundLedger(service.db);
}, 300_000);

test('two workers on one order deliver it once', async () => {
  const { seller, listingId } = await fixture.newTemplate(1000);
  const tenant = await service.newTenant();
  await credit(tenant, 1000);
  const buyer = { ...(await fixture.backups.newServer(undefined, tenant)), tenant };
  const { id } = (await fixture.order(buyer, listingId)).body.data;
  await Promise.all([deliverNow(service, id), deliverNow(service, id), deliverNow(service, id)]);
  await expectOneDelivery(buyer, id);
  expect(await transactionsOf(seller)).toEqual(['SALE 1000', 'FEE -50']);
});
