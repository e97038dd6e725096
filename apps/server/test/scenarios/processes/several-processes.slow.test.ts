import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { defaultPlans } from '@holdfast/contract';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import {
  connectSql,
  createKey,
  isAlive,
  makePlansFile,
  request,
  startService,
  stopServices,
  tenantAt,
} from '../../harness/running-service.ts';
import type { Tenant } from '../../harness/service.ts';
import { freePort, runStart, type ServiceProcess } from '../../harness/service-process.ts';

/** The processes that serve, of a service that was started with PROCESSES. */
const processesOf = (pid: number): number[] => {
  const { stdout } = Bun.spawnSync(['ps', '-o', 'pid=,stat=', '--ppid', String(pid)]);
  return stdout
    .toString()
    .split('\n')
    .filter((line) => /^ *\d+ [^Z]/.test(line))
    .map((line) => Number.parseInt(line, 10));
};

const metricsOf = async (url: string) => {
  const { text } = await request(url, 'GET', '/metrics');
  const numberOf = (series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1],
    );
  return { text, numberOf };
};

const accountReads = 'holdfast_http_request_seconds_count{operation="getAccount",status="200"}';

const isReady = async (url: string) =>
  eventually(60_000, async () => {
    expect((await request(url, 'GET', '/readyz')).body).toEqual({
      ...{ database: true, queue: true, processes: true },
    });
  });

describe('a service of two processes', () => {
  const limit = defaultPlans.PREMIUM.apiRatePerTenSeconds;
  let database: string;
  let service: ServiceProcess;

  beforeAll(async () => {
    database = await freshDatabase();
    const plans = { PLANS_FILE: await makePlansFile({ PREMIUM: limit }) };
    service = await startService({ DATABASE_URL: database, ...plans, PROCESSES: '2' });
    await isReady(service.url);
  });
  afterAll(stopServices);

  const newTenant = async (plan: 'PREMIUM' | 'ENTERPRISE') =>
    tenantAt(service.url, await createKey(database, { plan }));
  const ask = (tenant: Tenant, times: number) =>
    Promise.all(Array.from({ length: times }, () => tenant.call('GET', '/api/v1/account')));

  test('lets in as many requests of a key as its plan allows, without Redis', async () => {
    const replies = await ask(await newTenant('PREMIUM'), 3 * limit);
    const remaining = replies
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    const countdown = Array.from({ length: limit }, (_, at) => limit - 1 - at);
    expect(remaining.toSorted((a, b) => b - a)).toEqual(countdown);
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(2 * limit);
  });

  test('lets in as many sign-ins of an address as one process would', async () => {
    const begin = () =>
      fetch(`${service.url}/login`, { redirect: 'manual', keepalive: false }).then(
        ({ status }) => status,
      );
    const statuses = await Promise.all(Array.from({ length: 150 }, begin));
    expect(statuses.filter((status) => status === 303)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(90);
  });

  test('shows the numbers of both, whichever is asked', async () => {
    const tenant = await newTenant('ENTERPRISE');
    const before = (await metricsOf(service.url)).numberOf(accountReads);
    await ask(tenant, 50);
    for (let asked = 0; asked < 5; asked++) {
      expect((await metricsOf(service.url)).numberOf(accountReads)).toBe(before + 50);
    }
    const { numberOf } = await metricsOf(service.url);
    expect(numberOf('holdfast_processes{state="serving"}')).toBe(2);
  });

  test('opens no more connections than are set for both', async () => {
    const tenant = await newTenant('ENTERPRISE');
    const sql = connectSql(database);
    await Promise.all([ask(tenant, 200), ask(await newTenant('ENTERPRISE'), 200)]);
    const [{ open }] = await sql`
      select count(*)::int as open from pg_stat_activity
      where datname = current_database() and application_name = 'holdfast'`;
    expect(open).toBeWithin(2, 12 + 1);
  });

  test('works and holds bots in one of them', async () => {
    const sql = connectSql(database);
    await eventually(20_000, async () => {
      expect(await sql`select id from gateway_processes`).toHaveLength(1);
    });
  });

  test('goes on when one of them is killed, starts it again and forgets no count', async () => {
    const tenant = await newTenant('ENTERPRISE');
    const before = processesOf(service.pid);
    expect(before).toHaveLength(2);
    await ask(tenant, 20);
    const counted = (await metricsOf(service.url)).numberOf(accountReads);
    const [victim = 0, survivor = 0] = before;

    const outcomes: (number | 'cut off')[] = [];
    let isEnding = false;
    const asking = Array.from({ length: 4 }, async () => {
      while (!isEnding) {
        const asked = tenant.call('GET', '/api/v1/account');
        outcomes.push(await asked.then(({ status }) => status).catch(() => 'cut off' as const));
      }
    });
    await Bun.sleep(200);
    process.kill(victim, 'SIGKILL');
    await eventually(5000, () => expect(isAlive(victim)).toBe(false));
    // What the killed one had accepted is lost with it: of four clients at most one request each.
    const lost = () => outcomes.filter((outcome) => outcome === 'cut off').length;
    await eventually(60_000, async () => {
      const now = processesOf(service.pid);
      expect(now).toHaveLength(2);
      expect(now).toContain(survivor);
      const { numberOf } = await metricsOf(service.url);
      expect(numberOf('holdfast_processes{state="serving"}')).toBe(2);
    });
    isEnding = true;
    await Promise.all(asking);
    expect(lost()).toBeLessThanOrEqual(4);
    expect(new Set(outcomes.filter((outcome) => outcome !== 'cut off'))).toEqual(new Set([200]));
    const { numberOf } = await metricsOf(service.url);
    expect(numberOf(accountReads)).toBeGreaterThan(counted);
    expect(numberOf('holdfast_processes_ended_total')).toBe(1);
    expect((await request(service.url, 'GET', '/readyz')).status).toBe(200);
  });

  test('keeps its port for itself', async () => {
    const port = new URL(service.url).port;
    const second = { DATABASE_URL: database, PORT: port, ROLE: 'api', PROCESSES: '2' };
    const { exitCode, stderr } = await runStart(second);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `Port ${port} is in use by another program: set PORT to a free one\n`,
    });
  });
});

