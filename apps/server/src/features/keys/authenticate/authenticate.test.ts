import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { base62, callWith, callWithKey, requestKey } from '../../../../test/harness/api-calls.ts';
import {
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';
import { generateKey } from '../rules.ts';
import { apiKeys } from '../table.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const path = '/api/v1/keys';
const revoke = (tenant: Tenant, id: string) => tenant.call('DELETE', `${path}/${id}`);

/** For each character after the prefix the key with another one in its place. */
const typosOf = (key: string): string[] =>
  Array.from({ length: 44 }, (_, at) => {
    const place = 'holdfast_'.length + at;
    const other = base62[(base62.indexOf(key[place] ?? '') + 1 + at) % 62];
    return key.slice(0, place) + other + key.slice(place + 1);
  });

describe('a revoked key', () => {
  test('is refused at once though it was used a moment ago, and stays listed', async () => {
    const tenant = await service.newTenant();
    const { key, id } = (await requestKey(tenant, {})).body.data;
    expect((await callWithKey(service, key)).status).toBe(200);
    const { status, body } = await revoke(tenant, id);
    expect([status, body]).toEqual([200, { data: { id, deleted: true } }]);
    expect((await callWithKey(service, key)).status).toBe(401);
    const [listed] = (await tenant.call('GET', path)).body.data;
    expect(listed.id).toBe(id);
    expect(Math.abs(Date.parse(listed.revokedAt) - Date.now())).toBeLessThan(10_000);
    expect((await revoke(tenant, id)).status).toBe(404);
  });

  test('is refused under steady use too, from the answer to its revocation on', async () => {
    const tenant = await service.newTenant();
    const { key, id } = (await requestKey(tenant, {})).body.data;
    let isRevoked = false;
    const useUntilRefused = async (): Promise<number> => {
      for (;;) {
        const wasRevoked = isRevoked;
        const { status } = await callWithKey(service, key);
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
    expect((await callWithKey(service, owner.key)).status).toBe(200);
  });
});

describe('a refusal for want of a key', () => {
  test('is word for word the same, whatever is wrong', async () => {
    const tenant = await service.newTenant();
    const [revoked, expired] = [
      (await requestKey(tenant, {})).body.data,
      (await requestKey(tenant, {})).body.data,
    ];
    await revoke(tenant, revoked.id);
    const past = { expiresAt: new Date(Date.now() - 1) };
    await service.db.update(apiKeys).set(past).where(eq(apiKeys.id, expired.id));
    const [typo = ''] = typosOf(tenant.key);
    const unknown = generateKey(randomBytes);
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
    const replies = await Promise.all(wrong.map((header) => callWith(service, header)));
    expect(replies.map(({ status }) => status)).toEqual(wrong.map(() => 401));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    const challenges = new Set(replies.map(({ headers }) => headers.get('www-authenticate')));
    expect([...challenges]).toEqual(['Bearer']);
    expect((await callWith(service, `bEaReR ${tenant.key}`)).status).toBe(200);
  });

  test('needs no database where the key is mistyped', async () => {
    const deaf = await startTestService({ databaseUrl: service.databaseUrl });
    const { key } = await deaf.newTenant();
    const malformed = ['x', key.slice(0, -1), `${key}0`, key.replace('holdfast', 'Holdfast')];
    await deaf.db.$client.close();
    const replies = await Promise.all(
      [...typosOf(key), ...malformed].map((typo) => callWith(deaf, `Bearer ${typo}`)),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(48).fill(401));
    // The key has to be looked up, which is impossible without a database.
    expect((await callWith(deaf, `Bearer ${key}`)).status).toBe(503);
    await deaf.stop();
  });
});
