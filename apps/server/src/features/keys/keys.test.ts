import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type KeyScope, scopes } from '@holdfast/contract';
import { eq } from 'drizzle-orm';
import { base62, callWithKey, requestKey } from '../../../test/harness/api-calls.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';
import { apiKeys } from './table.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const path = '/api/v1/keys';

describe('a new key', () => {
  test('is shown once, and listed by its last four characters', async () => {
    const tenant = await service.newTenant();
    const created = await requestKey(tenant, {
      name: 'CI 🔑',
      scopes: ['bots:read', 'account:read'],
    });
    expect(created.status).toBe(201);
    const { key, ...record } = created.body.data;
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/),
      name: 'CI 🔑',
      scopes: ['bots:read', 'account:read'],
      lastFour: key.slice(-4),
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const listed = await tenant.call('GET', path);
    expect(listed.body.data[0]).toEqual(record);
    expect(listed.text).not.toContain(key);
    expect((await callWithKey(service, key)).status).toBe(200);
  });

  test('is the prefix and 44 characters of base62, the last six a CRC-32 of the others', async () => {
    const tenant = await service.newTenant();
    const keys = new Set<string>();
    for (let made = 0; made < 20; made++) keys.add((await requestKey(tenant, {})).body.data.key);
    expect(keys.size).toBe(20);
    for (const key of keys) {
      expect(key).toMatch(/^holdfast_[0-9A-Za-z]{44}$/);
      const [body, checksum] = [key.slice(9, -6), key.slice(-6)];
      const value = [...checksum].reduce((sum, digit) => sum * 62 + base62.indexOf(digit), 0);
      expect(value).toBe(crc32(body));
    }
  });

  test('is stored only as its SHA-256', async () => {
    const tenant = await service.newTenant();
    const headers = { 'idempotency-key': 'once' };
    const body = { name: 'ci', scopes: ['*'] };
    const { key, id } = (await tenant.call('POST', path, { body, headers })).body.data;
    const [row] = await service.db.select().from(apiKeys).where(eq(apiKeys.id, id));
    expect(row?.hash).toBe(createHash('sha256').update(key).digest('hex'));
    const { $client: client } = service.db;
    const tables = await client`select format('%I.%I', schemaname, tablename) as name
      from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`;
    for (const { name } of tables) {
      const holding = `select 1 from ${name} as row where strpos(row::text, $1) > 0`;
      expect(await client.unsafe(holding, [key.slice(9, 40)])).toHaveLength(0);
    }
    const audit = await tenant.call('GET', '/api/v1/audit');
    expect(audit.text + service.logLines.join()).not.toContain(key.slice(9, 40));
  });

  test('without a name or with a blank one is refused', async () => {
    const tenant = await service.newTenant();
    for (const name of [undefined, '', ' ', 'x'.repeat(101), 7]) {
      const reply = await requestKey(tenant, { name });
      expect(reply.status).toBe(400);
      expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['name']);
    }
  });
});

describe('the scopes of a new key', () => {
  test('are any of the 53 and *, for a key that holds *', async () => {
    const tenant = await service.newTenant();
    const all: KeyScope[] = [...scopes, '*'];
    const created = await requestKey(tenant, { scopes: all });
    expect(created.status).toBe(201);
    expect(created.body.data.scopes).toEqual(all);
    expect((await requestKey(tenant, { scopes: ['*', '*'] })).body.data.scopes).toEqual(['*']);
  });

  const strange = ['servers:*', 'Servers:read', ' servers:read', 'servers:read ', '', 7];
  const refused: unknown[] = [...strange.map((scope) => ['bots:read', scope]), [], '*', undefined];
  test.each(refused.map((wished) => [wished] as const))('are not %j', async (wished) => {
    const tenant = await service.newTenant();
    const reply = await requestKey(tenant, { scopes: wished });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['scopes']);
    expect((await tenant.call('GET', path)).body.pagination.total).toBe(1);
  });

  test('are among those of the key that creates it', async () => {
    const scopes: KeyScope[] = ['api-keys:write', 'servers:read', 'bots:read'];
    const creator = await service.newTenant({ scopes: scopes });
    expect((await requestKey(creator, { scopes: ['servers:read'] })).status).toBe(201);
    expect((await requestKey(creator, { scopes: scopes })).status).toBe(201);
    for (const beyond of ['servers:write', 'servers:delete', '*']) {
      const refused = await requestKey(creator, { scopes: ['servers:read', beyond] });
      expect(refused.status).toBe(403);
      expect(refused.body).toEqual({
        error: `Missing required scope: ${beyond}`,
        requiredScope: beyond,
        yourScopes: scopes,
      });
    }
  });

  test('hold: the new key can do that and no more', async () => {
    const tenant = await service.newTenant();
    const { key } = (await requestKey(tenant, { scopes: ['bots:read'] })).body.data;
    const headers = { authorization: `Bearer ${key}` };
    expect((await service.call('GET', '/api/v1/bots', { headers })).status).toBe(200);
    const refused = await service.call('GET', '/api/v1/servers', { headers });
    expect(refused.status).toBe(403);
    expect(refused.body.yourScopes).toEqual(['bots:read']);
  });
});

