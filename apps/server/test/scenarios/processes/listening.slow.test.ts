// Runs alone: it is about time, memory or the machine.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from '../../harness/bots-and-servers.ts';
import { freshDatabase } from '../../harness/database.ts';
import {
  createKey,
  makePlansFile,
  startService,
  stopServices,
  tenantAt,
} from '../../harness/running-service.ts';
import type { Tenant } from '../../harness/service.ts';
import { runStart, type ServiceProcess } from '../../harness/service-process.ts';

let env: Record<string, string>;
let service: ServiceProcess;
let owner: Tenant;
let neighbour: Tenant;

beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  env = { DATABASE_URL: databaseUrl, PLANS_FILE: await makePlansFile() };
  service = await startService(env);
  owner = tenantAt(service.url, await createKey(databaseUrl));
  neighbour = tenantAt(service.url, await createKey(databaseUrl));
});
afterAll(stopServices);

test('a second service on the same port is refused, instead of sharing its requests', async () => {
  const { port } = new URL(service.url);
  const second = await runStart({ ...env, PORT: port });
  expect(second.exitCode).toBe(1);
  expect(second.stderr).toContain('set PORT');
});

test('HEAD announces the length that GET has', async () => {
  const [asked, read] = [
    await owner.call('HEAD', '/api/v1/account'),
    await owner.call('GET', '/api/v1/account'),
  ];
  expect(asked.status).toBe(200);
  expect(asked.text).toBe('');
  expect(asked.headers.get('content-length')).toBe(read.headers.get('content-length'));
});

test('a path that only begins like the API is answered like any other', async () => {
  const reply = await owner.call('GET', '/api/v1x/account');
  expect(reply.status).toBe(404);
  expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('one account’s flood of changes fails neither itself nor anybody else', async () => {
  const path = `/api/v1/servers/${await createServer(owner)}/whitelist`;
  let isOver = false;
  const flood = Promise.all(
    Array.from({ length: 400 }, (_, i) =>
      owner.call('POST', path, { body: { type: 'ASN', value: String(i + 1) } }),
    ),
  ).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    expect((await neighbour.call('GET', '/api/v1/servers')).status).toBe(200);
    await Bun.sleep(20);
  }
  const statuses = new Set((await flood).map(({ status }) => status));
  expect([...statuses].filter((status) => status !== 201 && status !== 429)).toEqual([]);
  const listed = (await owner.call('GET', path)).body.data.length;
  expect(listed).toBe((await flood).filter(({ status }) => status === 201).length);
});
