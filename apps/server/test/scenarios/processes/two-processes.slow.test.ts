import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultPlans } from '@holdfast/contract';
import { expectBelow } from '../../harness/bounds.ts';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { type RedisServer, startRedis } from '../../harness/network/redis-server.ts';
import {
  connectSql,
  createKey,
  makePlansFile,
  startService,
  stopServices,
  tenantAt,
  testWith,
  timed,
} from '../../harness/running-service.ts';
import type { Reply, Tenant } from '../../harness/service.ts';
import { runAdmin, type ServiceProcess } from '../../harness/service-process.ts';

/** The same account at each of the processes. */
const atEach = async (
  services: ServiceProcess[],
  env: Record<string, string>,
  plan: 'PREMIUM' | 'ENTERPRISE' = 'ENTERPRISE',
): Promise<[Tenant, Tenant]> => {
  const created = await createKey(env.DATABASE_URL ?? '', { plan });
  const [here, there] = services.map(({ url }) => tenantAt(url, created));
  if (!here || !there) throw new Error('Two processes are needed');
  return [here, there];
};

describe('a revoked key', () => {
  let services: ServiceProcess[];
  let env: Record<string, string>;

  beforeAll(async () => {
    env = { DATABASE_URL: await freshDatabase(), PLANS_FILE: await makePlansFile() };
    const start = () => startService({ ...env, ROLE: 'api' });
    services = await Promise.all([start(), start()]);
  });
  // Each pair of processes holds half of what PostgreSQL admits.
  afterAll(stopServices);

  const expectAccepted = async (tenant: Tenant) => {
    const { status } = await tenant.call('GET', '/api/v1/account');
    expect(status).toBe(200);
  };
  const expectRefused = async (tenant: Tenant) => {
    const { status } = await tenant.call('GET', '/api/v1/account');
    expect(status).toBe(401);
  };
  const expectStaysRefused = async (tenant: Tenant) => {
    for (let count = 0; count < 5; count++) await expectRefused(tenant);
  };

  test('is refused at once where it was revoked, and in under 2 s everywhere else', async () => {
    const [here, there] = await atEach(services, env);
    await Promise.all([expectAccepted(here), expectAccepted(there)]);
    const revoked = await here.call('DELETE', `/api/v1/keys/${here.keyId}`);
    expect(revoked.status).toBe(200);
    await expectRefused(here);
    await eventually(2000, () => expectRefused(there));
    await Promise.all([expectStaysRefused(here), expectStaysRefused(there)]);
  });

  test('revoked in the middle of a stream of requests, lets none of them in afterwards', async () => {
    const [here] = await atEach(services, env);
    let isRevoked = false;
    const lateAnswers: number[] = [];
    const ask = async () => {
      for (let after = 0; after < 20; ) {
        const begunAfter = isRevoked;
        const { status } = await here.call('GET', '/api/v1/account');
        if (!begunAfter) continue;
        lateAnswers.push(status);
        after++;
      }
    };
    const asking = Promise.all([ask(), ask(), ask(), ask()]);
    await expectAccepted(here);
    const revoked = await here.call('DELETE', `/api/v1/keys/${here.keyId}`);
    isRevoked = true;
    expect(revoked.status).toBe(200);
    await asking;
    expect(new Set(lateAnswers)).toEqual(new Set([401]));
  });

  test('is refused everywhere in under 2 s when the operator revoked it', async () => {
    const [here, there] = await atEach(services, env);
    await Promise.all([expectAccepted(here), expectAccepted(there)]);
    const revoked = await runAdmin(env, 'revoke-key', '--key-id', here.keyId);
    expect(revoked).toMatchObject({ exitCode: 0, stderr: '' });
    await Promise.all(
      [here, there].map(async (tenant) => {
        await eventually(2000, () => expectRefused(tenant));
        await expectStaysRefused(tenant);
      }),
    );
  });
});

