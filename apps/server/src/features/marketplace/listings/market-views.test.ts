import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import { createListing, credit, placeOrder } from '../../../../test/harness/marketplace/fixture.ts';
import {
  createTemplateFixture,
  type TemplateFixture,
} from '../../../../test/harness/marketplace/templates.ts';
import {
  plansWithoutRateLimit,
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';
import { sharedSimulator, type TestSimulator } from '../../../../test/harness/simulator/start.ts';

let service: TestService;
let simulator: TestSimulator;
let fixture: TemplateFixture;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService({ plans: plansWithoutRateLimit, doesWork: ['backups.run'] });
  fixture = createTemplateFixture(service, simulator);
});
afterAll(() => service.stop());

const ask = async (tenant: Tenant, path: string) =>
  (await openDashboard(service, tenant)).call('GET', `/marketplace${path}`);

const change = (tenant: Tenant, id: string, body: object) =>
  tenant.call('PUT', `/api/v1/marketplace/listings/${id}`, { body });

describe('a listing', () => {
  test('is shown to everybody while it is published, and to its seller always', async () => {
    const [seller, other] = [await service.newTenant(), await service.newTenant()];
    const listing = await createListing(seller);
    const shown = await ask(other, `/listings/${listing.id}`);
    expect([shown.status, shown.body.data]).toEqual([200, { ...listing, published: true }]);
    await change(seller, listing.id, { published: false });
    expect((await ask(other, `/listings/${listing.id}`)).status).toBe(404);
    expect((await ask(seller, `/listings/${listing.id}`)).body.data.published).toBe(false);
    expect((await ask(other, `/listings/${crypto.randomUUID()}`)).status).toBe(404);
    expect((await ask(other, '/listings/x')).status).toBe(400);
  });
});

describe('the contents of a template', () => {
  const person = randomPlatformId();
  const guildOf = (guildId: string) => {
    const [crew, bridge, cabin, deck] = Array.from({ length: 4 }, randomPlatformId);
    return {
      guild: { name: 'Harbour' },
      members: [{ user: { id: person, username: 'jonah' }, nick: 'jonah', roles: [crew] }],
      roles: [
        { id: guildId, name: '@everyone', permissions: '1024' },
        { id: crew, name: 'Crew', position: 1, permissions: '8' },
      ],
      channels: [
        { id: bridge, type: 4, name: 'Bridge', position: 0 },
        {
          ...{ id: cabin, type: 0, name: 'cabin', position: 1, parent_id: bridge },
          topic: `Ask <@${person}> or jonah`,
          permission_overwrites: [{ id: person, type: 1, allow: '1024', deny: '0' }],
        },
        { id: deck, type: 2, name: 'Deck', position: 5 },
      ],
    };
  };

  const newTemplate = async () => {
    const server = await fixture.backups.newServer();
    await simulator.control('PUT', `/guilds/${server.guildId}`, guildOf(server.guildId));
    const { id: backupId } = await fixture.backups.takeBackup(server);
    const listing = await createListing(server.tenant, { category: 'TEMPLATE', backupId });
    return { ...server, id: String(listing.id) };
  };

  test('are the names of its channels and roles, and nothing else', async () => {
    const { id } = await newTemplate();
    const reply = await ask(await service.newTenant(), `/listings/${id}/contents`);
    expect(reply.status).toBe(200);
    expect(reply.body.data).toEqual({
      roles: [{ name: 'Crew' }, { name: '@everyone' }],
      channels: [
        { type: 'VOICE', name: 'Deck', children: [] },
        { type: 'CATEGORY', name: 'Bridge', children: [{ type: 'TEXT', name: 'cabin' }] },
      ],
    });
    for (const secret of [person, 'jonah']) expect(reply.text).not.toContain(secret);
  });

  test('are not shown of an unpublished template, or of what is none', async () => {
    const { id, tenant } = await newTemplate();
    const buyer = await service.newTenant();
    await change(tenant, id, { published: false });
    expect((await ask(buyer, `/listings/${id}/contents`)).status).toBe(404);
    expect((await ask(tenant, `/listings/${id}/contents`)).status).toBe(200);
    const design = await createListing(tenant);
    const reply = await ask(buyer, `/listings/${design.id}/contents`);
    expect([reply.status, reply.body]).toEqual([404, { error: 'Template not found' }]);
  });

  test('that cannot be read are refused', async () => {
    const { id } = await newTemplate();
    const [manifest] = await service.db.$client`
      select blobs.id, hash, blobs.account_id from templates
        join blobs on hash = manifest and blobs.account_id = templates.account_id
      where listing_id = ${id}`;
    const folder = join(service.dataDir, 'blobs', manifest.account_id, manifest.hash.slice(0, 2));
    await truncate(join(folder, `${manifest.hash}.${manifest.id}`), 10);
    const reply = await ask(await service.newTenant(), `/listings/${id}/contents`);
    expect([reply.status, reply.body]).toEqual([
      409,
      { error: 'This template cannot be read right now' },
    ]);
  });
});

describe('a seller', () => {
  test('is shown with their published listings and sales, and nothing private', async () => {
    const [seller, buyer] = [await service.newTenant(), await service.newTenant()];
    const first = await createListing(seller, { priceCents: 10 });
    const hidden = await createListing(seller, { published: false });
    const last = await createListing(seller);
    await credit(buyer, 10);
    const paid = { payWith: 'BALANCE' };
    const { id } = (await placeOrder(buyer, first.id, paid)).body.data;
    const act = (tenant: Tenant, name: string, body?: object) =>
      tenant.call('POST', `/api/v1/marketplace/orders/${id}/${name}`, body ? { body } : {});
    await act(seller, 'deliver', { delivered: 1 });
    await act(buyer, 'confirm');
    const reply = await ask(buyer, `/sellers/${seller.accountId}`);
    expect([reply.status, reply.body.data]).toEqual([
      200,
      {
        ...first.seller,
        ...{ listings: 2, completedOrders: 1, sellingSince: first.createdAt },
      },
    ]);
    const { body } = await ask(buyer, `/sellers/${seller.accountId}/listings?limit=1`);
    expect(body.data).toEqual([last]);
    expect(body.pagination).toMatchObject({ total: 2, totalPages: 2 });
    const all = await ask(seller, `/sellers/${seller.accountId}/listings`);
    expect(all.text).not.toContain(hidden.id);
  });

  test('who has nothing for sale is not shown to others', async () => {
    const [seller, other] = [await service.newTenant(), await service.newTenant()];
    const status = async (tenant: Tenant, more = '') =>
      (await ask(tenant, `/sellers/${seller.accountId}${more}`)).status;
    expect(await status(other)).toBe(404);
    const { id } = await createListing(seller, { published: false });
    expect([await status(other), await status(other, '/listings')]).toEqual([404, 404]);
    expect([await status(seller), await status(seller, '/listings')]).toEqual([200, 200]);
    await change(seller, id, { published: true });
    expect(await status(other)).toBe(200);
    await seller.call('DELETE', '/api/v1/account', {
      body: { confirm: (await seller.call('GET', '/api/v1/account')).body.data.username },
    });
    expect(await status(other)).toBe(404);
  });
});
