import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type KeyScope, scopes } from '@holdfast/contract';
import { eq } from 'drizzle-orm';
import {
  type Reply,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../test/harness.ts';
import { mintKey } from './rules.ts';
import { apiKeys } from './table.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
}, 30_000);
afterAll(() => service.stop());

const path = '/api/v1/keys';
const mint = (tenant: Tenant, body: object) =>
  tenant.call('POST', path, { body: { name: 'ci', scopes: ['account:read'], ...body } });
const revoke = (tenant: Tenant, id: string) => tenant.call('DELETE', `${path}/${id}`);

const callWith = (authorization: string | undefined, on: TestService = service): Promise<Reply> =>
  on.call('GET', '/api/v1/account', { headers: authorization ? { authorization } : {} });
const callWithKey = (key: string) => callWith(`Bearer ${key}`);

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** For each character after the prefix the key with another one in its place. */
const typosOf = (key: string): string[] =>
  Array.from({ length: 44 }, (_, at) => {
    const place = 'holdfast_'.length + at;
    const other = base62[(base62.indexOf(key[place] ?? '') + 1 + at) % 62];
    return key.slice(0, place) + other + key.slice(place + 1);
  });

describe('a new key', () => {
  test('is shown once, and listed by its last four characters', async () => {
    const tenant = await service.newTenant();
    const minted = await mint(tenant, { name: 'CI 🔑', scopes: ['bots:read', 'account:read'] });
    expect(minted.status).toBe(201);
    const { key, ...record } = minted.body.data;
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
    expect((await callWithKey(key)).status).toBe(200);
  });

  test('is the prefix and 44 characters of base62, the last six a CRC-32 of the others', async () => {
    const tenant = await service.newTenant();
    const keys = new Set<string>();
    for (let made = 0; made < 20; made++) keys.add((await mint(tenant, {})).body.data.key);
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
      const reply = await mint(tenant, { name });
      expect(reply.status).toBe(400);
      expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['name']);
    }
  });
});

describe('the scopes of a new key', () => {
  test('are any of the 53 and *, for a key that holds *', async () => {
    const tenant = await service.newTenant();
    const all: KeyScope[] = [...scopes, '*'];
    const minted = await mint(tenant, { scopes: all });
    expect(minted.status).toBe(201);
    expect(minted.body.data.scopes).toEqual(all);
    expect((await mint(tenant, { scopes: ['*', '*'] })).body.data.scopes).toEqual(['*']);
  });

  const strange = ['servers:*', 'Servers:read', ' servers:read', 'servers:read ', '', 7];
  const refused: unknown[] = [...strange.map((scope) => ['bots:read', scope]), [], '*', undefined];
  test.each(refused.map((wished) => [wished] as const))('are not %j', async (wished) => {
    const tenant = await service.newTenant();
    const reply = await mint(tenant, { scopes: wished });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['scopes']);
    expect((await tenant.call('GET', path)).body.pagination.total).toBe(1);
  });

  test('are among those of the key that mints it', async () => {
    const held: KeyScope[] = ['api-keys:write', 'servers:read', 'bots:read'];
    const minter = await service.newTenant({ scopes: held });
    expect((await mint(minter, { scopes: ['servers:read'] })).status).toBe(201);
    expect((await mint(minter, { scopes: held })).status).toBe(201);
    for (const beyond of ['servers:write', 'servers:delete', '*']) {
      const refused = await mint(minter, { scopes: ['servers:read', beyond] });
      expect(refused.status).toBe(403);
      expect(refused.body).toEqual({
        error: `Missing required scope: ${beyond}`,
        requiredScope: beyond,
        yourScopes: held,
      });
    }
  });

  test('hold: the new key can do that and no more', async () => {
    const tenant = await service.newTenant();
    const { key } = (await mint(tenant, { scopes: ['bots:read'] })).body.data;
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
    const reply = await mint(await service.newTenant(), { expiresAt });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['expiresAt']);
  });

  test('lies ahead, is told in UTC, and lets the key work until then', async () => {
    const tenant = await service.newTenant();
    const minted = await mint(tenant, { expiresAt: '2999-12-31T23:00:00.5+01:00' });
    expect(minted.status).toBe(201);
    expect(minted.body.data.expiresAt).toBe('2999-12-31T22:00:00.500Z');
    expect((await callWithKey(minted.body.data.key)).status).toBe(200);
    expect((await mint(tenant, { expiresAt: null })).body.data.expiresAt).toBeNull();
  });

  test('stops the key when it comes', async () => {
    const tenant = await service.newTenant();
    const expiresAt = new Date(Date.now() + 1000);
    const { key } = (await mint(tenant, { expiresAt })).body.data;
    await Bun.sleep(1050);
    expect((await callWithKey(key)).status).toBe(401);
    expect((await tenant.call('GET', path)).body.data[0].revokedAt).toBeNull();
  });
});

