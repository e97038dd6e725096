import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  type BackupFixture,
  createBackupFixture,
  expectExactStorage,
  type OwnedGuild,
} from '../../../../test/harness/backups/fixture.ts';
import {
  readPins,
  readTalk,
  readThreads,
  talkativeGuild,
} from '../../../../test/harness/guilds/talkative-guild.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { sharedSimulator, type TestSimulator } from '../../../../test/harness/simulator/start.ts';

let simulator: TestSimulator;
let service: TestService;
let fixture: BackupFixture;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService({ doesWork: ['backups.run', 'restores.run'] });
  fixture = createBackupFixture(service, simulator);
}, 30_000);
afterAll(() => service.stop());

const structure = ['settings', 'roles', 'channels'];
const everything = [...structure, 'messages', 'threads'];

const stateOf = ({ guildId }: OwnedGuild) => simulator.control('GET', `/guilds/${guildId}`);

const restore = async (server: OwnedGuild, backupId: string, body: object) => {
  const path = `${fixture.backupsOf(server.serverId)}/${backupId}/restore`;
  const reply = await server.tenant.call('POST', path, { body });
  expect(reply.status).toBe(202);
  return fixture.restored(server, reply.body.data.id);
};

const callsOf = async ({ guildId }: OwnedGuild, method: string, route: string) => {
  const log: { method: string; route: string; guildId: string }[] = await simulator.control(
    'GET',
    '/log',
  );
  return log.filter(
    (call) => call.guildId === guildId && call.method === method && call.route === route,
  ).length;
};

test('a restore posts messages, threads, files and pins again, as they were', async () => {
  const { state } = talkativeGuild({ channels: 2, messages: 9, threadMessages: 3 });
  const server = await fixture.newServer(state);
  const backup = await fixture.takeBackup(server, { components: everything });
  expect(backup).toMatchObject({ status: 'completed', components: everything, warnings: [] });
  expect(backup.counts).toMatchObject({ messages: state.messages.length, threads: 6 });

  const restored = await restore(server, backup.id, { components: everything });
  expect(restored).toMatchObject({ status: 'completed', warnings: [] });
  const after = await stateOf(server);
  expect(readTalk(after)).toEqual(readTalk(state));
  expect(readPins(after)).toEqual(readPins(state));
  expect(readThreads(after)).toEqual(readThreads(state));
  expect(after.webhooks).toEqual([]);
  expect(await callsOf(server, 'POST', '/webhooks/:id/:id')).toBe(state.messages.length);
  expect(restored.steps.done).toBe(restored.steps.total);
  await expectExactStorage(fixture, server);
}, 60_000);
