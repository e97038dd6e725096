import { afterAll, beforeAll, expect, test } from 'bun:test';
import { raiseAlert } from '../src/features/alerts/deliver/raise-alert.ts';
import { cardSubscription, sendCard } from './harness/billing/events.ts';
import { createServer } from './harness/bots-and-servers.ts';
import { eventually } from './harness/eventually.ts';
import { startTestService, type Tenant, type TestService } from './harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ doesWork: ['backups.run'] });
});
afterAll(() => service.stop());

/** What open pages of the account are told while `work` is done, besides that its key was used. */
const toldDuring = async (owner: Tenant, work: () => Promise<unknown>): Promise<string[]> => {
  const before = service.changes.length;
  await work();
  return service.changes
    .slice(before)
    .filter(({ accountId, topic }) => accountId === owner.accountId && topic !== 'keys')
    .map(({ topic }) => topic);
};

test('pages are told of a backup when it begins, goes on and ends', async () => {
  const owner = await service.newTenant();
  const id = await createServer(owner);
  const path = `/api/v1/servers/${id}/backups`;
  const backupId = (await owner.call('POST', path)).body.data.id;
  const told = await toldDuring(owner, () =>
    eventually(20_000, async () => {
      const { status } = (await owner.call('GET', `${path}/${backupId}`)).body.data;
      expect(status).toBe('completed');
    }),
  );
  expect(told).toContain(`backups:${id}`);
  expect(told).toContain('audit');
});

test('pages are told of what a payment provider changes', async () => {
  const owner = await service.newTenant({ plan: 'FREE' });
  const event = cardSubscription(owner.accountId).checkout('PREMIUM');
  const told = await toldDuring(owner, () => sendCard(service, event));
  expect(told).toContain('account');
  expect(told).toContain('billing');
});

test('both sides of an order are told of it', async () => {
  const [seller, buyer] = [await service.newTenant(), await service.newTenant()];
  const body = { title: 'A figurehead', description: 'Oak', priceCents: 0, currency: 'USD' };
  const listing = await seller.call('POST', '/api/v1/marketplace/listings', {
    body: { ...body, category: 'DESIGN' },
  });
  const listingId = listing.body.data.id;
  const before = service.changes.length;
  const reply = await buyer.call('POST', '/api/v1/marketplace/orders', { body: { listingId } });
  expect(reply.status).toBe(201);
  const told = service.changes.slice(before);
  for (const { accountId } of [seller, buyer]) {
    expect(told).toContainEqual({ accountId, topic: 'orders' });
  }
});

test('pages are told of alerts that are raised for them, read, and chosen anew', async () => {
  const owner = await service.newTenant();
  const facts = { botName: 'Gatekeeper', refused: 'TOKEN' } as const;
  const alert = { accountId: owner.accountId, serverId: null, kind: 'BOT_REFUSED', facts } as const;
  const raise = () => service.db.transaction((tx) => raiseAlert(tx, service, alert));
  const choose = (dashboard: boolean) => () =>
    owner.call('PUT', '/api/v1/alerts/settings', {
      body: { BOT_REFUSED: { email: false, channel: false, dashboard } },
    });
  expect(await toldDuring(owner, choose(true))).toContain('alerts');
  expect(await toldDuring(owner, raise)).toEqual(['alerts']);
  const [raised] = (await owner.call('GET', '/api/v1/alerts')).body.data;
  const read = () => owner.call('POST', '/api/v1/alerts/read', { body: { upTo: raised.id } });
  expect(await toldDuring(owner, read)).toEqual(['alerts']);
  expect(await toldDuring(owner, read)).toEqual([]);
  await choose(false)();
  expect(await toldDuring(owner, raise)).toEqual([]);
});

test('nobody is told of a change that was refused', async () => {
  const owner = await service.newTenant();
  const path = `/api/v1/servers/${await createServer(owner)}/firewall`;
  const rule = { body: { type: 'ASN', value: '64500' } };
  expect((await owner.call('POST', path, rule)).status).toBe(201);
  const told = await toldDuring(owner, async () => {
    expect((await owner.call('POST', path, rule)).status).toBe(409);
  });
  expect(told).toEqual([]);
});
