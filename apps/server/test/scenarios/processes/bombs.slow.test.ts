// Runs alone: it measures how long one account waits while another asks for too much.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { closeDatabase, connectDatabase } from '../../../src/db/connect.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { createServer } from '../../harness/bots-and-servers.ts';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { crowdedGuild } from '../../harness/guilds/crowded-guild.ts';
import { storeIncident } from '../../harness/protection.ts';
import {
  createKey,
  makePlansFile,
  request,
  startService,
  stopServices,
  tenantAt,
} from '../../harness/running-service.ts';
import { type Reply, randomPlatformId, type Tenant } from '../../harness/service.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';

setDefaultTimeout(300_000);

const root = join(import.meta.dir, '../../../../..');
const size = { channels: 500, roles: 249, overwrites: 180 };
const laterByAtMostMs = 100;

let simulator: Bun.Subprocess<'pipe', 'pipe', 'inherit'>;
let simulatorUrl: string;
let service: ServiceProcess;
let attacker: Tenant;
let neighbour: { key: string };
let database: string;
let serverId: string;
let guildId: string;

const startSimulator = async (): Promise<string> => {
  simulator = Bun.spawn([process.execPath, join(root, 'packages/simulator/src/main.ts')], {
    env: { PATH: process.env.PATH, SIMULATOR_PORT: '0', SIMULATOR_ENDS_WITH_INPUT: '1' },
    ...{ stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
  });
  const { value } = await simulator.stdout.getReader().read();
  const url = new TextDecoder().decode(value).match(/http:\/\/[^/]+/)?.[0];
  if (!url) throw new Error('The simulator did not start');
  return url;
};

const control = async (method: string, path: string, body: unknown): Promise<void> => {
  const reply = await request(simulatorUrl, method, `/__sim${path}`, { body });
  if (reply.status >= 300) throw new Error(reply.text);
};

beforeAll(async () => {
  simulatorUrl = await startSimulator();
  const limits = { limit: 1_000_000, perMs: 1000 };
  await control('PUT', '/limits', { default: limits, global: limits });
  database = await freshDatabase();
  service = await startService({
    DATABASE_URL: database,
    PLATFORM_API_URL: `${simulatorUrl}/api`,
    PLANS_FILE: await makePlansFile(),
  });
  attacker = tenantAt(service.url, await createKey(database));
  neighbour = await createKey(database);
  guildId = randomPlatformId();
  await control('PUT', `/guilds/${guildId}`, crowdedGuild(guildId, size));
  serverId = await createServer(attacker, { platformGuildId: guildId });
});
afterAll(async () => {
  await stopServices();
  simulator?.kill();
  await simulator?.exited;
});

const tell = (line: string) => process.stdout.write(`${line}\n`);

type Measured = { p50: number; p99: number; worst: number; statuses: number[] };

const measuredIn = (written: string): Measured => {
  const rows = written
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number));
  const times = rows.map(([, tookMs = 0]) => tookMs).toSorted((a, b) => a - b);
  const at = (part: number) => Math.round(times[Math.ceil((times.length - 1) * part)] ?? 0);
  const statuses = [...new Set(rows.map(([, , status = 0]) => status))];
  return { p50: at(0.5), p99: at(0.99), worst: at(1), statuses };
};

const worker = join(import.meta.dir, '../../harness/workers/ask-again.ts');

