import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { and, eq } from 'drizzle-orm';
import {
  createBot,
  createServer,
  newBotBody,
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../test/harness.ts';
import { entryHash } from './rules.ts';
import { auditEntries } from './table.ts';
import { verifyChain } from './verify-chain.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
}, 30_000);
afterAll(() => service.stop());

type Entry = { id: string; at: string; action: string; prevHash: string; hash: string };

const auditOf = async (tenant: Tenant, query = 'limit=100') => {
  const reply = await tenant.call('GET', `/api/v1/audit?${query}`);
  expect(reply.status).toBe(200);
  return reply.body;
};
const totalOf = async (tenant: Tenant): Promise<number> => (await auditOf(tenant)).pagination.total;

const blacklistSomeone = (tenant: Tenant, serverId: string) =>
  tenant.call('POST', `/api/v1/servers/${serverId}/blacklist`, {
    body: { platformId: randomPlatformId() },
  });

describe('a change', () => {
  test('through any endpoint writes one entry, by the key that asked for it', async () => {
    const tenant = await service.newTenant();
    const rule = { type: 'ASN', value: '64500' };
    const made: Record<string, string> = {};
    const path = (template: string) =>
      `/api/v1${template.replace(/\{(\w+)\}/g, (_, name) => made[name] ?? '')}`;
    const newServer = () => ({
      platformGuildId: randomPlatformId(),
      customBotId: made.bot,
      name: 'Harbour',
    });
    const steps = [
      ['POST', '/bots', newBotBody, 'bot.create', 'bot'],
      ['PUT', '/bots/{bot}', () => ({ name: 'Renamed' }), 'bot.update', 'bot'],
      ['POST', '/servers', newServer, 'server.create', 'server'],
      ['PUT', '/servers/{server}', () => ({ name: 'Renamed' }), 'server.update', 'server'],
      ['POST', '/servers/{server}/firewall', () => rule, 'firewallRule.create', 'firewallRule'],
      [
        'DELETE',
        '/servers/{server}/firewall?ruleId={firewallRule}',
        undefined,
        'firewallRule.delete',
        'firewallRule',
      ],
      ['POST', '/servers/{server}/whitelist', () => rule, 'whitelistRule.create', 'whitelistRule'],
      [
        'DELETE',
        '/servers/{server}/whitelist?ruleId={whitelistRule}',
        undefined,
        'whitelistRule.delete',
        'whitelistRule',
      ],
      [
        'POST',
        '/servers/{server}/blacklist',
        () => ({ platformId: '42' }),
        'blacklist.create',
        'blacklistEntry',
      ],
      [
        'DELETE',
        '/blacklist?entryId={blacklistEntry}',
        undefined,
        'blacklist.delete',
        'blacklistEntry',
      ],
      ['POST', '/keys', () => ({ name: 'ci', scopes: ['*'] }), 'key.create', 'key'],
      ['DELETE', '/keys/{key}', undefined, 'key.revoke', 'key'],
      ['DELETE', '/servers/{server}', undefined, 'server.delete', 'server'],
      ['DELETE', '/bots/{bot}', undefined, 'bot.delete', 'bot'],
    ] as const;

    for (const [method, template, body, action, subject] of steps) {
      const before = await totalOf(tenant);
      const reply = await tenant.call(method, path(template), { body: body?.() });
      expect([action, reply.status]).toEqual([action, method === 'POST' ? 201 : 200]);
      made[subject] = reply.body.data.id;
      const { data, pagination } = await auditOf(tenant);
      expect(pagination.total).toBe(before + 1);
      expect(data[0]).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/),
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        actor: { type: 'KEY', id: tenant.keyId },
        action,
        subject: { type: subject, id: made[subject] },
        changes: expect.any(Object),
        prevHash: data[1].hash,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(Math.abs(Date.parse(data[0].at) - Date.now())).toBeLessThan(10_000);
    }
    expect(await verifyChain(service.db, tenant.userId)).toMatchObject({ intact: true });
  });

  test('of something named in capitals is told of it as it is listed', async () => {
    const tenant = await service.newTenant();
    const id = await createBot(tenant);
    const removed = await tenant.call('DELETE', `/api/v1/bots/${id.toUpperCase()}`);
    expect(removed.body).toEqual({ data: { id, deleted: true } });
    expect((await auditOf(tenant)).data[0].subject.id).toBe(id);
  });

  test('that was refused writes none', async () => {
    const tenant = await service.newTenant({ plan: 'FREE' });
    const serverId = await createServer(tenant);
    const [bot] = (await tenant.call('GET', '/api/v1/bots')).body.data;
    const weak = await service.newKey(tenant, ['servers:read']);
    const before = await auditOf(tenant);
    const server = `/api/v1/servers/${serverId}`;
    const refusals = [
      await tenant.call('POST', '/api/v1/bots', { body: {} }),
      await weak.call('DELETE', server),
      await tenant.call('DELETE', `/api/v1/bots/${crypto.randomUUID()}`),
      await tenant.call('POST', `${server}/firewall`, { body: { type: 'ASN', value: '1' } }),
      await tenant.call('POST', '/api/v1/bots', { body: newBotBody() }),
      await tenant.call('DELETE', `/api/v1/bots/${bot.id}`),
      await tenant.call('PUT', server, { body: { firewallEnabled: true } }),
      await service.call('DELETE', server),
    ];
    const statuses = refusals.map(({ status }) => status);
    expect(statuses).toEqual([400, 403, 404, 403, 403, 409, 403, 401]);
    await tenant.call('GET', server);
    expect(await auditOf(tenant)).toEqual(before);
  });

  test('that is asked for twice with one Idempotency-Key writes one entry', async () => {
    const tenant = await service.newTenant();
    const call = { body: newBotBody(), headers: { 'idempotency-key': 'once' } };
    const before = await totalOf(tenant);
    await tenant.call('POST', '/api/v1/bots', call);
    await tenant.call('POST', '/api/v1/bots', call);
    expect(await totalOf(tenant)).toBe(before + 1);
  });

  test('is told without any secret', async () => {
    const tenant = await service.newTenant();
    const mark = `canary-${crypto.randomUUID()}`;
    const id = await createBot(tenant, { botToken: mark, clientSecret: mark });
    await tenant.call('PUT', `/api/v1/bots/${id}`, { body: { botToken: `${mark}2`, name: 'x' } });
    const keyBody = { name: 'ci', scopes: ['*'] };
    const { key } = (await tenant.call('POST', '/api/v1/keys', { body: keyBody })).body.data;
    await tenant.call('DELETE', `/api/v1/bots/${id}`);
    const told = JSON.stringify(await auditOf(tenant));
    expect(told).not.toContain(mark);
    expect(told).not.toContain(key.slice(9));
    expect(told).not.toContain(new Bun.CryptoHasher('sha256').update(key).digest('hex'));
  });
});

