// Runs alone: it is about time, memory or the machine.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findRunningEmbeddedPostgres } from '../../../src/db/embedded/embedded.ts';
import { createServer } from '../../harness/bots-and-servers.ts';
import { eventually } from '../../harness/eventually.ts';
import {
  type CreatedKey,
  connectSql,
  createKeyByCommand,
  isAlive,
  makeFolder,
  makePlansFile,
  request,
  startService,
  stopServices,
  tenantAt,
} from '../../harness/running-service.ts';
import { randomPlatformId, type Tenant } from '../../harness/service.ts';
import { runAdmin, runStart, type ServiceProcess } from '../../harness/service-process.ts';

let env: Record<string, string>;
let service: ServiceProcess;
let ownerKey: CreatedKey;
let tenant: Tenant;
let serverId: string;

const restart = async () => {
  service = await startService(env);
  tenant = tenantAt(service.url, ownerKey);
};

const postmasterPid = async (): Promise<number> => {
  const file = join(env.DATA_DIR ?? '', 'postgres', 'postmaster.pid');
  return Number((await readFile(file, 'utf8')).split('\n')[0]);
};

beforeAll(async () => {
  env = { DATA_DIR: await makeFolder(), PLANS_FILE: await makePlansFile() };
  service = await startService(env);
  // The operator's command finds the running service's own database.
  ownerKey = await createKeyByCommand(env);
  tenant = tenantAt(service.url, ownerKey);
  serverId = await createServer(tenant);
});

afterAll(stopServices);

type Write = { path: string; body: object; idempotencyKey: string };
type Acknowledged = Write & { id: string };

/** Writers that never pause, until their connections break. */
const writeUntilItBreaks = async () => {
  const acknowledged: Acknowledged[] = [];
  const unanswered: Write[] = [];
  const writer = async (next: () => Write) => {
    for (;;) {
      const write = next();
      try {
        const reply = await send(write);
        expect(reply.status).toBe(201);
        acknowledged.push({ ...write, id: reply.body.data.id });
      } catch {
        unanswered.push(write);
        return;
      }
    }
  };
  const writers = Promise.all([newRule, newRule, newRule, newRule, newKey, newKey].map(writer));
  return { acknowledged, unanswered, writers };
};

const newRule = (): Write => ({
  path: `/api/v1/servers/${serverId}/firewall`,
  body: { type: 'USER_ID', value: randomPlatformId() },
  idempotencyKey: crypto.randomUUID(),
});

/** Unlike a rule, nothing but its Idempotency-Key keeps a key from being made twice. */
const newKey = (): Write => ({
  path: '/api/v1/keys',
  body: { name: crypto.randomUUID(), scopes: ['servers:read'] },
  idempotencyKey: crypto.randomUUID(),
});

const send = ({ path, body, idempotencyKey }: Write) =>
  tenant.call('POST', path, { body, headers: { 'idempotency-key': idempotencyKey } });

/** Every element of a paginated list. */
const listAll = async (path: string) => {
  const found = [];
  for (let page = 1; ; page++) {
    const { body } = await tenant.call('GET', `${path}?limit=100&page=${page}`);
    found.push(...body.data);
    if (page >= body.pagination.totalPages) return found;
  }
};

const expectAllKept = async (acknowledged: Acknowledged[]): Promise<void> => {
  const rules = (await tenant.call('GET', `/api/v1/servers/${serverId}/firewall`)).body.data;
  const keys = await listAll('/api/v1/keys');
  const present = new Set([...rules, ...keys].map(({ id }) => id));
  expect(acknowledged.filter(({ id }) => !present.has(id))).toEqual([]);

  const entries = await listAll('/api/v1/audit');
  const created = entries
    .filter(({ action }) => action.endsWith('.create'))
    .map(({ subject }) => subject.id);
  // Every change has its entry and every entry its change, each exactly one.
  expect(new Set(created).size).toBe(created.length);
  expect([...present].filter((id) => !created.includes(id))).toEqual([]);
  const bots = (await tenant.call('GET', '/api/v1/bots')).body.data;
  const servers = await listAll('/api/v1/servers');
  expect(created.length).toBe(present.size + bots.length + servers.length);

  const verified = await runAdmin(env, 'verify-audit', '--user', ownerKey.accountId);
  expect(verified).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(verified.stdout)).toMatchObject({ intact: true, entries: entries.length });
};