describe('a revoked key', () => {
  test('is refused at once though it was used a moment ago, and stays listed', async () => {
    const tenant = await service.newTenant();
    const { key, id } = (await mint(tenant, {})).body.data;
    expect((await callWithKey(key)).status).toBe(200);
    const { status, body } = await revoke(tenant, id);
    expect([status, body]).toEqual([200, { data: { id, deleted: true } }]);
    expect((await callWithKey(key)).status).toBe(401);
    const [listed] = (await tenant.call('GET', path)).body.data;
    expect(listed.id).toBe(id);
    expect(Math.abs(Date.parse(listed.revokedAt) - Date.now())).toBeLessThan(10_000);
    expect((await revoke(tenant, id)).status).toBe(404);
  });

  test('is refused under steady use too, from the answer to its revocation on', async () => {
    const tenant = await service.newTenant();
    const { key, id } = (await mint(tenant, {})).body.data;
    let isRevoked = false;
    const useUntilRefused = async (): Promise<number> => {
      for (;;) {
        const wasRevoked = isRevoked;
        const { status } = await callWithKey(key);
        if (wasRevoked || status !== 200) return status;
      }
    };
    const users = Array.from({ length: 5 }, useUntilRefused);
    await Bun.sleep(20);
    await revoke(tenant, id);
    isRevoked = true;
    expect(await Promise.all(users)).toEqual(Array(5).fill(401));
  });

  test('may be the one that asks for it', async () => {
    const tenant = await service.newTenant({ scopes: ['api-keys:write'] });
    expect((await revoke(tenant, tenant.keyId)).status).toBe(200);
    expect((await revoke(tenant, tenant.keyId)).status).toBe(401);
  });

  test('is never one of another account, which is as absent as one that never was', async () => {
    const [owner, stranger] = [await service.newTenant(), await service.newTenant()];
    const foreign = await revoke(stranger, owner.keyId);
    const unknown = await revoke(stranger, crypto.randomUUID());
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(foreign.text).toBe(unknown.text);
    expect((await callWithKey(owner.key)).status).toBe(200);
  });
});

test('the last use of a key is noted', async () => {
  const tenant = await service.newTenant();
  const { key, id } = (await mint(tenant, {})).body.data;
  await callWithKey(key);
  const listed = async () =>
    (await tenant.call('GET', path)).body.data.find((one: { id: string }) => one.id === id);
  const deadline = Date.now() + 5000;
  while (!(await listed()).lastUsedAt && Date.now() < deadline) await Bun.sleep(10);
  expect(Math.abs(Date.parse((await listed()).lastUsedAt) - Date.now())).toBeLessThan(10_000);
});

test('keys are paged newest first, of the caller only', async () => {
  const tenant = await service.newTenant();
  await service.newTenant();
  const minted: string[] = [tenant.keyId];
  for (let made = 0; made < 4; made++) minted.unshift((await mint(tenant, {})).body.data.id);
  for (const page of [1, 2, 3, 4]) {
    const reply = await tenant.call('GET', `${path}?page=${page}&limit=2`);
    const ids = reply.body.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(minted.slice((page - 1) * 2, page * 2));
    expect(reply.body.pagination).toEqual({ page, limit: 2, total: 5, totalPages: 3 });
  }
});

describe('a refusal for want of a key', () => {
  test('is word for word the same, whatever is wrong', async () => {
    const tenant = await service.newTenant();
    const [revoked, expired] = [
      (await mint(tenant, {})).body.data,
      (await mint(tenant, {})).body.data,
    ];
    await revoke(tenant, revoked.id);
    const past = { expiresAt: new Date(Date.now() - 1) };
    await service.db.update(apiKeys).set(past).where(eq(apiKeys.id, expired.id));
    const [typo = ''] = typosOf(tenant.key);
    const unknown = mintKey(randomBytes);
    const wrong = [
      undefined,
      '',
      'Bearer',
      tenant.key,
      `Basic ${tenant.key}`,
      `Bearer ${tenant.key} x`,
      `Bearer ${tenant.key}, Bearer ${tenant.key}`,
      `Bearer ${tenant.key.toLowerCase()}`,
      `Bearer ${crypto.randomUUID()}`,
      ...[typo, unknown, revoked.key, expired.key].map((key) => `Bearer ${key}`),
    ];
    const replies = await Promise.all(wrong.map((header) => callWith(header)));
    expect(replies.map(({ status }) => status)).toEqual(wrong.map(() => 401));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    const challenges = new Set(replies.map(({ headers }) => headers.get('www-authenticate')));
    expect([...challenges]).toEqual(['Bearer']);
    expect((await callWith(`bEaReR ${tenant.key}`)).status).toBe(200);
  });

  test('needs no database where the key is mistyped', async () => {
    const deaf = await startTestService({ databaseUrl: service.databaseUrl });
    const { key } = await deaf.newTenant();
    const malformed = ['x', key.slice(0, -1), `${key}0`, key.replace('holdfast', 'Holdfast')];
    await deaf.db.$client.close();
    const replies = await Promise.all(
      [...typosOf(key), ...malformed].map((typo) => callWith(`Bearer ${typo}`, deaf)),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(48).fill(401));
    // The key itself has to be looked up, which without a database nobody can.
    expect((await callWith(`Bearer ${key}`, deaf)).status).toBe(500);
    await deaf.stop();
  });
});
