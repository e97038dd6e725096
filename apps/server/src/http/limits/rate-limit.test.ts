import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { defaultPlans } from '@holdfast/contract';
import { startTestService, type Tenant, type TestService } from '../../../test/harness/service.ts';
import { setPlan } from '../../features/accounts/queries.ts';
import { generateKey } from '../../features/keys/rules.ts';
import { createMachineCounts } from './machine-counts.ts';
import { createRateLimit } from './rate-limit.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ plans: defaultPlans, trustedProxies: ['127.0.0.1'] });
});
afterAll(() => service.stop());

const callTimes = (call: () => Promise<{ status: number; headers: Headers }>, times: number) =>
  Promise.all(Array.from({ length: times }, call));

describe('the rate limit of a key', () => {
  test.each([
    ['FREE', 20],
    ['PREMIUM', 50],
    ['BUSINESS', 100],
    ['ENTERPRISE', 200],
  ] as const)('on %s is %i in 10 seconds, counted exactly under load', async (plan, limit) => {
    const tenant = await service.newTenant({ plan });
    const replies = await callTimes(() => tenant.call('GET', '/api/v1/account'), limit + 15);
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(limit);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
    const remaining = replies.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(Math.max(...remaining)).toBe(limit - 1);
    expect(new Set(remaining).size).toBe(limit);
    for (const { headers } of replies) {
      expect(headers.get('x-ratelimit-limit')).toBe(String(limit));
      const wait = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000;
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThan(11.5);
    }
  });

  test('is reported with Retry-After in whole seconds', async () => {
    const tenant = await service.newTenant({ plan: 'FREE' });
    const replies = await callTimes(() => tenant.call('GET', '/api/v1/account'), 21);
    const refused = replies.find(({ status }) => status === 429);
    expect(refused?.headers.get('retry-after')).toMatch(/^([1-9]|10)$/);
    expect(replies.find(({ status }) => status === 200)?.headers.get('retry-after')).toBeNull();
  });

  test('counts every request that authenticates, whatever its answer', async () => {
    const tenant = await service.newTenant({ plan: 'FREE', scopes: ['bots:read'] });
    const paths = ['/api/v1/nothing', '/api/v1/account', '/api/v1/bots?page=1&page=1'];
    for (const path of paths) await tenant.call('GET', path);
    const reply = await tenant.call('GET', '/api/v1/bots');
    expect(reply.headers.get('x-ratelimit-remaining')).toBe('16');
  });

  test('is each key’s own, and stays untouched by requests that do not authenticate', async () => {
    const tenant = await service.newTenant({ plan: 'FREE' });
    const second = await service.newKey(tenant, ['*']);
    await callTimes(() => tenant.call('GET', '/api/v1/account'), 25);
    await callTimes(() => service.call('GET', '/api/v1/account'), 5);
    const reply = await second.call('GET', '/api/v1/account');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-ratelimit-remaining')).toBe('19');
  });

  test('follows a change of plan in the next window, not before', async () => {
    const limit = createRateLimit();
    expect((await limit.count('key', 20)).limit).toBe(20);
    const sameWindow = await limit.count('key', 50);
    expect(sameWindow).toMatchObject({ limit: 20, remaining: 18 });
    limit.close();

    const tenant = await service.newTenant({ plan: 'FREE' });
    await tenant.call('GET', '/api/v1/account');
    await service.db.transaction((tx) => setPlan(tx, tenant.accountId, 'PREMIUM'));
    await Bun.sleep(1100);
    const reply = await tenant.call('GET', '/api/v1/account');
    expect(reply.body.data.plan).toBe('PREMIUM');
    expect(reply.headers.get('x-ratelimit-limit')).toBe('20');
  });
});

test('of a window that has ended nothing is left, neither its limit nor that it was used up', async () => {
  let nowMs = 1_000_000;
  const memory = new Uint8Array(128);
  const short = { memory, seed: 7n, windowSeconds: 0.05, now: () => nowMs };
  const limit = createRateLimit(undefined, createMachineCounts(short));
  expect(await limit.count('key', 1)).toMatchObject({ limit: 1, remaining: 0 });
  nowMs += 50;
  await Bun.sleep(60);
  expect(limit.isSpent('key')).toBe(false);
  expect(await limit.count('key', 50)).toMatchObject({ limit: 50, remaining: 49 });
  limit.close();
});

test('requests that do not authenticate draw from a bucket of 100, and stay 401 when it is empty', async () => {
  const replies = await callTimes(() => service.call('GET', '/api/v1/account'), 120);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401]));
  const last = await service.call('GET', '/api/v1/account');
  expect(last.status).toBe(401);
  expect(last.headers.get('x-ratelimit-limit')).toBe('100');
  expect(last.headers.get('x-ratelimit-remaining')).toBe('0');
});

test('an address from which too many unknown keys came is refused before anything is looked up', async () => {
  const [known, other, unknown] = [
    await service.newTenant(),
    await service.newTenant(),
    await service.newTenant(),
  ];
  const from = (tenant: Tenant, address: string) =>
    tenant.call('GET', '/api/v1/account', { headers: { 'x-forwarded-for': address } });
  expect((await from(known, '203.0.113.7')).status).toBe(200);
  const withoutKey = () =>
    service.call('GET', '/api/v1/account', { headers: { 'x-forwarded-for': '203.0.113.7' } });
  const withUnknownKey = () => {
    const authorization = `Bearer ${generateKey((count) => randomBytes(count))}`;
    const headers = { authorization, 'x-forwarded-for': '203.0.113.7' };
    return service.call('GET', '/api/v1/account', { headers });
  };
  await callTimes(withoutKey, 100);
  expect((await from(other, '203.0.113.7')).status).toBe(200);
  await callTimes(withUnknownKey, 1000);

  const refused = await from(unknown, '203.0.113.7');
  expect(refused.status).toBe(401);
  expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
  const [key] = await service.db
    .$client`select last_used_at from api_keys where id = ${unknown.keyId}`;
  expect(key.last_used_at).toBeNull();
  // Whoever shares the address and was there before goes on, and so does everybody elsewhere.
  expect((await from(known, '203.0.113.7')).status).toBe(200);
  expect((await from(unknown, '203.0.113.8')).status).toBe(200);
});