/** A repeat is the first answer again, or the first execution; never a second record. */
const expectRepeatable = async (writes: Write[]): Promise<void> => {
  for (const write of writes) {
    const again = await send(write);
    expect([201, 409]).toContain(again.status);
    // An answer that showed a key is not kept: its repeat is refused instead.
    if (again.status === 409) expect(write.path).toBe('/api/v1/keys');
  }
  const names = (await listAll('/api/v1/keys')).map(({ name }) => name);
  const rules = (await tenant.call('GET', `/api/v1/servers/${serverId}/firewall`)).body.data;
  const values = rules.map(({ value }: { value: string }) => value);
  for (const { body } of writes) {
    const isThis = (text: string) => Object.values(body).includes(text);
    expect([...names, ...values].filter(isThis)).toHaveLength(1);
  }
};

for (const victim of ['the service', 'the service and its PostgreSQL']) {
  test(`killed in the middle of writes, ${victim} comes back with all it acknowledged`, async () => {
    const { acknowledged, unanswered, writers } = await writeUntilItBreaks();
    await eventually(10_000, () => expect(acknowledged.length).toBeGreaterThan(100));
    const postgres = await postmasterPid();
    service.kill('SIGKILL');
    if (victim !== 'the service') process.kill(postgres, 'SIGKILL');
    await Promise.all([writers, service.exited]);

    await restart();
    await expectAllKept(acknowledged);
    await expectRepeatable([...unanswered, ...acknowledged.slice(-10)]);
    const replayed = await send(acknowledged.find(({ path }) => path !== '/api/v1/keys') as Write);
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
  });
}

test('a second service on the same data folder is refused and told who holds it', async () => {
  const second = await runStart(env);
  expect(second.exitCode).toBe(1);
  expect(second.stderr).toContain(`process ${service.pid} `);
  expect(second.stderr.trim().split('\n')).toHaveLength(1);
  expect((await tenant.call('GET', '/api/v1/account')).status).toBe(200);
});

test('asked to stop, it finishes the request in flight and takes its PostgreSQL along', async () => {
  const postgres = await postmasterPid();
  const sql = connectSql((await findRunningEmbeddedPostgres(env.DATA_DIR ?? '')) ?? '');
  const hold = await sql.reserve();
  await hold`begin`;
  await hold`select from servers where id = ${serverId} for update`;
  const held = tenant.call('PUT', `/api/v1/servers/${serverId}`, { body: { name: 'Held' } });
  await eventually(3000, async () => {
    const [{ waiting }] = await sql`
      select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock'`;
    expect(waiting).toBe(1);
  });

  service.kill('SIGTERM');
  await eventually(3000, () => expect(service.output()).toContain('stopping'));
  await eventually(3000, () => expect(request(service.url, 'GET', '/healthz')).rejects.toThrow());
  expect(isAlive(service.pid)).toBe(true);
  await hold`rollback`;
  hold.release();
  const answer = await held;
  expect(answer.status).toBe(200);
  expect(answer.body.data.name).toBe('Held');

  expect(await service.exited).toBe(0);
  expect(isAlive(postgres)).toBe(false);
  expect(await readdir(env.DATA_DIR ?? '')).not.toContain('holdfast.lock');
  expect(service.output()).not.toContain('"level":"error"');
});

test('with no service running the operator can still mint a key, which then works', async () => {
  const later = await createKeyByCommand(env, { platformId: ownerKey.platformId });
  expect(later.accountId).toBe(ownerKey.accountId);
  expect(await findRunningEmbeddedPostgres(env.DATA_DIR ?? '')).toBeUndefined();

  await restart();
  const account = await tenantAt(service.url, later).call('GET', '/api/v1/account');
  expect(account.body.data.platformId).toBe(ownerKey.platformId);
  const held = await tenant.call('GET', `/api/v1/servers/${serverId}`);
  expect(held.body.data.name).toBe('Held');
});