describe('the list', () => {
  test('is paged newest first, and shows no other account', async () => {
    const [tenant, other] = [await service.newTenant(), await service.newTenant()];
    const serverId = await createServer(tenant);
    await createServer(other);
    for (let made = 0; made < 4; made++) await blacklistSomeone(tenant, serverId);
    const { data: all, pagination } = await auditOf(tenant);
    expect(pagination).toEqual({ page: 1, limit: 100, total: 7, totalPages: 1 });
    expect(all.slice(-3).map(({ action }: Entry) => action)).toEqual([
      'server.create',
      'bot.create',
      'key.create',
    ]);
    for (const page of [1, 2, 3, 4, 9_007_199_254_740_991]) {
      const part = await auditOf(tenant, `page=${page}&limit=3`);
      expect(part.data).toEqual(all.slice((page - 1) * 3, page * 3));
      expect(part.pagination).toEqual({ page, limit: 3, total: 7, totalPages: 3 });
    }
    const others = (await auditOf(other)).data.map(({ id }: Entry) => id);
    expect(all.filter(({ id }: Entry) => others.includes(id))).toEqual([]);
  });

  test.each(['page=0', 'limit=0', 'limit=101', 'page=1&page=1'])(
    'asked for with %s is refused',
    async (query) => {
      const tenant = await service.newTenant();
      expect((await tenant.call('GET', `/api/v1/audit?${query}`)).status).toBe(400);
    },
  );
});

