import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { defaultPlans } from '@holdfast/contract';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import { type RedisServer, startRedis } from '../../../test/harness/network/redis-server.ts';
import { testWith } from '../../../test/harness/running-service.ts';
import {
  type OwnTenant,
  type Reply,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../test/harness/service.ts';

const keyLimit = defaultPlans.FREE.apiRatePerTenSeconds;
const accountLimit = 5 * keyLimit;

const ask = (tenant: Tenant, times: number): Promise<Reply[]> =>
  Promise.all(Array.from({ length: times }, () => tenant.call('GET', '/api/v1/account')));

const accepted = (replies: Reply[]) => replies.filter(({ status }) => status === 200);
const remainingOf = ({ headers }: Reply) => Number(headers.get('x-ratelimit-remaining'));

const newKeys = async (service: TestService, owner: OwnTenant, count: number) => {
  const keys = [owner];
  while (keys.length < count) keys.push(await service.newKey(owner, ['*']));
  return keys;
};

describe('the keys of one account', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ plans: defaultPlans });
  });
  afterAll(() => service.stop());

  test('together have five times the rate of its plan', async () => {
    const keys = await newKeys(service, await service.newTenant({ plan: 'FREE' }), 7);
    const replies = (await Promise.all(keys.map((key) => ask(key, keyLimit)))).flat();
    expect(accepted(replies)).toHaveLength(accountLimit);
    for (const { status, headers } of replies) {
      expect(headers.get('x-ratelimit-limit')).toBe(String(keyLimit));
      if (status === 200) continue;
      expect(status).toBe(429);
      expect(headers.get('x-ratelimit-remaining')).toBe('0');
      expect(headers.get('retry-after')).toMatch(/^([1-9]|10)$/);
    }
    const another = await service.newTenant({ plan: 'FREE' });
    expect(accepted(await ask(another, 1))).toHaveLength(1);
  });

  test('see as remaining what key and account both have left', async () => {
    const keys = await newKeys(service, await service.newTenant({ plan: 'FREE' }), 6);
    const [last, ...others] = keys;
    if (!last) throw new Error('There are six keys');
    for (const key of others) await ask(key, keyLimit - 1);
    const replies = await ask(last, 5);
    expect(replies.map(remainingOf).toSorted((a, b) => b - a)).toEqual([4, 3, 2, 1, 0]);
    expect((await ask(last, 1))[0]?.status).toBe(429);
  });

  test('keep their own budgets while one of them sends without end', async () => {
    const [wild, calm] = await newKeys(service, await service.newTenant({ plan: 'FREE' }), 2);
    if (!wild || !calm) throw new Error('There are two keys');
    await ask(wild, 2 * accountLimit);
    expect(remainingOf((await ask(calm, 1))[0] as Reply)).toBe(keyLimit - 1);
  });
});

test('all sessions of an account together have 400 requests', async () => {
  const service = await startTestService();
  const owner = await service.newTenant({ plan: 'FREE' });
  const sessions = await Promise.all(
    Array.from({ length: 3 }, () => openDashboard(service, owner)),
  );
  const replies = await Promise.all(
    sessions.flatMap(({ call }) => Array.from({ length: 190 }, () => call('GET', '/account'))),
  );
  expect(accepted(replies)).toHaveLength(400);
  const another = await openDashboard(service, await service.newTenant({ plan: 'FREE' }));
  expect((await another.call('GET', '/account')).status).toBe(200);
  await service.stop();
});

describe('the keys of one account over two processes', () => {
  const testWithRedis = testWith('redis-server', Bun.which('redis-server') !== null);
  let redis: RedisServer;
  let services: TestService[];

  beforeAll(async () => {
    if (Bun.which('redis-server') === null) return;
    redis = await startRedis();
    const first = await startTestService({ plans: defaultPlans, redisUrl: redis.url });
    const { databaseUrl, ring } = first;
    const more = { plans: defaultPlans, redisUrl: redis.url, databaseUrl, ring };
    services = [first, await startTestService(more)];
  });
  afterAll(async () => {
    for (const service of services ?? []) await service.stop();
    await redis?.stop();
  });

  testWithRedis('share one count in Redis, and count apart while it is gone', async () => {
    const [here, there] = services;
    if (!here || !there) throw new Error('There are two processes');
    const askBoth = async () => {
      const keys = await newKeys(here, await here.newTenant({ plan: 'FREE' }), 12);
      const viaThere = keys.slice(6).map((key) => ({
        ...key,
        call: (method: string, path: string) =>
          there.call(method, path, { headers: { authorization: `Bearer ${key.key}` } }),
      }));
      const all = [...keys.slice(0, 6), ...viaThere];
      return accepted((await Promise.all(all.map((key) => ask(key, keyLimit)))).flat());
    };
    expect(await askBoth()).toHaveLength(accountLimit);
    await redis.stop();
    expect(await askBoth()).toHaveLength(2 * accountLimit);
  });
});
