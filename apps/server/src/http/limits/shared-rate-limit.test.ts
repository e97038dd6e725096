import { afterAll, afterEach, beforeAll, describe, expect } from 'bun:test';
import { eventually } from '../../../test/harness/eventually.ts';
import { type RedisServer, startRedis } from '../../../test/harness/network/redis-server.ts';
import { testWith } from '../../../test/harness/running-service.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';

const testWithRedis = testWith('redis-server', Bun.which('redis-server') !== null);

const lost = 'each process counts for itself';
const found = 'processes share one count';

const linesOf = ({ logLines }: TestService, words: string) =>
  logLines.filter((line) => line.includes(words)).map((line) => JSON.parse(line));

const metricOf = async (service: TestService, series: string): Promise<number> => {
  const { text } = await service.call('GET', '/metrics');
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.split(' ')[1]);
};

const isShared = (service: TestService) => metricOf(service, 'holdfast_redis_shared');

describe('a Redis that has trouble', () => {
  let redis: RedisServer;
  let service: TestService;
  beforeAll(async () => {
    if (Bun.which('redis-server') === null) return;
    redis = await startRedis();
    service = await startTestService({ redisUrl: redis.url });
    await eventually(10_000, async () => expect(await isShared(service)).toBe(1));
  });
  afterAll(async () => {
    redis?.kill('SIGCONT');
    await service?.stop();
    await redis?.stop();
  });

  const isTold = async (reason: string, begin: () => unknown, end: () => unknown) => {
    const before = { lost: linesOf(service, lost).length, found: linesOf(service, found).length };
    const tenant = await service.newTenant();
    await begin();
    const replies = [];
    for (let sent = 0; sent < 20; sent++) replies.push(await tenant.call('GET', '/api/v1/account'));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    await eventually(10_000, async () => expect(await isShared(service)).toBe(0));
    // As often as it is found out again.
    const series = `holdfast_redis_failures_total{reason="${reason}"}`;
    await eventually(20_000, async () => {
      expect(await metricOf(service, series)).toBeGreaterThanOrEqual(2);
    });
    const [told, ...more] = linesOf(service, lost).slice(before.lost);
    expect(told).toMatchObject({ level: 'warn', reason });
    expect(more).toEqual([]);

    await end();
    await eventually(20_000, async () => expect(await isShared(service)).toBe(1));
    expect(linesOf(service, found).slice(before.found)).toHaveLength(1);
    expect(linesOf(service, lost).slice(before.lost)).toHaveLength(1);
  };

  testWithRedis('is told once when it is full, and once when it is not any more', () =>
    isTold(
      'full',
      () => redis.command('CONFIG SET maxmemory 1'),
      () => redis.command('CONFIG SET maxmemory 0'),
    ),
  );

  testWithRedis('is told once when it is read-only, and once when it is not any more', () =>
    isTold(
      'read_only',
      () => redis.command('REPLICAOF 127.0.0.1 1'),
      () => redis.command('REPLICAOF NO ONE'),
    ),
  );

  testWithRedis('is told once when it is frozen, and once when it goes on', () =>
    isTold(
      'silent',
      () => redis.kill('SIGSTOP'),
      () => redis.kill('SIGCONT'),
    ),
  );
});

describe('a Redis that refuses the password', () => {
  const password = 'canary-7d20b1';
  let running: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of running) await one.stop();
    running = [];
  });

  const startWith = async (settings: string[], credentials: string) => {
    const redis = await startRedis(settings);
    running.push(redis);
    const redisUrl = redis.url.replace('redis://', `redis://${credentials}@`);
    const service = await startTestService({ redisUrl });
    running.unshift(service);
    return service;
  };

  const refusals: [why: string, settings: string[], credentials: string][] = [
    ['it is wrong', ['--requirepass', 'another'], `:${password}`],
    ['there is no such user', ['--requirepass', 'another'], `canary-user:${password}`],
    [
      'it does not know the command',
      ['--rename-command', 'AUTH', '', '--rename-command', 'HELLO', ''],
      `:${password}`,
    ],
  ];
  for (const [why, settings, credentials] of refusals) {
    testWithRedis(`because ${why} is told once, without any argument of a command`, async () => {
      const service = await startWith(settings, credentials);
      await eventually(10_000, () => expect(linesOf(service, lost)).toHaveLength(1));
      const tenant = await service.newTenant();
      for (let sent = 0; sent < 3; sent++) {
        expect((await tenant.call('GET', '/api/v1/account')).status).toBe(200);
      }
      expect(await isShared(service)).toBe(0);
      expect(linesOf(service, lost)).toHaveLength(1);
      expect(service.logLines.join('')).not.toContain('canary');
    });
  }
});
