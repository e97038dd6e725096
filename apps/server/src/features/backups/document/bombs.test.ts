import { beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { startBackupFixture } from '../../../../test/harness/backups/fixture.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { crowdedGuild } from '../../../../test/harness/guilds/crowded-guild.ts';
import { storeIncident } from '../../../../test/harness/protection.ts';
import { modeFor } from '../snapshot/large.ts';

const {
  service,
  simulator,
  fixture: backups,
} = await startBackupFixture({
  doesWork: ['backups.run', 'restores.test-backup', 'restores.run'],
});
// More than is computed on the thread of the requests.
const guild = crowdedGuild('900000000000000000', { channels: 60, roles: 40, overwrites: 30 });
const server = await backups.newServer(guild);
const { tenant } = server;

/** What is computed, and where. */
const run = spyOn(service.aside, 'run');
beforeEach(() => void run.mockClear());
const computedFor = (waiting: 'request' | 'job'): string[] => {
  const calls = run.mock.calls.filter(([, , , { waits }]) => waits === waiting);
  return [...new Set(calls.map(([{ name }, , , { mode }]) => `${name}: ${mode}`))].toSorted();
};

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const zeros = (count: number) => `[${'0,'.repeat(count - 1)}0]`;
const pathOf = (rest: string) => `${backups.backupsOf(server.serverId)}${rest}`;

describe('a document that is a bomb is refused:', () => {
  test.each([
    ['3,000 levels', nested(3000), 'The document nests values deeper than 64 levels'],
    ['a field of 100,000 levels', `{"roles":${nested(100_000)}}`, 'deeper than 64 levels'],
    ['two million values', zeros(2_000_000), 'The document holds more than 838860 values'],
    ['no JSON', '{"version":', 'The document is not valid JSON'],
    ['five megabytes of nothing', ' '.repeat(5 * 1024 * 1024), 'of at most 4 MiB'],
  ])('%s', async (_, text, problem) => {
    const body = { documentGzip: gzipSync(text).toString('base64') };
    const reply = await tenant.call('POST', pathOf('/import'), { body });
    expect(reply.status).toBe(400);
    expect(reply.body.details.fieldErrors.document[0]).toContain(problem);
  });
});

describe('a body that is a bomb is refused:', () => {
  test.each([
    ['/api/v1/bots', 5000],
    ['/api/v1/keys', 5000],
    ['/mcp', 52_428],
  ])('by %s', async (path, mostValues) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'bomb' };
    for (const [raw, problem] of [
      [`{"unknown":${nested(50_000)}}`, 'nests values deeper than 64 levels'],
      [`{"unknown":${zeros(100_000)}}`, `holds more than ${mostValues} values`],
    ]) {
      const reply = await tenant.call('POST', path, { raw: raw ?? '', headers });
      expect(reply.status).toBe(400);
      expect(reply.text).toContain(`The body ${problem}`);
    }
  });
});

test('what is read of a large server is left to the worker, and that of a small one is not', () => {
  const withChannels = (count: number, overwrites: number) => ({
    channels: Array.from({ length: count }, () => ({ overwrites: Array(overwrites).fill({}) })),
  });
  expect(modeFor(withChannels(60, 30))).toBe('worker');
  expect(modeFor(withChannels(20, 20), withChannels(20, 30))).toBe('worker');
  expect(modeFor(withChannels(20, 20))).toBe('inline');
  const words = Array<string>(600).fill('word');
  expect(modeFor({ automod: [{ keywords: words, allowedWords: words }] })).toBe('worker');
  expect(modeFor({ parts: { onboarding: [{ prompts: [{ options: [words, words] }] }] } })).toBe(
    'worker',
  );
});

