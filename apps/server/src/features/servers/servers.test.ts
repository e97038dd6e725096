import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import {
  createBot,
  createServer,
  fillServer,
  moveToPlan,
  ownerOf,
} from '../../../test/harness/bots-and-servers.ts';
import {
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../test/harness/service.ts';
import { servers } from './table.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const path = '/api/v1/servers';
const create = (tenant: Tenant, body: object) => tenant.call('POST', path, { body });
const read = (tenant: Tenant, id: string) => tenant.call('GET', `${path}/${id}`);
const statusesOf = (replies: { status: number }[]) => replies.map(({ status }) => status).sort();

const newServerBody = (customBotId: string, changes: object = {}) => ({
  platformGuildId: randomPlatformId(),
  customBotId,
  name: 'Harbour',
  ...changes,
});

describe('a new server', () => {
  test('is answered with the whole record of the list', async () => {
    const tenant = await service.newTenant();
    const body = newServerBody(await createBot(tenant), { name: 'Häfen ⚓', logChannelId: '42' });
    const created = await create(tenant, { ...body, memberCount: 9, createdAt: 'x', plan: 'x' });
    expect(created.status).toBe(201);
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
    expect(created.body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/),
      platformGuildId: body.platformGuildId,
      name: 'Häfen ⚓',
      icon: expect.stringMatching(/^https?:\/\//),
      memberCount: expect.any(Number),
      verifiedRoleId: null,
      logChannelId: '42',
      captchaType: 'POW',
      vpnBlockEnabled: false,
      altDetectEnabled: false,
      firewallEnabled: false,
      antiNukeEnabled: false,
      antiRaidEnabled: false,
      health: 'UNKNOWN',
      healthReasons: [
        { code: 'NOT_CONNECTED', detail: expect.any(String) },
        { code: 'NO_GOOD_BACKUP', detail: expect.any(String) },
      ],
      lastGoodBackupId: null,
      createdAt: expect.stringMatching(time),
      updatedAt: expect.stringMatching(time),
    });
    const listed = await tenant.call('GET', path);
    expect(listed.body).toEqual({
      data: [created.body.data],
      pagination: { page: 1, limit: 20, total: 1, totalPages: 1 },
    });
  });

  test.each([
    ['platformGuildId', undefined],
    ['customBotId', undefined],
    ['name', undefined],
    ['platformGuildId', 175928847299117],
    ['customBotId', 'bot'],
    ['name', ' '],
    ['verifiedRoleId', 42],
    ['logChannelId', 'general'],
  ])('whose %s is %p is refused on that field', async (field, value) => {
    const tenant = await service.newTenant();
    const reply = await create(tenant, newServerBody(await createBot(tenant), { [field]: value }));
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
  });

  test('is refused first for the bot, then for the plan, then as a duplicate', async () => {
    const stranger = await service.newTenant();
    const { owner, id } = await ownerOf(service, 'FREE');
    const { platformGuildId, customBotId } = (await read(owner, id)).body.data;
    const foreign = await create(owner, newServerBody(await createBot(stranger)));
    const unknown = await create(owner, newServerBody(crypto.randomUUID()));
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(foreign.text).toBe(unknown.text);
    const duplicate = newServerBody(customBotId, { platformGuildId });
    expect((await create(owner, duplicate)).status).toBe(403);
    expect((await create(await moveToPlan(service, owner, 'PREMIUM'), duplicate)).status).toBe(409);
    const other = newServerBody(await createBot(stranger), { platformGuildId });
    expect((await create(stranger, other)).status).toBe(201);
  });

  test('uses the last slot of the plan once, however many requests come at once', async () => {
    const tenant = await service.newTenant({ plan: 'PREMIUM' });
    for (let made = 0; made < 4; made++) await createServer(tenant);
    const customBotId = (await tenant.call('GET', '/api/v1/bots')).body.data[0].id;
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => create(tenant, newServerBody(customBotId))),
    );
    expect(statusesOf(replies)).toEqual([201, ...Array(9).fill(403)]);
    expect((await tenant.call('GET', path)).body.pagination.total).toBe(5);
  });

  test('of one guild is made once, however many ask at once', async () => {
    const tenant = await service.newTenant();
    const body = newServerBody(await createBot(tenant));
    const replies = await Promise.all(Array.from({ length: 10 }, () => create(tenant, body)));
    expect(statusesOf(replies)).toEqual([201, ...Array(9).fill(409)]);
  });
});

