// Runs alone: it is about time, memory or the machine.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from '../../harness/bots-and-servers.ts';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { type SilentProxy, startSilentProxy } from '../../harness/network/silent-proxy.ts';
import {
  connectSql,
  createKey,
  makePlansFile,
  startService,
  stopServices,
  tenantAt,
  timed,
} from '../../harness/running-service.ts';
import type { Tenant } from '../../harness/service.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';

let proxy: SilentProxy;
let url: string;
let service: ServiceProcess;
let tenant: Tenant;

beforeAll(async () => {
  url = await freshDatabase();
  proxy = await startSilentProxy(url);
  const env = { DATABASE_URL: proxy.through(url), PLANS_FILE: await makePlansFile() };
  service = await startService(env);
  tenant = tenantAt(service.url, await createKey(url));
});

afterAll(async () => {
  await stopServices();
  await proxy.stop();
});

test('a service whose connections all fell silent serves and works again within 30 seconds', async () => {
  expect((await tenant.call('GET', '/api/v1/servers')).status).toBe(200);
  proxy.fallSilent();
  const isServed = async () =>
    expect((await tenant.call('GET', '/api/v1/servers')).status).toBe(200);
  const { tookMs } = await timed(() => eventually(60_000, isServed));
  expect(tookMs).toBeLessThan(30_000);
  const many = Array.from({ length: 40 }, () => tenant.call('GET', '/api/v1/servers'));
  expect(new Set((await Promise.all(many)).map(({ status }) => status))).toEqual(new Set([200]));
  // A fresh connection may have served before the lost ones were given up.
  const replaced = 'database connections that fell silent were replaced';
  await eventually(30_000, () => expect(service.output()).toContain(replaced));

  // A deleted server is purged by a queued job: that its row goes shows that the queue lives.
  const serverId = await createServer(tenant);
  await tenant.call('DELETE', `/api/v1/servers/${serverId}`);
  const sql = connectSql(url);
  const worked = await timed(() =>
    eventually(60_000, async () => {
      expect(await sql`select id from servers where id = ${serverId}`).toHaveLength(0);
    }),
  );
  expect(tookMs + worked.tookMs).toBeLessThan(40_000);
});

test('SIGTERM ends a service whose connections just fell silent', async () => {
  proxy.fallSilent();
  const waiting = [1, 2, 3].map(() => tenant.call('GET', '/api/v1/servers').catch(() => undefined));
  service.kill('SIGTERM');
  const { tookMs } = await timed(() => service.exited);
  expect(tookMs).toBeLessThan(30_000);
  await Promise.all(waiting);
});