/** Begins to ask; the function that it returns ends it. */
const askAgain = (path: string): (() => Promise<Measured>) => {
  const child = Bun.spawn([process.execPath, worker, `${service.url}${path}`, neighbour.key], {
    ...{ stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
  });
  const written = new Response(child.stdout).text();
  return async () => {
    child.stdin.end();
    return measuredIn(await written);
  };
};

/** The neighbour's simple request, and how long the loop lets one wait that asks for nothing else. */
const measure = async <Result>(name: string, work: () => Promise<Result>) => {
  const [ofAccount, ofLoop] = [askAgain('/api/v1/account'), askAgain('/healthz')];
  await Bun.sleep(500);
  const result = await work();
  const [account, loop] = [await ofAccount(), await ofLoop()];
  tell(`${name}: account ${JSON.stringify(account)} loop ${JSON.stringify(loop)}`);
  return { result, account, loop };
};

const backups = () => `/api/v1/servers/${serverId}/backups`;
const pathsOfBodies = () => [
  ...['/api/v1/bots', '/api/v1/servers', '/api/v1/keys', backups(), `${backups()}/import`],
  ...['/mcp', '/api/billing/webhook', '/api/oxapay/webhook', `/platform/events/${newId()}`],
];

let usual: Measured;
beforeAll(async () => {
  for (const path of pathsOfBodies()) await attacker.call('POST', path, { body: { name: [] } });
  // What is compiled and cached at the first requests is not measured.
  await measure('at first', () => Bun.sleep(1000));
  usual = (await measure('usual', () => Bun.sleep(5000))).account;
});

/** What the attacker got, while the neighbour's request took about as long as always. */
const attack = async (name: string, send: () => Promise<Reply>[]): Promise<Reply[]> => {
  const { result, account } = await measure(name, () => Promise.all(send()));
  expect(account.statuses).toEqual([200]);
  expect(account.p99).toBeLessThan(usual.p99 + laterByAtMostMs);
  const statuses = result.map(({ status }) => status);
  tell(`${name}: answered with ${statuses.toSorted().join()}`);
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
  return result;
};

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

const mebibyte = 1024 * 1024;
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const documentWith = (channels: string) =>
  `{"version":1,"settings":{},"roles":[],"channels":[${channels}]}`;

test.each([
  ['of zeros', `[${'0,'.repeat(2 * mebibyte - 2)}0]`],
  ['with a million channels', documentWith(`${'0,'.repeat(mebibyte)}0`)],
  ['of empty objects', documentWith(`${'{},'.repeat(mebibyte)}{}`)],
  ['with as many values as are allowed', documentWith(`${'0,'.repeat(838_000)}0`)],
  ['two million levels deep', nested(2 * mebibyte)],
  ['three thousand levels deep', nested(3000)],
  ['with a field a hundred thousand levels deep', `{"settings":${'{"a":'.repeat(100_000)}`],
  ['of a hundred megabytes', ' '.repeat(100 * mebibyte)],
])('eight documents %s are refused', async (name, text) => {
  const documentGzip = gzipSync(text).toString('base64');
  const replies = await attack(`documents ${name}`, () =>
    times(8, () => attacker.call('POST', `${backups()}/import`, { body: { documentGzip } })),
  );
  for (const { status } of replies) expect(status).toBeOneOf([400, 429]);
  expect(replies.some(({ status }) => status === 400)).toBe(true);
});

test.each([
  ['120,000 levels deep', `{"name":${nested(120_000)}}`],
  ['5,000 levels deep', `{"name":${nested(5000)}}`],
  ['of 130,000 values', `{"name":[${'0,'.repeat(130_000)}0]}`],
  ['of 50,000 components', `{"components":[${'0,'.repeat(50_000)}0]}`],
  ['of 50,000 channels', `{"document":${documentWith(`${'0,'.repeat(50_000)}0`)}}`],
])('bodies %s are refused by every endpoint', async (name, raw) => {
  const headers = () => ({ 'content-type': 'application/json', 'idempotency-key': newId() });
  await attack(`bodies ${name}`, () =>
    pathsOfBodies().map((path) => attacker.call('POST', path, { raw, headers: headers() })),
  );
});

const readBackup = async (id: string) =>
  (await attacker.call('GET', `${backups()}/${id}`)).body.data;
const structure = { components: ['settings', 'roles', 'channels'] };
let backupIds: string[];

test('six backups of a large server, and their test restores', async () => {
  const begin = () => attacker.call('POST', backups(), { body: structure });
  const ended = async (begun: Promise<Reply>): Promise<Reply> => {
    const reply = await begun;
    await eventually(120_000, async () => {
      expect(await readBackup(reply.body.data.id)).toMatchObject({ restorable: true });
    });
    return reply;
  };
  const replies = await attack('backups', () => times(6, () => ended(begin())));
  backupIds = replies.map(({ body }) => body.data.id);
});

test.each([
  ['documents', (one: string) => `${one}/document`],
  ['contents', (one: string) => `${one}/contents`],
  ['comparisons of two backups', (one: string, other: string) => `${one}/compare?with=${other}`],
  ['comparisons with the server', (one: string) => `${one}/compare?with=live`],
])('six %s of a large server', async (name, pathOf) => {
  const [one = '', other = ''] = backupIds;
  const replies = await attack(name, () =>
    times(6, () => attacker.call('GET', `${backups()}/${pathOf(one, other)}`)),
  );
  expect(replies.some(({ status }) => status === 200)).toBe(true);
});

test.each([
  ['that replace everything', { mode: 'REPLACE' }, 1024n],
  ['that change nothing', { mode: 'REPAIR' }, 1024n],
  ['that change every overwrite', { mode: 'REPAIR' }, 2048n],
])('eight plans of a large server %s', async (name, body, allow) => {
  await control('PUT', `/guilds/${guildId}`, crowdedGuild(guildId, size, allow));
  const replies = await attack(`plans ${name}`, () =>
    times(8, () => attacker.call('POST', `${backups()}/${backupIds[0]}/plan`, { body })),
  );
  for (const { status, headers } of replies) {
    expect(status).toBeOneOf([200, 429]);
    expect(headers.has('retry-after')).toBe(status === 429);
  }
  expect(replies.some(({ status }) => status === 200)).toBe(true);
});

test('three templates of a large server', async () => {
  const listing = { title: 'Large', description: 'Large', priceCents: 100, currency: 'USD' };
  const body = { ...listing, category: 'TEMPLATE', backupId: backupIds[0] };
  const replies = await attack('templates', () =>
    times(3, () => attacker.call('POST', '/api/v1/marketplace/listings', { body })),
  );
  // A slow machine does not check it in time.
  for (const { status } of replies) expect(status).toBeOneOf([201, 409, 429]);
});

test('a plan to repair a large server after an incident', async () => {
  const db = connectDatabase(database, { name: 'holdfast-fixture', poolSize: 1 });
  const [backupId] = backupIds;
  const known = { guildId, backupId, heldBackupId: backupId, firstActAt: new Date() };
  const { accountId } = attacker;
  const { id } = await storeIncident({ db, accountId }, serverId, { incident: known });
  await closeDatabase(db);
  const [reply] = await attack('repair plan', () => [
    attacker.call('GET', `/api/v1/incidents/${id}/repair-plan`),
  ]);
  expect(reply?.status).toBeOneOf([200, 429]);
});

test('a restore of a large server is planned, and one that changes nothing is checked', async () => {
  const restore = async (status: string): Promise<Reply> => {
    const body = { mode: 'REPAIR' };
    const reply = await attacker.call('POST', `${backups()}/${backupIds[0]}/restore`, { body });
    const path = `/api/v1/restores/${reply.body.data.id}`;
    const reaches = (...wanted: string[]) =>
      eventually(120_000, async () => {
        const { body: found } = await attacker.call('GET', path);
        expect(found.data.status).toBeOneOf(wanted);
      });
    await reaches(status);
    await attacker.call('POST', `${path}/cancel`);
    await reaches('cancelled', 'completed');
    return reply;
  };
  await attack('restore that changes every overwrite', () => [restore('running')]);
  await control('PUT', `/guilds/${guildId}`, crowdedGuild(guildId, size));
  await attack('restore that changes nothing', () => [restore('completed')]);
});