describe('the list', () => {
  test('is paged newest first, and in a fixed order where times are equal', async () => {
    const { owner } = await ownerOf(service);
    for (let made = 1; made < 7; made++) await createServer(owner);
    const ofOwner = eq(servers.accountId, owner.accountId);
    await service.db
      .update(servers)
      .set({ createdAt: new Date(1e12) })
      .where(ofOwner);
    const newest = await createServer(owner);
    const rows = await service.db.select({ id: servers.id }).from(servers).where(ofOwner);
    const sameTime = rows.map(({ id }) => id).filter((id) => id !== newest);
    const expected = [newest, ...sameTime.sort().reverse()];

    for (const [page, from] of [
      [1, 0],
      [2, 3],
      [3, 6],
      [4, 9],
      [9_007_199_254_740_991, 9],
    ] as const) {
      const reply = await owner.call('GET', `${path}?page=${page}&limit=3`);
      const ids = reply.body.data.map(({ id }: { id: string }) => id);
      expect(ids).toEqual(expected.slice(from, from + 3));
      expect(reply.body.pagination).toEqual({ page, limit: 3, total: 8, totalPages: 3 });
    }
  });

  test('of an account without servers is empty', async () => {
    const reply = await (await service.newTenant()).call('GET', path);
    const pagination = { page: 1, limit: 20, total: 0, totalPages: 0 };
    expect(reply.body).toEqual({ data: [], pagination });
  });

  test.each([
    ...['page=0', 'page=-1', 'page=1.5', 'page=x', 'page=', 'page=1&page=1', 'page=01'],
    ...['limit=0', 'limit=101', 'limit=abc', 'limit=5&limit=6', 'limit=%201'],
  ])('asked for with %s is refused on that parameter', async (query) => {
    const reply = await (await service.newTenant()).call('GET', `${path}?${query}`);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([query.split('=')[0] ?? '']);
  });
});

test('a server is read with its settings and what it holds', async () => {
  const { owner, id } = await ownerOf(service);
  const listed = (await owner.call('GET', path)).body.data[0];
  const [bot] = (await owner.call('GET', '/api/v1/bots')).body.data;
  await fillServer(service, owner, id, 30);
  await fillServer(service, owner, await createServer(owner), 5);
  expect((await read(owner, id)).body.data).toEqual({
    ...listed,
    customBotId: bot.id,
    minAccountAgeDays: 0,
    backupSchedule: null,
    retention: { daily: 7, weekly: 4, monthly: 3 },
    restoreRolesOnRejoin: true,
    _count: {
      members: 30,
      pullableMembers: 10,
      backups: 0,
      firewallRules: 1,
      whitelistRules: 2,
      pulls: 0,
    },
  });
});

test('a server of another account is as absent as one that never was', async () => {
  const [{ owner, id }, stranger] = [await ownerOf(service), await service.newTenant()];
  for (const [method, options] of [
    ['GET'],
    ['PUT', { body: { name: 'x' } }],
    ['DELETE'],
  ] as const) {
    const there = await stranger.call(method, `${path}/${id}`, options);
    const nowhere = await stranger.call(method, `${path}/${crypto.randomUUID()}`, options);
    expect([there.status, nowhere.status]).toEqual([404, 404]);
    expect(there.text).toBe(nowhere.text);
  }
  expect((await read(owner, id)).body.data.name).toBe('Harbour');
});
