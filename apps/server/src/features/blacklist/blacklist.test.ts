import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import {
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const path = '/api/v1/blacklist';
const add = (tenant: Tenant, serverId: string, body: object) =>
  tenant.call('POST', `/api/v1/servers/${serverId}/blacklist`, { body });
const remove = (tenant: Tenant, entryId: string) =>
  tenant.call('DELETE', `${path}?entryId=${entryId}`);
const statusesOf = (replies: { status: number }[]) => replies.map(({ status }) => status).sort();

const newOwner = async (plan?: 'FREE') => {
  const owner = await service.newTenant({ plan });
  return { owner, serverId: await createServer(owner) };
};

describe('a blacklist entry', () => {
  test('is answered, listed and audited, in every plan', async () => {
    const { owner, serverId } = await newOwner('FREE');
    const platformId = randomPlatformId();
    const created = await add(owner, serverId, { platformId, reason: 'spam 🚫', accountId: 'x' });
    expect(created.status).toBe(201);
    expect(created.body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/),
      platformId,
      reason: 'spam 🚫',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect((await owner.call('GET', path)).body).toEqual({
      data: [created.body.data],
      pagination: { page: 1, limit: 20, total: 1, totalPages: 1 },
    });
    const [entry] = (await owner.call('GET', '/api/v1/audit')).body.data;
    expect(entry).toMatchObject({
      action: 'blacklist.create',
      subject: { type: 'blacklistEntry', id: created.body.data.id },
      changes: { platformId, reason: 'spam 🚫' },
    });
  });

  test.each([[undefined], [null]])('without a reason (%p) has none', async (reason) => {
    const { owner, serverId } = await newOwner();
    const created = await add(owner, serverId, { platformId: randomPlatformId(), reason });
    expect(created.status).toBe(201);
    expect(created.body.data.reason).toBeNull();
  });

  test('has a reason of up to 500 characters', async () => {
    const { owner, serverId } = await newOwner();
    const reason = '🚫'.repeat(500);
    const created = await add(owner, serverId, { platformId: randomPlatformId(), reason });
    expect(created.body.data.reason).toBe(reason);
  });

  test.each([
    ['platformId', undefined],
    ['platformId', 175928847299117],
    ['platformId', ''],
    ['platformId', '18446744073709551616'],
    ['platformId', 'someone'],
    ['reason', '🚫'.repeat(501)],
    ['reason', 7],
  ])('whose %s is %p is refused on that field', async (field, value) => {
    const { owner, serverId } = await newOwner();
    const body = { platformId: randomPlatformId(), [field]: value };
    const reply = await add(owner, serverId, body);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
  });

  test('belongs to the account: once for all its servers, and kept when one is deleted', async () => {
    const { owner, serverId } = await newOwner();
    const otherServerId = await createServer(owner);
    const stranger = await newOwner();
    const platformId = randomPlatformId();
    const created = await add(owner, serverId, { platformId });
    expect((await add(owner, serverId, { platformId })).status).toBe(409);
    expect((await add(owner, otherServerId, { platformId, reason: 'again' })).status).toBe(409);
    expect((await add(stranger.owner, stranger.serverId, { platformId })).status).toBe(201);
    await owner.call('DELETE', `/api/v1/servers/${serverId}`);
    expect((await owner.call('GET', path)).body.data).toEqual([created.body.data]);
  });

  test('of 042 is the one of 42', async () => {
    const { owner, serverId } = await newOwner();
    const created = await add(owner, serverId, { platformId: '042' });
    expect(created.status).toBe(201);
    expect(created.body.data.platformId).toBe('42');
    expect((await add(owner, serverId, { platformId: '42' })).status).toBe(409);
  });

  test('is created once by many requests at once', async () => {
    const { owner, serverId } = await newOwner();
    const body = { platformId: randomPlatformId() };
    const replies = await Promise.all(Array.from({ length: 20 }, () => add(owner, serverId, body)));
    expect(statusesOf(replies)).toEqual([201, ...Array(19).fill(409)]);
  });

  test('cannot be created through a server of another account, or none', async () => {
    const [{ owner }, foreign] = [await newOwner(), await newOwner()];
    const body = { platformId: randomPlatformId() };
    const there = await add(owner, foreign.serverId, body);
    const nowhere = await add(owner, crypto.randomUUID(), body);
    expect([there.status, nowhere.status]).toEqual([404, 404]);
    expect(there.text).toBe(nowhere.text);
    for (const tenant of [owner, foreign.owner]) {
      expect((await tenant.call('GET', path)).body.pagination.total).toBe(0);
    }
  });
});

test('the list is paged newest first, of the caller only', async () => {
  const { owner, serverId } = await newOwner();
  const stranger = await newOwner();
  await add(stranger.owner, stranger.serverId, { platformId: '1' });
  const made: string[] = [];
  for (let count = 0; count < 5; count++) {
    const created = await add(owner, serverId, { platformId: randomPlatformId() });
    made.unshift(created.body.data.id);
  }
  for (const page of [1, 2, 3, 4, 9_007_199_254_740_991]) {
    const reply = await owner.call('GET', `${path}?page=${page}&limit=2`);
    const ids = reply.body.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(made.slice((page - 1) * 2, page * 2));
    expect(reply.body.pagination).toEqual({ page, limit: 2, total: 5, totalPages: 3 });
  }
  for (const query of ['page=0', 'limit=101', 'limit=1&limit=1']) {
    expect((await owner.call('GET', `${path}?${query}`)).status).toBe(400);
  }
});

describe('a removal', () => {
  test('is answered and audited, and the person can be blacklisted again', async () => {
    const { owner, serverId } = await newOwner();
    const platformId = randomPlatformId();
    const { id } = (await add(owner, serverId, { platformId })).body.data;
    const removed = await remove(owner, id);
    expect(removed.status).toBe(200);
    expect(removed.body).toEqual({ data: { id, deleted: true } });
    const [entry] = (await owner.call('GET', '/api/v1/audit')).body.data;
    const subject = { type: 'blacklistEntry', id };
    expect(entry).toMatchObject({ action: 'blacklist.delete', subject, changes: { platformId } });
    expect((await owner.call('GET', path)).body.data).toEqual([]);
    expect((await remove(owner, id)).status).toBe(404);
    expect((await add(owner, serverId, { platformId })).status).toBe(201);
  });

  test('succeeds once of many requests at once', async () => {
    const { owner, serverId } = await newOwner();
    const { id } = (await add(owner, serverId, { platformId: randomPlatformId() })).body.data;
    const replies = await Promise.all(Array.from({ length: 10 }, () => remove(owner, id)));
    expect(statusesOf(replies)).toEqual([200, ...Array(9).fill(404)]);
  });

  test.each(['', '?entryId=', '?entryId=x', `?entryId=${crypto.randomUUID()}x`])(
    'that asks %p is refused on entryId',
    async (query) => {
      const { owner } = await newOwner();
      const reply = await owner.call('DELETE', path + query);
      expect(reply.status).toBe(400);
      expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['entryId']);
    },
  );

  test('of another account’s entry finds nothing, as for one that never existed', async () => {
    const { owner, serverId } = await newOwner();
    const stranger = await service.newTenant();
    const { id } = (await add(owner, serverId, { platformId: randomPlatformId() })).body.data;
    const foreign = await remove(stranger, id);
    const unknown = await remove(stranger, crypto.randomUUID());
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(foreign.text).toBe(unknown.text);
    expect((await owner.call('GET', path)).body.pagination.total).toBe(1);
  });
});

test('members are marked as the list is in the end, however fast entries were added and deleted', async () => {
  const { owner, serverId } = await newOwner();
  const platformId = randomPlatformId();
  const { $client: client } = service.db;
  await client`
    insert into members (id, account_id, server_id, platform_id, username, search_text)
    values (${crypto.randomUUID()}, ${owner.accountId}, ${serverId}, ${platformId}, 'm', 'm')`;
  const comeAndGo = async () => {
    const created = await add(owner, serverId, { platformId });
    if (created.status === 201) await remove(owner, created.body.data.id);
  };
  for (let round = 0; round < 4; round++) {
    const adding = add(owner, serverId, { platformId });
    await Promise.all([comeAndGo(), adding, comeAndGo(), comeAndGo()]);
    const listed = (await owner.call('GET', path)).body.pagination.total;
    const [member] = await client`select blacklisted from members where server_id = ${serverId}`;
    expect(member.blacklisted).toBe(listed === 1);
  }
});