describe('two starts at once', () => {
  afterAll(stopServices);

  test('on an empty database both come up, and each migration is applied once', async () => {
    const url = await freshDatabase();
    const sql = connectSql(url);
    await sql`drop schema public, drizzle cascade`.simple();
    await sql`create schema public`.simple();

    const env = { DATABASE_URL: url, PLANS_FILE: await makePlansFile() };
    const services = await Promise.all([startService(env), startService(env)]);
    const folder = join(import.meta.dir, '../../../migrations');
    const migrations = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
    const applied = await sql`select hash from drizzle.__drizzle_migrations
      where created_at not in (select written_at from drizzle.schema_steps)
      union all select hash from drizzle.schema_steps`;
    expect(applied).toHaveLength(migrations.length);

    for (const tenant of await atEach(services, env)) {
      expect((await tenant.call('GET', '/api/v1/account')).status).toBe(200);
    }
    for (const service of services) {
      expect(service.output()).not.toContain('"level":"error"');
      expect(service.output()).not.toContain('"level":"warn"');
    }
  });
});

describe('the rate limit of two processes', () => {
  const testWithRedis = testWith('redis-server', Bun.which('redis-server') !== null);
  const limit = defaultPlans.PREMIUM.apiRatePerTenSeconds;
  let redis: RedisServer;
  let services: ServiceProcess[];
  let env: Record<string, string>;

  beforeAll(async () => {
    if (Bun.which('redis-server') === null) return;
    redis = await startRedis();
    env = { DATABASE_URL: await freshDatabase() };
    const start = () => startService({ ...env, REDIS_URL: redis.url, ROLE: 'api' });
    services = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    await stopServices();
    await redis?.stop();
  });

  const askOften = (tenant: Tenant, times: number): Promise<Reply[]> =>
    Promise.all(Array.from({ length: times }, () => tenant.call('GET', '/api/v1/account')));

  const remainingOf = (replies: Reply[]): number[] =>
    replies
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));

  /** Each request that is let in finds one less remaining, down to none; all others are refused. */
  const expectOneCount = (replies: Reply[]): void => {
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 429]));
    const countdown = Array.from({ length: limit }, (_, index) => limit - 1 - index);
    expect(remainingOf(replies).toSorted((a, b) => b - a)).toEqual(countdown);
    for (const { status, headers } of replies) {
      expect(headers.get('x-ratelimit-limit')).toBe(String(limit));
      if (status !== 429) continue;
      expect(headers.get('x-ratelimit-remaining')).toBe('0');
      expect(Number(headers.get('retry-after'))).toBeWithin(1, 11);
    }
  };

  const expectShared = async () => {
    const [here, there] = await atEach(services, env, 'PREMIUM');
    const replies = await Promise.all([askOften(here, 60), askOften(there, 60)]);
    expectOneCount(replies.flat());
  };

  testWithRedis('is one count in Redis: together they let in what the plan allows', expectShared);

  testWithRedis('goes on by itself while Redis is frozen, without delay or failure', async () => {
    const tenants = await atEach(services, env, 'PREMIUM');
    redis.kill('SIGSTOP');
    try {
      for (const tenant of tenants) {
        const asked = Array.from({ length: 60 }, () =>
          timed(() => tenant.call('GET', '/api/v1/account')),
        );
        const answers = await Promise.all(asked);
        expectOneCount(answers.map(({ result }) => result));
        for (const { tookMs } of answers) expectBelow(tookMs, 1000);
      }
    } finally {
      redis.kill('SIGCONT');
    }
  });

  testWithRedis('goes on by itself while Redis is gone, and is shared again after', async () => {
    await redis.stop();
    const tenants = await atEach(services, env, 'PREMIUM');
    for (const tenant of tenants) expectOneCount(await askOften(tenant, 60));

    await redis.start();
    await eventually(10_000, async () => {
      const [here, there] = await atEach(services, env, 'PREMIUM');
      const replies = [...(await askOften(here, 1)), ...(await askOften(there, 1))];
      expect(remainingOf(replies)).toEqual([limit - 1, limit - 2]);
    });
    await expectShared();
  });
});
