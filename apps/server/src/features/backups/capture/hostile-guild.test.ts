import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type BackupFixture,
  createBackupFixture,
  type OwnedGuild,
} from '../../../../test/harness/backups/fixture.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import {
  startTestSimulator,
  type TestSimulator,
} from '../../../../test/harness/simulator/start.ts';
import { newId } from '../../../kernel/ids.ts';

let simulator: TestSimulator;
let service: TestService;
let fixture: BackupFixture;
beforeAll(async () => {
  simulator = await startTestSimulator();
  const doesWork = ['backups.run', 'backups.release'];
  service = await startTestService({ platformApiUrl: simulator.apiUrl, doesWork });
  fixture = createBackupFixture(service, simulator);
});
afterAll(async () => {
  await service.stop();
  await simulator.stop();
});

describe('a request for a backup', () => {
  test.each<[string, object]>([
    ['components', { components: ['roles', 'roles'] }],
    ['components', { components: [] }],
    ['components', { components: ['everything'] }],
    ['components', { components: 'roles' }],
    ['components', { components: [null] }],
    ['messagesPerChannel', { components: ['messages'], messagesPerChannel: 1001 }],
    ['messagesPerChannel', { components: ['messages'], messagesPerChannel: -1 }],
    ['messagesPerChannel', { components: ['messages'], messagesPerChannel: 1.5 }],
    ['messagesPerChannel', { components: ['messages'], messagesPerChannel: '10' }],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'a\u0000b' }],
    ['name', { name: 'lone \ud800' }],
    ['name', { name: null }],
  ])('with wrong %s is refused on that field: %j', async (field, body) => {
    const { tenant, serverId } = await fixture.newServer();
    const refused = await tenant.call('POST', fixture.backupsOf(serverId), { body });
    expect(refused.status).toBe(400);
    expect(Object.keys(refused.body.details.fieldErrors)).toEqual([field]);
    const listed = await tenant.call('GET', fixture.backupsOf(serverId));
    expect(listed.body.pagination.total).toBe(0);
  });

  test.each([0, 1, 1000])('may ask for %i messages of each channel', async (messagesPerChannel) => {
    const server = await fixture.newServer();
    const body = { name: '𝕏'.repeat(50), components: ['channels', 'messages'], messagesPerChannel };
    const backup = await fixture.takeBackup(server, body);
    const guild = await simulator.control('GET', `/guilds/${server.guildId}`);
    // Messages of threads belong to the component threads.
    const ids = new Set(guild.channels.map(({ id }: { id: string }) => id));
    const messages = guild.messages.filter((one: { channel_id: string }) =>
      ids.has(one.channel_id),
    );
    const channels = new Set(messages.map(({ channel_id }: { channel_id: string }) => channel_id));
    expect(backup).toMatchObject({ status: 'completed', components: body.components });
    expect(backup.name).toBe(body.name);
    const expected = [0, channels.size, messages.length][[0, 1, 1000].indexOf(messagesPerChannel)];
    expect(backup.counts.messages).toBe(expected);
  });
});

test("another's backup is answered like one that is not there", async () => {
  const [own, foreign] = [await fixture.newServer(), await fixture.newServer()];
  const backupId = await fixture.begin(foreign);
  const sibling = await fixture.newServer(undefined, own.tenant);
  const siblingsBackupId = await fixture.begin(sibling);
  const path = (id: string) => `${fixture.backupsOf(own.serverId)}/${id}`;
  for (const [method, ending] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/restore'],
    ['POST', '/plan'],
  ] as const) {
    const unknown = await own.tenant.call(method, path(newId()) + ending);
    expect(unknown.status).toBe(404);
    for (const id of [backupId, siblingsBackupId]) {
      const reply = await own.tenant.call(method, path(id) + ending);
      expect([reply.status, reply.text]).toEqual([404, unknown.text]);
    }
  }
  expect((await fixture.ended(foreign, backupId)).status).toBe('completed');
  expect((await fixture.ended(sibling, siblingsBackupId)).status).toBe('completed');
});

test('a picture that cannot be had is a warning that names it', async () => {
  const server = await fixture.newServer({ emojis: [{ id: '5', name: 'lost' }] });
  const backup = await fixture.takeBackup(server);
  expect(backup).toMatchObject({ status: 'completed', counts: { emojis: 1 } });
  expect(backup.warnings).toEqual([
    'The emoji lost has no picture in this backup: the platform did not give it',
  ]);
});

const answerWith = ({ guildId }: OwnedGuild, route: string, fault: object) =>
  simulator.control('POST', '/faults', {
    match: { method: 'GET', route, guildId },
    action: 'status',
    times: 1000,
    ...fault,
  });

const readsOf = async ({ guildId }: OwnedGuild, route: string): Promise<number> => {
  const log: { guildId: string; route: string }[] = await simulator.control('GET', '/log');
  return log.filter((call) => call.guildId === guildId && call.route === route).length;
};

type Fault = { what: string; route: string; status: number; body: unknown };

const faults: Fault[] = [
  { what: 'no access', route: '/guilds/:id/channels', status: 403, body: { code: 50001 } },
  { what: 'no permission', route: '/guilds/:id', status: 403, body: { code: 50013 } },
  { what: 'no list', route: '/guilds/:id/channels', status: 200, body: 'rubbish' },
  { what: 'half a channel', route: '/guilds/:id/channels', status: 200, body: [{ id: 1 }] },
  { what: 'half a guild', route: '/guilds/:id', status: 200, body: {} },
];

const failUnder = async ({ what, route, status, body }: Fault) => {
  const server = await fixture.newServer({});
  const readBefore = await readsOf(server, route);
  await answerWith(server, route, { status, body });
  const backup = await fixture.takeBackup(server);
  const reads = (await readsOf(server, route)) - readBefore;
  // Longer than the queue waits before it tries again.
  await Bun.sleep(3000);
  const readsLater = (await readsOf(server, route)) - readBefore;
  return { what, backup, reads, readsLater };
};

test('a platform that gives no core section, or makes no sense, fails a backup once and for all', async () => {
  for (const { what, backup, reads, readsLater } of await Promise.all(faults.map(failUnder))) {
    expect([what, backup.status, backup.checksum, backup.sizeBytes]).toEqual([
      what,
      'failed',
      null,
      0,
    ]);
    expect(backup.error).toStartWith('The ');
    expect([what, reads > 0 && reads <= 3, readsLater]).toEqual([what, true, reads]);
  }
});

test('bans and members that the bot may not read are left out, and said so', async () => {
  const server = await fixture.newServer({});
  const body = { code: 50013, message: 'Missing Permissions' };
  await answerWith(server, '/guilds/:id/bans', { status: 403, body });
  await answerWith(server, '/guilds/:id/members', { status: 403, body });
  const backup = await fixture.takeBackup(server);
  expect(backup.status).toBe('completed');
  expect(backup.components).toEqual([
    ...['settings', 'roles', 'channels', 'emojis', 'stickers', 'automod', 'onboarding'],
    ...['welcomeScreen', 'events', 'soundboard', 'webhooks'],
  ]);
  expect(backup.warnings.toSorted()).toEqual([
    'The bans are not in this backup: the bot may not read them without the permission Ban Members',
    'The roles and nicknames of members are not in this backup: the bot may not read them',
  ]);
});
