import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { PlanName } from '@holdfast/contract';
import { eq } from 'drizzle-orm';
import {
  createBot,
  createServer,
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../test/harness.ts';
import { users } from '../users/table.ts';
import { servers } from './table.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ doesWork: true });
}, 30_000);
afterAll(() => service.stop());

const path = '/api/v1/servers';
const create = (tenant: Tenant, body: object) => tenant.call('POST', path, { body });
const read = (tenant: Tenant, id: string) => tenant.call('GET', `${path}/${id}`);
const update = (tenant: Tenant, id: string, body: object) =>
  tenant.call('PUT', `${path}/${id}`, { body });
const remove = (tenant: Tenant, id: string) => tenant.call('DELETE', `${path}/${id}`);
const statusesOf = (replies: { status: number }[]) => replies.map(({ status }) => status).sort();

const newServerBody = (customBotId: string, changes: object = {}) => ({
  platformGuildId: randomPlatformId(),
  customBotId,
  name: 'Harbour',
  ...changes,
});

/** An account on `plan` with one server, and a key that feels the plan at once. */
const ownerOf = async (plan: PlanName = 'ENTERPRISE') => {
  const owner = await service.newTenant({ plan });
  return { owner, id: await createServer(owner) };
};

const movedToPlan = async (tenant: Tenant, plan: PlanName): Promise<Tenant> => {
  await service.db.update(users).set({ plan }).where(eq(users.id, tenant.userId));
  return service.newKey(tenant, ['*']);
};

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
      memberCount: 0,
      verifiedRoleId: null,
      logChannelId: '42',
      captchaType: 'POW',
      vpnBlockEnabled: false,
      altDetectEnabled: false,
      firewallEnabled: false,
      antiNukeEnabled: false,
      antiRaidEnabled: false,
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
    const { owner, id } = await ownerOf('FREE');
    const { platformGuildId, customBotId } = (await read(owner, id)).body.data;
    const foreign = await create(owner, newServerBody(await createBot(stranger)));
    const unknown = await create(owner, newServerBody(crypto.randomUUID()));
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(foreign.text).toBe(unknown.text);
    const duplicate = newServerBody(customBotId, { platformGuildId });
    expect((await create(owner, duplicate)).status).toBe(403);
    expect((await create(await movedToPlan(owner, 'PREMIUM'), duplicate)).status).toBe(409);
    const other = newServerBody(await createBot(stranger), { platformGuildId });
    expect((await create(stranger, other)).status).toBe(201);
  });

  test('takes the last slot of the plan once, however many ask at once', async () => {
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
    const { owner } = await ownerOf();
    for (let made = 1; made < 7; made++) await createServer(owner);
    const ofOwner = eq(servers.userId, owner.userId);
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

/** The account's members and rules on a server, by SQL where no endpoint makes them. */
const fillServer = async (owner: Tenant, id: string, members: number) => {
  await service.db.$client`
    insert into members (id, user_id, server_id, platform_id, username, search_text, token_status,
      consented_at, verified_at)
    select gen_random_uuid(), ${owner.userId}, ${id}, i::text, 'm', 'm', 'VALID',
      case when i % 3 = 0 then now() end, now() - i * interval '1 hour'
    from generate_series(1, ${members}::int) as i`;
  for (const list of ['firewall', 'whitelist', 'whitelist']) {
    const value = String(Math.floor(Math.random() * 1e9));
    await owner.call('POST', `${path}/${id}/${list}`, { body: { type: 'ASN', value } });
  }
};

test('a server is read with its settings and what it holds', async () => {
  const { owner, id } = await ownerOf();
  const listed = (await owner.call('GET', path)).body.data[0];
  const [bot] = (await owner.call('GET', '/api/v1/bots')).body.data;
  await fillServer(owner, id, 30);
  await fillServer(owner, await createServer(owner), 5);
  expect((await read(owner, id)).body.data).toEqual({
    ...listed,
    customBotId: bot.id,
    minAccountAgeDays: 0,
    backupSchedule: null,
    retention: { daily: 7, weekly: 4, monthly: 3 },
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

describe('a change', () => {
  test.each([
    ['name', 'x'],
    ['name', '👍'.repeat(100)],
    ['platformGuildId', randomPlatformId()],
    ['verifiedRoleId', '18446744073709551615'],
    ['logChannelId', '1'],
    ['captchaType', 'NONE'],
    ['captchaType', 'TURNSTILE'],
    ['captchaType', 'HCAPTCHA'],
    ['vpnBlockEnabled', true],
    ['altDetectEnabled', true],
    ['firewallEnabled', true],
    ['antiNukeEnabled', true],
    ['antiRaidEnabled', true],
    ['minAccountAgeDays', 1],
    ['minAccountAgeDays', 365],
    ['backupSchedule', { everyHours: 1 }],
    ['backupSchedule', { everyHours: 168 }],
    ['retention', { daily: 0, weekly: 0, monthly: 0 }],
    ['retention', { daily: 100, weekly: 100, monthly: 100 }],
  ])('of %s to %j is answered, read and audited; what is not writable stays', async (field, to) => {
    const { owner, id } = await ownerOf();
    const before = (await read(owner, id)).body.data;
    const ids = { id: crypto.randomUUID(), userId: crypto.randomUUID() };
    const readOnly = { ...ids, memberCount: 99, createdAt: '2000-01-01T00:00:00Z', plan: 'FREE' };
    const reply = await update(owner, id, { ...readOnly, [field]: to });
    expect(reply.status).toBe(200);
    expect(reply.body.data).toEqual({ ...before, [field]: to, updatedAt: expect.any(String) });
    expect((await read(owner, id)).body.data).toEqual(reply.body.data);
    const [entry] = (await owner.call('GET', '/api/v1/audit')).body.data;
    expect(entry).toMatchObject({ action: 'server.update', subject: { type: 'server', id } });
    expect(entry.changes).toEqual({ [field]: { from: before[field], to } });
  });

  test.each([
    ['name', ''],
    ['captchaType', 'pow'],
    ['captchaType', null],
    ['vpnBlockEnabled', 'true'],
    ['minAccountAgeDays', 366],
    ['minAccountAgeDays', -1],
    ['minAccountAgeDays', 1.5],
    ['minAccountAgeDays', '1'],
    ['backupSchedule', { everyHours: 0 }],
    ['backupSchedule', { everyHours: 169 }],
    ['backupSchedule', { everyHours: 1.5 }],
    ['backupSchedule', {}],
    ['retention', { daily: 101, weekly: 1, monthly: 1 }],
    ['retention', { daily: 1, weekly: -1, monthly: 1 }],
    ['retention', { daily: 1, weekly: 1 }],
    ['retention', null],
    ['platformGuildId', 42],
    ['verifiedRoleId', ''],
    ['customBotId', 'bot'],
  ])('of %s to %j is refused on that field', async (field, value) => {
    const { owner, id } = await ownerOf();
    const reply = await update(owner, id, { [field]: value });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
  });

  test('back to what may be empty empties it', async () => {
    const { owner, id } = await ownerOf();
    const set = { verifiedRoleId: '1', logChannelId: '2', backupSchedule: { everyHours: 6 } };
    const empty = { verifiedRoleId: null, logChannelId: null, backupSchedule: null };
    expect((await update(owner, id, set)).body.data).toMatchObject(set);
    expect((await update(owner, id, empty)).body.data).toMatchObject(empty);
  });

  test('that names no known field is refused', async () => {
    const { owner, id } = await ownerOf();
    for (const body of [{}, { id, createdAt: 'x', userId: id, memberCount: 1, plan: 'FREE' }]) {
      const reply = await update(owner, id, body);
      expect(reply.status).toBe(400);
      expect(reply.body.details.formErrors).toHaveLength(1);
    }
  });

  test('that changes nothing is audited by no entry', async () => {
    const { owner, id } = await ownerOf();
    const auditBefore = (await owner.call('GET', '/api/v1/audit')).body;
    const { data } = (await read(owner, id)).body;
    expect((await update(owner, id, data)).body.data).toEqual(data);
    expect((await owner.call('GET', '/api/v1/audit')).body).toEqual(auditBefore);
  });

  test('to a new guild keeps everything; to the guild of another own server it is refused', async () => {
    const { owner, id } = await ownerOf();
    await fillServer(owner, id, 12);
    const { _count, platformGuildId: left } = (await read(owner, id)).body.data;
    const moved = await update(owner, id, { platformGuildId: randomPlatformId() });
    expect(moved.body.data._count).toEqual(_count);
    expect((await owner.call('GET', `${path}/${id}/members`)).body.pagination.total).toBe(12);
    const { platformGuildId } = moved.body.data;
    const other = await createServer(owner, { platformGuildId: left });
    expect((await update(owner, other, { platformGuildId })).status).toBe(409);
    expect((await read(owner, other)).body.data.platformGuildId).toBe(left);
  });

  test('to another own bot is granted, to a foreign or unknown one it is 404', async () => {
    const { owner, id } = await ownerOf();
    const foreign = await createBot(await service.newTenant());
    const refusals = [foreign, crypto.randomUUID()].map((customBotId) =>
      update(owner, id, { customBotId }),
    );
    expect(statusesOf(await Promise.all(refusals))).toEqual([404, 404]);
    const customBotId = await createBot(owner);
    expect((await update(owner, id, { customBotId })).body.data.customBotId).toBe(customBotId);
  });

  test('that switches on what the plan excludes is refused, also among others', async () => {
    const { owner, id } = await ownerOf('FREE');
    for (const setting of ['altDetectEnabled', 'firewallEnabled']) {
      const refused = await update(owner, id, { name: 'Renamed', [setting]: true });
      expect(refused.status).toBe(403);
      expect(refused.body).toEqual({ error: expect.stringContaining(setting) });
      expect((await update(owner, id, { [setting]: false })).status).toBe(200);
    }
    expect((await read(owner, id)).body.data.name).toBe('Harbour');
    expect((await update(owner, id, { vpnBlockEnabled: true })).status).toBe(200);
  });

  test('is still possible after a downgrade, and what was on can only be switched off', async () => {
    const { owner, id } = await ownerOf('PREMIUM');
    await update(owner, id, { altDetectEnabled: true, firewallEnabled: true });
    const free = await movedToPlan(owner, 'FREE');
    expect((await update(free, id, { name: 'Renamed' })).status).toBe(200);
    expect((await update(free, id, { name: 'Again', firewallEnabled: true })).status).toBe(200);
    expect((await update(free, id, { firewallEnabled: false })).status).toBe(200);
    expect((await update(free, id, { firewallEnabled: true })).status).toBe(403);
  });
});

describe('a deleted server', () => {
  const rowsLeft = async (id: string): Promise<number> => {
    const [left] = await service.db.$client`select
      (select count(*) from servers where id = ${id})
      + (select count(*) from members where server_id = ${id})
      + (select count(*) from member_counts where server_id = ${id})
      + (select count(*) from firewall_rules where server_id = ${id})
      + (select count(*) from whitelist_rules where server_id = ${id}) as total`;
    return Number(left.total);
  };

  const untilPurged = async (id: string) => {
    const deadline = Date.now() + 15_000;
    while ((await rowsLeft(id)) > 0 && Date.now() < deadline) await Bun.sleep(50);
    expect(await rowsLeft(id)).toBe(0);
  };

  test('is gone at once for every reader, and its slot and guild are free', async () => {
    const { owner, id } = await ownerOf('FREE');
    const { platformGuildId } = (await read(owner, id)).body.data;
    await fillServer(owner, id, 10);
    const deleted = await remove(owner, id);
    expect(deleted.status).toBe(200);
    expect(deleted.body).toEqual({ data: { id, deleted: true } });
    const rule = { body: { type: 'ASN', value: '1' } };
    const answers = await Promise.all([
      read(owner, id),
      update(owner, id, { name: 'Back' }),
      remove(owner, id),
      ...['members', 'firewall', 'whitelist'].map((list) =>
        owner.call('GET', `${path}/${id}/${list}`),
      ),
      owner.call('POST', `${path}/${id}/whitelist`, rule),
      owner.call('POST', `${path}/${id}/blacklist`, { body: { platformId: '1' } }),
    ]);
    expect(statusesOf(answers)).toEqual(Array(8).fill(404));
    expect((await owner.call('GET', path)).body.pagination.total).toBe(0);
    expect((await owner.call('GET', '/api/v1/account')).body.data._count.servers).toBe(0);
    const again = await createServer(owner, { platformGuildId });
    expect((await read(owner, again)).body.data._count.members).toBe(0);
  });

  test('is purged with all it held, and no other server is touched', async () => {
    const { owner, id } = await ownerOf();
    const kept = await createServer(owner);
    await fillServer(owner, id, 4100);
    await fillServer(owner, kept, 25);
    const before = (await read(owner, kept)).body.data;
    await remove(owner, id);
    await untilPurged(id);
    expect((await read(owner, kept)).body.data).toEqual(before);
    expect((await owner.call('GET', `${path}/${kept}/members`)).body.pagination.total).toBe(25);
  }, 20_000);

  test('is deleted once, however many ask at once', async () => {
    const { owner, id } = await ownerOf();
    const replies = await Promise.all(Array.from({ length: 8 }, () => remove(owner, id)));
    expect(statusesOf(replies)).toEqual([200, ...Array(7).fill(404)]);
  });

  test('is deleted amid a stream of new rules, and leaves none of them behind', async () => {
    const { owner, id } = await ownerOf();
    let hasAnswer = false;
    const addRulesUntilAnswer = async (list: string, from: number): Promise<number> => {
      for (let value = from; ; value++) {
        const isLast = hasAnswer;
        const body = { type: 'ASN', value: String(value) };
        const { status } = await owner.call('POST', `${path}/${id}/${list}`, { body });
        if (isLast || status !== 201) return status;
      }
    };
    const stream = Array.from({ length: 8 }, (_, i) =>
      addRulesUntilAnswer(i % 2 ? 'firewall' : 'whitelist', i * 1e6),
    );
    await Bun.sleep(50);
    const deletion = await remove(owner, id);
    hasAnswer = true;
    expect(await Promise.all(stream)).toEqual(Array(8).fill(deletion.status === 200 ? 404 : 201));
    expect(deletion.status).toBe(200);
    await untilPurged(id);
  }, 20_000);
});

test('a server of another account is as absent as one that never was', async () => {
  const [{ owner, id }, stranger] = [await ownerOf(), await service.newTenant()];
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