describe('an end set for a key', () => {
  test.each([
    ['2020-01-01T00:00:00Z'],
    [new Date(Date.now() - 1000).toISOString()],
    ['tomorrow'],
    ['2030-01-01'],
    [1_900_000_000],
    ['9999-12-31T23:59:59-01:00'],
  ])('is not %p', async (expiresAt) => {
    const reply = await requestKey(await service.newTenant(), { expiresAt });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['expiresAt']);
  });

  test('is in the future, is shown in UTC, and the key works until then', async () => {
    const tenant = await service.newTenant();
    const created = await requestKey(tenant, { expiresAt: '2999-12-31T23:00:00.5+01:00' });
    expect(created.status).toBe(201);
    expect(created.body.data.expiresAt).toBe('2999-12-31T22:00:00.500Z');
    expect((await callWithKey(service, created.body.data.key)).status).toBe(200);
    expect((await requestKey(tenant, { expiresAt: null })).body.data.expiresAt).toBeNull();
  });

  test('is also the end of every key it creates', async () => {
    const owner = await service.newTenant();
    const soon = new Date(Date.now() + 60_000).toISOString();
    const later = new Date(Date.now() + 120_000).toISOString();
    const created = await owner.call('POST', '/api/v1/keys', {
      body: { name: 'short', scopes: ['api-keys:write'], expiresAt: soon },
    });
    const headers = { authorization: `Bearer ${created.body.data.key}` };
    const createUntil = (expiresAt: string | undefined) =>
      service.call('POST', '/api/v1/keys', {
        headers,
        body: { name: 'heir', scopes: ['api-keys:write'], expiresAt },
      });
    expect((await createUntil(undefined)).status).toBe(403);
    expect((await createUntil(later)).status).toBe(403);
    expect((await createUntil(soon)).status).toBe(201);
  });

  test('stops the key when it comes', async () => {
    const tenant = await service.newTenant();
    const expiresAt = new Date(Date.now() + 1000);
    const { key } = (await requestKey(tenant, { expiresAt })).body.data;
    await Bun.sleep(1050);
    expect((await callWithKey(service, key)).status).toBe(401);
    expect((await tenant.call('GET', path)).body.data[0].revokedAt).toBeNull();
  });
});

test('the last use of a key is noted', async () => {
  const tenant = await service.newTenant();
  const { key, id } = (await requestKey(tenant, {})).body.data;
  await callWithKey(service, key);
  const listed = async () =>
    (await tenant.call('GET', path)).body.data.find((one: { id: string }) => one.id === id);
  const deadline = Date.now() + 5000;
  while (!(await listed()).lastUsedAt && Date.now() < deadline) await Bun.sleep(10);
  expect(Math.abs(Date.parse((await listed()).lastUsedAt) - Date.now())).toBeLessThan(10_000);
});

test('keys are paged newest first, of the caller only', async () => {
  const tenant = await service.newTenant();
  await service.newTenant();
  const created: string[] = [tenant.keyId];
  for (let made = 0; made < 4; made++) created.unshift((await requestKey(tenant, {})).body.data.id);
  for (const page of [1, 2, 3, 4]) {
    const reply = await tenant.call('GET', `${path}?page=${page}&limit=2`);
    const ids = reply.body.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(created.slice((page - 1) * 2, page * 2));
    expect(reply.body.pagination).toEqual({ page, limit: 2, total: 5, totalPages: 3 });
  }
});