test('a large server is backed up, shown, compared and planned by the worker as a small one is here', async () => {
  const { id } = await backups.takeBackup(server, {
    components: ['settings', 'roles', 'channels'],
  });
  const read = async (rest: string) => {
    const reply = await tenant.call('GET', pathOf(`/${id}${rest}`));
    expect(reply.status).toBe(200);
    return reply.body.data;
  };
  const document = await read('/document');
  expect(document.channels).toHaveLength(60);
  expect(document.channels[7].overwrites).toHaveLength(30);
  const contents = await read('/contents');
  expect(contents.channels[7].overwriteCounts).toEqual({ roles: 30, members: 0 });
  for (const other of ['live', id]) {
    const { create, update, delete: deleted } = await read(`/compare?with=${other}`);
    expect({ create, update, deleted }).toEqual({ create: [], update: [], deleted: [] });
  }
  const body = { mode: 'REPLACE' };
  const headers = { 'idempotency-key': 'plan' };
  const plan = () => tenant.call('POST', pathOf(`/${id}/plan`), { body, headers });
  const { status, text, body: planned } = await plan();
  expect(status).toBe(200);
  expect(planned.data.create).toHaveLength(60);
  expect((await plan()).text).toBe(text);
  const { guildId, serverId } = server;
  const known = { guildId, backupId: id, heldBackupId: id, firstActAt: new Date() };
  const owner = { db: service.db, accountId: tenant.accountId };
  const incident = await storeIncident(owner, serverId, { incident: known });
  const repair = await tenant.call('GET', `/api/v1/incidents/${incident.id}/repair-plan`);
  expect(repair.status).toBe(200);
  const documentGzip = gzipSync(JSON.stringify(document)).toString('base64');
  const imported = await tenant.call('POST', pathOf('/import'), { body: { documentGzip } });
  expect(imported.status).toBe(202);
  expect(computedFor('request')).toEqual([
    'backups.describeContents: worker',
    'backups.importDocument: worker',
    'backups.writeDocument: worker',
    'restores.preview: worker',
    'restores.previewUndo: worker',
  ]);
});

test('a large server is sold as a template, changed, and restored by the worker', async () => {
  const { id } = await backups.takeBackup(server, {
    components: ['settings', 'roles', 'channels'],
  });
  const texts = { title: 'Large', description: 'Large', priceCents: 100, currency: 'USD' };
  const listing = await tenant.call('POST', '/api/v1/marketplace/listings', {
    body: { ...texts, category: 'TEMPLATE', backupId: id },
  });
  expect(listing.status).toBe(201);
  const { guildId } = server;
  const changed = { ...guild, channels: guild.channels.slice(0, 50) };
  await simulator.control('PUT', `/guilds/${guildId}`, changed);
  const begun = await tenant.call('POST', pathOf(`/${id}/restore`), { body: { mode: 'REPAIR' } });
  const restored = await backups.restored(server, begun.body.data.id);
  expect(restored.status).toBe('completed');
  const { channels } = await simulator.control('GET', `/guilds/${guildId}`);
  const overwritesOf = ({ permission_overwrites: all }: { permission_overwrites: object[] }) => all;
  expect(channels.map(overwritesOf).map(({ length }: object[]) => length)).toEqual(
    Array(60).fill(30),
  );
  expect(computedFor('request')).toEqual(['marketplace.makeTemplate: worker']);
  // The backup itself is tested a few seconds later.
  await eventually(20_000, () =>
    expect(computedFor('job')).toEqual([
      'restores.checkResult: worker',
      'restores.plan: worker',
      'restores.test: worker',
    ]),
  );
});

test('a plan lists the overwrites of so many channels as can be read, and counts those of the others', async () => {
  const size = { channels: 100, roles: 60, overwrites: 50 };
  const other = await backups.newServer(crowdedGuild('900000000000000000', size), tenant);
  const path = backups.backupsOf(other.serverId);
  const { id } = await backups.takeBackup(other, { components: ['roles', 'channels'] });
  await simulator.control(
    'PUT',
    `/guilds/${other.guildId}`,
    crowdedGuild('900000000000000000', size, 2048n),
  );
  const plan = await tenant.call('POST', `${path}/${id}/plan`, { body: { mode: 'REPAIR' } });
  expect(plan.status).toBe(200);
  const changes = plan.body.data.update.flatMap(
    (one: { changes: { from: unknown }[] }) => one.changes,
  );
  const listed = changes.filter(({ from }: { from: unknown }) => Array.isArray(from));
  expect([changes.length, listed.length]).toEqual([100, 50]);
  expect(changes.at(-1)).toMatchObject({ from: '50 overwrites', to: '50 overwrites' });
  expect(plan.body.data.notes.join()).toContain('Of 50 channels only the number');
});
