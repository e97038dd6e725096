// Runs alone: it measures how long one account waits while several others ask for too much.
import { afterAll, beforeAll, setDefaultTimeout, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { dashboardApiPrefix } from '@holdfast/contract';
import { newId } from '../../../src/kernel/ids.ts';
import { startSeparately, times } from '../../harness/attacks/separate-processes.ts';
import { createServer } from '../../harness/bots-and-servers.ts';
import { signInByRow } from '../../harness/dashboard/session.ts';
import { request, stopServices } from '../../harness/running-service.ts';
import { type Reply, randomPlatformId, type Tenant } from '../../harness/service.ts';

setDefaultTimeout(300_000);

const accounts = 4;
let world: Awaited<ReturnType<typeof startSeparately>>;
let attackers: { tenant: Tenant; serverId: string; cookie: string }[];

beforeAll(async () => {
  world = await startSeparately();
  attackers = [];
  for (const _ of times(accounts, () => 0)) {
    const tenant = await world.newAttacker();
    const serverId = await createServer(tenant, { platformGuildId: randomPlatformId() });
    const cookie = await signInByRow(world.databaseUrl, tenant);
    attackers.push({ tenant, serverId, cookie });
  }
  // The tools of assistants are made at the first message.
  await attackers[0]?.tenant.call('POST', '/mcp', json('{"jsonrpc":"2.0","id":1,"method":"ping"}'));
  await world.learnUsual();
  const small = { body: { name: [] } };
  await world.learnBeside('as many small requests', () =>
    attackers.flatMap(({ tenant }) => times(4, () => tenant.call('POST', '/api/v1/keys', small))),
  );
});
afterAll(async () => {
  await stopServices();
  await world.stop();
});

type Attacker = (typeof attackers)[number];
/** All accounts at once, each so often. */
const attack = (name: string, each: number, send: (by: Attacker, at: number) => Promise<Reply>) =>
  world.attack(name, () => attackers.flatMap((by) => times(each, (at) => send(by, at))));

const bytesOfBody = 250_000;
const settings = {
  name: 'a',
  verificationLevel: 0,
  defaultMessageNotifications: 0,
  explicitContentFilter: 0,
  preferredLocale: 'en',
  afkTimeoutSeconds: 0,
};
const repeated = (text: string, count: number): string => Array(count).fill(text).join();
const documentWith = (channels: string, more = ''): string =>
  `{"version":1,"settings":${JSON.stringify(settings)},"roles":[{"name":"@everyone"}],"channels":[${channels}]${more}}`;
const inLists = (
  bytes: number,
  perList: number,
  entry: string,
  list: (entries: string) => string,
) => {
  const count = Math.floor(bytes / (entry.length + 1));
  return times(Math.ceil(count / perList), (at) =>
    list(repeated(entry, Math.min(perList, count - at * perList))),
  ).join();
};
const manyChannels = (bytes: number) =>
  inLists(
    bytes,
    500,
    '{"type":"TEXT","name":"a"}',
    (channels) => `{"type":"CATEGORY","name":"c","channels":[${channels}]}`,
  );
const manyOverwrites = (bytes: number, entry: string, field = 'overwrites') =>
  inLists(
    bytes,
    1000,
    entry,
    (overwrites) => `{"type":"TEXT","name":"a","${field}":[${overwrites}]}`,
  );

const imports = ({ serverId }: Attacker) => `/api/v1/servers/${serverId}/backups/import`;
const json = (raw: string, more: Record<string, string> = {}) => ({
  raw,
  headers: { 'content-type': 'application/json', ...more },
});

test.each([
  ['9,000 channels', documentWith(manyChannels(bytesOfBody))],
  ['20,000 overwrites of unknown roles', documentWith(manyOverwrites(bytesOfBody, '{"role":"a"}'))],
  [
    'overwrites of one person',
    documentWith(manyOverwrites(bytesOfBody, '{"member":"1"}', 'memberOverwrites')),
  ],
  [
    'overwrites with unknown permissions',
    documentWith(manyOverwrites(bytesOfBody, '{"role":"@everyone","deny":["AA","AB"]}')),
  ],
  ['a field twice, 25,000 times', `{${repeated('"version":1', 198)}}`],
  [
    'the longest names',
    documentWith(manyOverwrites(bytesOfBody, `{"role":"${'/~2'.repeat(160)}"}`)),
  ],
])('documents in a body with %s', async (name, document) => {
  await attack(`document of ${name}`, 2, (by) =>
    by.tenant.call('POST', imports(by), json(`{"document":${document}}`)),
  );
});

test.each([
  ['150,000 channels', gzipSync(documentWith(manyChannels(4_100_000)))],
  ['300,000 overwrites', gzipSync(documentWith(manyOverwrites(4_100_000, '{"role":"a"}')))],
  ['gzip in gzip', gzipSync(gzipSync(documentWith(manyChannels(4_100_000))))],
])('documents by gzip of %s', async (name, bytes) => {
  const documentGzip = bytes.toString('base64');
  await attack(`gzip of ${name}`, 2, (by) =>
    by.tenant.call('POST', imports(by), { body: { documentGzip } }),
  );
});

test.each([
  ['an address of a bot', '/api/v1/bots', 'redirectUri', `https://${'ü.'.repeat(80_000)}a`],
  ['a name of marks', '/api/v1/keys', 'name', 'a\u0301\u0316'.repeat(49_000)],
  ['a name of nothing', '/api/v1/keys', 'name', '\u200d'.repeat(80_000)],
  ['a title of emoji', '/api/v1/marketplace/listings', 'title', '👨‍👩‍👧‍👦'.repeat(9_500)],
  ['an id of a guild', '/api/v1/servers', 'platformGuildId', '9'.repeat(249_000)],
])('%s that is far too long', async (name, path, field, value) => {
  await attack(name, 4, ({ tenant }) => tenant.call('POST', path, { body: { [field]: value } }));
});

test('messages of assistants with as many values as are allowed', async () => {
  const message = (values: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[${values}]}}}`;
  await attack('messages of 52,000 values', 4, ({ tenant }) =>
    tenant.call(
      'POST',
      '/mcp',
      json(message(repeated('0', 52_000)), { accept: 'application/json, text/event-stream' }),
    ),
  );
  await attack('messages of 26,000 objects', 4, ({ tenant }) =>
    tenant.call(
      'POST',
      '/mcp',
      json(message(repeated('{}', 26_000)), { accept: 'application/json, text/event-stream' }),
    ),
  );
});

test('imports with 52,000 values and a key to repeat them', async () => {
  const raw = (at: number) =>
    `{"name":"n${at}","document":${documentWith('')},"other":[${repeated('0', 52_000)}]}`;
  await attack('repeatable imports', 4, (by, at) =>
    by.tenant.call('POST', imports(by), json(raw(at), { 'idempotency-key': newId() })),
  );
  const images = `[${repeated(`{"name":"${'a'.repeat(64)}.png","pieces":["${'b'.repeat(64)}"]}`, 1500)}]`;
  await attack('imports with 1,500 images', 2, (by) =>
    by.tenant.call(
      'POST',
      imports(by),
      json(`{"document":${documentWith('')},"images":${images}}`, { 'idempotency-key': newId() }),
    ),
  );
});

test('keys to repeat a request, each of another body', async () => {
  await attack('160 repeatable requests', 40, ({ tenant, serverId }, at) =>
    tenant.call('POST', `/api/v1/servers/${serverId}/blacklist`, {
      body: { platformId: randomPlatformId(), reason: `${at}` },
      headers: { 'idempotency-key': newId() },
    }),
  );
});

test('events of payment providers of a mebibyte', async () => {
  const raw = `{"a":[${repeated('0', 200_000)}]}`;
  const signatures = `t=${Math.floor(Date.now() / 1000)},${repeated(`v1=${'a'.repeat(64)}`, 100)}`;
  for (const path of ['/api/billing/webhook', '/api/oxapay/webhook'])
    await attack(`events to ${path}`, 4, () =>
      request(
        world.service.url,
        'POST',
        path,
        json(raw, { 'stripe-signature': signatures, hmac: 'a'.repeat(128) }),
      ),
    );
});

test('forms of the verification page with thousands of fields', async () => {
  const form = `${'a=%61&'.repeat(10_000)}`;
  for (const path of ['', '/check', '/appeal'])
    await attack(`forms to verify${path}`, 8, ({ serverId }) =>
      request(world.service.url, 'POST', `/verify/${serverId}${path}`, {
        raw: form,
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: world.service.url },
      }),
    );
  await attack('forms of a device', 8, () =>
    request(world.service.url, 'POST', '/oauth/device_authorization', {
      raw: form,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  );
});

test('searches and filters that match nothing, for as long as an address may be', async () => {
  const long = '%25_'.repeat(1000);
  const paths = (by: Attacker) => [
    `/api/v1/servers/${by.serverId}/members?search=${long}`,
    `/api/v1/audit?actor=${long}&action=${long}`,
    `/api/v1/audit?${'a=b&'.repeat(1500)}`,
    `/api/v1/blacklist?search=${long}`,
    `/api/v1/marketplace/listings?search=${long}`,
  ];
  await attack('searches', 15, (by, at) => by.tenant.call('GET', paths(by)[at % 5] ?? ''));
});

test('requests of sessions to the API of the dashboard', async () => {
  const paths = ['/account', '/servers', '/overview', '/audit', '/health'];
  await attack('sessions', 25, ({ cookie }, at) =>
    request(world.service.url, 'GET', `${dashboardApiPrefix}${paths[at % 5]}`, {
      headers: { cookie, origin: world.service.url },
    }),
  );
});

test('streams of events that nobody reads, while things change', async () => {
  const controllers = await Promise.all(
    attackers.flatMap(({ cookie }) =>
      times(6, async () => {
        const controller = new AbortController();
        await fetch(`${world.service.url}/dashboard/events`, {
          headers: { cookie },
          signal: controller.signal,
        });
        return controller;
      }),
    ),
  );
  await attack('changes with open streams', 25, ({ tenant, serverId }, at) =>
    tenant.call('POST', `/api/v1/servers/${serverId}/blacklist`, {
      body: { platformId: randomPlatformId(), reason: `${at}` },
    }),
  );
  for (const controller of controllers) controller.abort();
});