describe('the chain', () => {
  /** An account with seven entries, all of them true. */
  const chainedTenant = async () => {
    const tenant = await service.newTenant();
    const serverId = await createServer(tenant);
    for (let made = 0; made < 4; made++) await blacklistSomeone(tenant, serverId);
    expect(await verifyChain(service.db, tenant.userId)).toEqual({ entries: 7, intact: true });
    return tenant;
  };
  const entryOf = (userId: string, seq: number) =>
    and(eq(auditEntries.userId, userId), eq(auditEntries.seq, seq));
  const readEntry = async (userId: string, seq: number) => {
    const [entry] = await service.db.select().from(auditEntries).where(entryOf(userId, seq));
    if (!entry) throw new Error('No such entry');
    return entry;
  };
  const expectBroken = async (userId: string, seq: number) => {
    const report = await verifyChain(service.db, userId);
    expect([report.intact, report.fault?.seq]).toEqual([false, seq]);
  };

  test('links every entry to the one before it, from the first on', async () => {
    const { data } = await auditOf(await chainedTenant());
    const linked = data.slice(0, -1).map(({ prevHash }: Entry) => prevHash);
    expect(linked).toEqual(data.slice(1).map(({ hash }: Entry) => hash));
    expect(data.at(-1).prevHash).toMatch(/^0{64}$/);
  });

  test('of 30 changes at once has no gap, no fork and no step back in time', async () => {
    const tenant = await service.newTenant();
    const serverId = await createServer(tenant);
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => blacklistSomeone(tenant, serverId)),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await verifyChain(service.db, tenant.userId)).toEqual({ entries: 33, intact: true });
    const { data } = await auditOf(tenant);
    const times = data.map(({ at }: Entry) => at);
    expect(times).toEqual(times.toSorted().reverse());
  });

  test.each([
    ['at', { at: new Date(0) }],
    ['actor', { actorId: crypto.randomUUID() }],
    ['kind of actor', { actorType: 'SYSTEM' }],
    ['action', { action: 'bot.create' }],
    ['subject', { subjectId: crypto.randomUUID() }],
    ['kind of subject', { subjectType: 'bot' }],
    ['changes', { changes: { platformId: '1' } }],
    ['id', { id: crypto.randomUUID() }],
    ['hash', { hash: 'f'.repeat(64) }],
    ['link', { prevHash: 'f'.repeat(64) }],
  ] as const)('betrays an altered %s', async (_, altered) => {
    const { userId } = await chainedTenant();
    await service.db.update(auditEntries).set(altered).where(entryOf(userId, 4));
    await expectBroken(userId, 4);
  });

  test.each([1, 4, 7])('betrays that entry %d of seven is missing', async (seq) => {
    const { userId } = await chainedTenant();
    await service.db.delete(auditEntries).where(entryOf(userId, seq));
    await expectBroken(userId, seq);
  });

  test('betrays that all of it is missing', async () => {
    const { userId } = await chainedTenant();
    await service.db.delete(auditEntries).where(eq(auditEntries.userId, userId));
    await expectBroken(userId, 1);
  });

  test('betrays two entries that changed places', async () => {
    const { userId } = await chainedTenant();
    const move = (from: number, to: number) =>
      service.db.update(auditEntries).set({ seq: to }).where(entryOf(userId, from));
    await move(4, 0);
    await move(5, 4);
    await move(0, 5);
    await expectBroken(userId, 4);
  });

  test.each([
    [4, 5],
    [7, 7],
  ])('betrays that entry %d was rewritten together with its hash', async (seq, betrayedAt) => {
    const { userId } = await chainedTenant();
    const changes = { platformId: '1' };
    const hash = entryHash({ ...(await readEntry(userId, seq)), changes });
    await service.db.update(auditEntries).set({ changes, hash }).where(entryOf(userId, seq));
    await expectBroken(userId, betrayedAt);
  });

  test('betrays an entry that was put after its end', async () => {
    const { userId } = await chainedTenant();
    const last = await readEntry(userId, 7);
    const forged = { ...last, id: crypto.randomUUID(), seq: 8, prevHash: last.hash };
    await service.db.insert(auditEntries).values({ ...forged, hash: entryHash(forged) });
    expect(await verifyChain(service.db, userId)).toMatchObject({ intact: false });
  });

  test('of one account says nothing about that of another', async () => {
    const [broken, whole] = [await chainedTenant(), await chainedTenant()];
    await service.db.delete(auditEntries).where(entryOf(broken.userId, 3));
    expect(await verifyChain(service.db, whole.userId)).toEqual({ entries: 7, intact: true });
  });
});
