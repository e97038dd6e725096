// Runs alone: it measures what others wait while one account asks for too much.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createServer } from '../../harness/bots-and-servers.ts';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { crowdedGuild } from '../../harness/guilds/crowded-guild.ts';
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
const size = { channels: 500, roles: 250, overwrites: 180 };
const laterByAtMostMs = 100;

let simulator: Bun.Subprocess<'pipe', 'pipe', 'inherit'>;
let simulatorUrl: string;
let service: ServiceProcess;
let attacker: Tenant;
let neighbour: { key: string };
let serverId: string;
let guildId: string;
let backupIds: string[];

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
  const database = await freshDatabase();
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

type Measured = { p50: number; p99: number; worst: number; count: number };

const measuredIn = (written: string): Measured => {
  const rows = written.trim().split('\n').map((line) => line.split(' ').map(Number));
  const times = rows.map(([, tookMs = 0]) => tookMs).toSorted((a, b) => a - b);
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  expect(new Set(rows.map(([, , status]) => status))).toEqual(new Set([200]));
  return { p50: at(0.5), p99: at(0.99), worst: at(1), count: times.length };
};

const askAgain = (path: string) => {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, '../../harness/workers/ask-again.ts'), `${service.url}${path}`, neighbour.key],
    { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
  );
  const written = new Response(child.stdout).text();
  return async (): Promise<Measured> => {
    child.stdin.end();
    const text = await written;
    await child.exited;
    return measuredIn(text);
  };
};

/** What a request of the other account takes meanwhile, and one that only takes its turn in the loop. */
const whileAsked = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
  const [account, loop] = [askAgain('/api/v1/account'), askAgain('/healthz')];
  await Bun.sleep(500);
  const result = await work();
  await Bun.sleep(200);
  const measured = { account: await account(), loop: await loop() };
  console.info(name, JSON.stringify(measured, (_, value) => typeof value === 'number' ? Math.round(value * 10) / 10 : value));
  return Object.assign(result as object, { measured }) as Result;
};

const quiet = async () => {
  const stop = askAgain('/api/v1/account');
  await Bun.sleep(2000);
  return stop();
};

const statusesOf = (replies: Reply[]) => replies.map(({ status }) => status).toSorted();

const backupsPath = () => `/api/v1/servers/${serverId}/backups`;

const gz = (text: string) => gzipSync(Buffer.from(text)).toString('base64');
const importOf = (text: string) =>
  attacker.call('POST', `${backupsPath()}/import`, { body: { documentGzip: gz(text) } });

test('alone', async () => {
  console.info('quiet', await quiet());
});

test('documents', async () => {
  const most = 4 * 1024 * 1024;
  const texts = {
    zeros: `[${'0,'.repeat(most / 2 - 2)}0]`,
    channels: `{"version":1,"settings":{},"roles":[],"channels":[${'0,'.repeat(most / 2 - 100)}0]}`,
    objects: `{"version":1,"settings":{},"roles":[],"channels":[${'{},'.repeat(most / 3 - 100)}{}]}`,
    deep: '['.repeat(most / 2) + ']'.repeat(most / 2),
    deep1000: '['.repeat(3000) + ']'.repeat(3000),
    deepField: `{"version":1,"settings":${'{"a":'.repeat(100000)}1${'}'.repeat(100000)}}`,
    keys: `{${Array.from({ length: 300_000 }, (_, at) => `"${at}":0`).join()}}`,
    bigger: ' '.repeat(200 * 1024 * 1024),
  };
  for (const [name, text] of Object.entries(texts)) {
    const replies = await whileAsked(`document ${name} ${gz(text).length}`, () =>
      Promise.all(Array.from({ length: 4 }, () => importOf(text))),
    );
    console.info(statusesOf(replies), replies[0]?.text.slice(0, 200));
  }
});

test('bodies', async () => {
  const deep = (depth: number) => `{"name":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const bodies = { 
    deep120000: deep(120_000), deep5000: deep(5000), many: `{"name":[${'0,'.repeat(130_000)}0]}`,
    document: `{"document":{"version":1,"settings":{},"roles":[],"channels":[${'0,'.repeat(130_000)}0]}}` };
  const paths = ['/api/v1/bots', '/api/v1/servers', `${backupsPath()}`, `${backupsPath()}/import`, '/api/v1/keys', '/mcp', '/api/v1/webhooks/card', '/webhooks/stripe'];
  for (const [name, raw] of Object.entries(bodies)) {
    const replies = await whileAsked(`body ${name}`, () =>
      Promise.all(paths.map((path) => attacker.call('POST', path, { raw, headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() } }))),
    );
    console.info(replies.map(({ status }) => status), replies[0]?.text.slice(0, 100));
  }
});

test('backups', async () => {
  const ids = await whileAsked('six backups', async () => {
    const begun = await Promise.all(Array.from({ length: 6 }, () => attacker.call('POST', backupsPath(), { body: { components: ['settings', 'roles', 'channels'] } })));
    const ids = begun.map(({ body }) => body.data.id as string);
    await eventually(120_000, async () => {
      for (const id of ids) {
        const { body } = await attacker.call('GET', `${backupsPath()}/${id}`);
        expect(body.data.status).toBe('completed');
      }
    });
    return ids;
  });
  backupIds = [...ids];
  await whileAsked('test restores', async () => {
    await eventually(120_000, async () => {
      for (const id of backupIds) {
        const { body } = await attacker.call('GET', `${backupsPath()}/${id}`);
        expect(body.data.restorable).not.toBe(null);
      }
    });
    return {};
  });
});

test('reads', async () => {
  const [id, other] = backupIds;
  for (const path of [`${id}/document`, `${id}/contents`, `${id}/compare?with=${other}`, `${id}/compare?with=live`]) {
    const replies = await whileAsked(`four of ${path.slice(36)}`, () =>
      Promise.all(Array.from({ length: 4 }, () => attacker.call('GET', `${backupsPath()}/${path}`))));
    console.info(statusesOf(replies), replies[0]?.text.slice(0, 100));
  }
});

test('plans', async () => {
  const plan = (body: object) => attacker.call('POST', `${backupsPath()}/${backupIds[0]}/plan`, { body });
  for (const body of [{}, { mode: 'REPAIR' }]) {
    const replies = await whileAsked(`eight plans ${JSON.stringify(body)}`, () => Promise.all(Array.from({ length: 8 }, () => plan(body))));
    console.info(statusesOf(replies), replies[0]?.text.slice(0, 100));
  }
  await control('PUT', `/guilds/${guildId}`, crowdedGuild(guildId, size, 2048n));
  const replies = await whileAsked('eight plans of what differs', () => Promise.all(Array.from({ length: 8 }, () => plan({ mode: 'REPAIR' }))));
  console.info(statusesOf(replies), replies[0]?.text.length, replies[0]?.text.slice(0, 100));
});