describe('several processes', () => {
  afterAll(stopServices);

  const start = async (env: Record<string, string> = {}) => {
    const settings = { DATABASE_URL: await freshDatabase(), PLANS_FILE: await makePlansFile() };
    const all = { ...settings, ROLE: 'api', PROCESSES: '2', PORT: String(freePort()), ...env };
    const service = await startService(all);
    await isReady(service.url);
    return { ...service, settings: all };
  };

  test('all drain on SIGTERM: what is asked meanwhile is answered, and none is left', async () => {
    const service = await start({ DRAIN_SECONDS: '3' });
    const tenant = tenantAt(service.url, await createKey(service.settings.DATABASE_URL ?? ''));
    const children = processesOf(service.pid);
    service.kill('SIGTERM');
    await eventually(1500, async () => {
      expect((await fetch(`${service.url}/readyz`, { keepalive: false })).status).toBe(503);
    });
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => tenant.call('GET', '/api/v1/account')),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    for (const { headers } of replies) expect(headers.get('connection')).toBe('close');
    expect(await service.exited).toBe(0);
    expect(children.filter(isAlive)).toEqual([]);
    expect(service.output()).not.toContain('"level":"error"');
  });

  test('end when their supervisor is killed, and leave the port to the next one', async () => {
    const service = await start();
    const children = processesOf(service.pid);
    expect(children).toHaveLength(2);
    service.kill('SIGKILL');
    await eventually(5000, () => expect(children.filter(isAlive)).toEqual([]));
    const next = await startService(service.settings);
    expect(next.url).toBe(service.url);
    await isReady(next.url);
  });

  test('that cannot start say why once, and are not tried again', async () => {
    const nobody = 'postgres://nobody:word@127.0.0.1:9/none';
    const { exitCode, stdout, stderr } = await runStart({ DATABASE_URL: nobody, PROCESSES: '2' });
    expect(exitCode).toBe(1);
    expect(stdout.match(/it is started again/g)).toBeNull();
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(/database|PostgreSQL/i);
    expect(stderr).not.toContain('word');
  });
});
