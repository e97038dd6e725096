// Runs alone: it measures how long one account waits while another asks for too much.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { closeDatabase, connectDatabase } from '../../../src/db/connect.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { startSeparately, times } from '../../harness/attacks/separate-processes.ts';
import { createServer } from '../../harness/bots-and-servers.ts';
import { eventually } from '../../harness/eventually.ts';
import { crowdedGuild } from '../../harness/guilds/crowded-guild.ts';
import { storeIncident } from '../../harness/protection.ts';
import { stopServices } from '../../harness/running-service.ts';
import { type Reply, randomPlatformId, type Tenant } from '../../harness/service.ts';

setDefaultTimeout(300_000);

const size = { channels: 500, roles: 249, overwrites: 180 };

let world: Awaited<ReturnType<typeof startSeparately>>;
let attacker: Tenant;
let serverId: string;
let guildId: string;

beforeAll(async () => {
  world = await startSeparately();
  attacker = await world.newAttacker();
  guildId = randomPlatformId();
  await world.control('PUT', `/guilds/${guildId}`, crowdedGuild(guildId, size));
  serverId = await createServer(attacker, { platformGuildId: guildId });
});
afterAll(async () => {
  await stopServices();
  await world.stop();
});

const attack: typeof world.attack = (name, send) => world.attack(name, send);

const backups = () => `/api/v1/servers/${serverId}/backups`;
const pathsOfBodies = () => [
  ...['/api/v1/bots', '/api/v1/servers', '/api/v1/keys', backups(), `${backups()}/import`],
  ...['/mcp', '/api/billing/webhook', '/api/oxapay/webhook', `/platform/events/${newId()}`],
];

beforeAll(async () => {
  for (const path of pathsOfBodies()) await attacker.call('POST', path, { body: { name: [] } });
  await world.learnUsual();
});

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
  await world.control('PUT', `/guilds/${guildId}`, crowdedGuild(guildId, size, allow));
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
  const db = connectDatabase(world.databaseUrl, { name: 'holdfast-fixture', poolSize: 1 });
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
  await world.control('PUT', `/guilds/${guildId}`, crowdedGuild(guildId, size));
  await attack('restore that changes nothing', () => [restore('completed')]);
});
