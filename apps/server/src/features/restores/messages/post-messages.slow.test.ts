import { expect, test } from 'bun:test';
import {
  expectExactStorage,
  type OwnedGuild,
  startBackupFixture,
} from '../../../../test/harness/backups/fixture.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  readPins,
  readTalk,
  readThreads,
  talkativeGuild,
} from '../../../../test/harness/guilds/talkative-guild.ts';

const { simulator, fixture } = await startBackupFixture({
  doesWork: ['backups.run', 'restores.run'],
});

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
  const { state } = talkativeGuild({ channels: 2, messages: 14, threadMessages: 3 });
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
});

test('a restore that does not name messages posts none, and a repair posts only into new channels', async () => {
  const { state } = talkativeGuild({ channels: 2, messages: 4, threadMessages: 1 });
  const server = await fixture.newServer(state);
  const backup = await fixture.takeBackup(server, { components: everything });
  const [kept, deleted] = state.channels;
  const left = await stateOf(server);
  await simulator.control('PUT', `/guilds/${server.guildId}`, {
    ...left,
    guild: { ...left.guild, public_updates_channel_id: kept?.id },
    channels: left.channels.filter(({ id }: { id: string }) => id !== deleted?.id),
    messages: left.messages.filter(
      ({ channel_id }: { channel_id: string }) => channel_id !== deleted?.id,
    ),
    threads: left.threads.filter(
      ({ parent_id }: { parent_id: string }) => parent_id !== deleted?.id,
    ),
  });
  const repaired = await restore(server, backup.id, { components: everything, mode: 'REPAIR' });
  expect(repaired).toMatchObject({ status: 'completed', warnings: [] });
  const after = await stateOf(server);
  const posted = after.messages.filter(({ webhook_id }: { webhook_id?: string }) => webhook_id);
  const ofDeleted = new Set([
    deleted?.id,
    ...state.threads.filter(({ parent_id }) => parent_id === deleted?.id).map(({ id }) => id),
  ]);
  expect(posted).toHaveLength(
    state.messages.filter(({ channel_id }) => ofDeleted.has(channel_id)).length,
  );

  const bare = await restore(server, backup.id, {});
  expect(bare.status).toBe('completed');
  const { messages } = await stateOf(server);
  expect(messages.some(({ webhook_id }: { webhook_id?: string }) => webhook_id)).toBe(false);
});

test('a post whose outcome is not known is looked for before it is repeated', async () => {
  const { state } = talkativeGuild({ channels: 1, messages: 5, threadMessages: 1 });
  const server = await fixture.newServer(state);
  const backup = await fixture.takeBackup(server, { components: everything });
  const match = { method: 'POST', route: '/webhooks/:id/:id', guildId: server.guildId };
  for (const nth of [2, 5]) {
    const fault = { match, nth, action: 'reset' };
    await simulator.control('POST', '/faults', { ...fault, when: 'afterApply' });
    await simulator.control('POST', '/faults', { ...fault, when: 'before', nth: nth + 1 });
  }
  const restored = await restore(server, backup.id, { components: everything });
  expect(restored).toMatchObject({ status: 'completed', warnings: [] });
  expect(readTalk(await stateOf(server))).toEqual(readTalk(state));
});

test('a platform that refuses to post leaves the structure whole, and the count of what is missing', async () => {
  const { state } = talkativeGuild({ channels: 1, messages: 4, threadMessages: 0 });
  const server = await fixture.newServer(state);
  const backup = await fixture.takeBackup(server, { components: everything });
  await simulator.control('POST', '/faults', {
    match: { method: 'POST', route: '/webhooks/:id/:id', guildId: server.guildId },
    ...{ action: 'status', status: 400 },
    body: { code: 50035, message: 'Invalid Form Body' },
  });
  const restored = await restore(server, backup.id, { components: everything });
  expect(restored.status).toBe('partial');
  expect(restored.steps.failed).toBe(1);
  // The first of either channel, which are filled at the same time.
  expect(restored.warnings).toEqual([
    expect.stringMatching(/^messages of #(help: 1 of 2|talk-0: 1 of 4) are missing: /),
  ]);
  const after = await stateOf(server);
  const names = after.channels.map(({ name }: { name: string }) => name);
  expect(names.toSorted()).toEqual(['help', 'talk-0']);
  expect(after.webhooks).toEqual([]);
});

test('without the right to manage webhooks a restore says so, after everything else is done', async () => {
  const { state } = talkativeGuild({ channels: 1, messages: 2, threadMessages: 1 });
  const server = await fixture.newServer(state);
  const backup = await fixture.takeBackup(server, { components: everything });
  await simulator.control('POST', '/faults', {
    match: { method: 'POST', route: '/channels/:id/webhooks', guildId: server.guildId },
    ...{ times: 100, action: 'status', status: 403 },
    body: { code: 50013, message: 'Missing Permissions' },
  });
  const restored = await restore(server, backup.id, { components: everything });
  expect(restored.status).toBe('partial');
  expect(restored.warnings.toSorted()).toEqual([
    expect.stringMatching(/^messages of #help: 4 of 4 are missing: The bot lacks a permission/),
    expect.stringMatching(/^messages of #talk-0: 3 of 3 are missing: The bot lacks a permission/),
  ]);
  expect(restored.steps.done + restored.steps.failed).toBe(restored.steps.total);
});

test('a restore that is cancelled while it posts stops, and leaves no webhook', async () => {
  const { state } = talkativeGuild({ channels: 1, messages: 40, threadMessages: 1 });
  const server = await fixture.newServer(state);
  const backup = await fixture.takeBackup(server, { components: everything });
  await simulator.control('POST', '/faults', {
    match: { method: 'POST', route: '/webhooks/:id/:id', guildId: server.guildId },
    ...{ times: 1000, action: 'delay', ms: 200 },
  });
  const path = `${fixture.backupsOf(server.serverId)}/${backup.id}/restore`;
  const { id } = (await server.tenant.call('POST', path, { body: { components: everything } })).body
    .data;
  await eventually(30_000, async () => expect((await stateOf(server)).webhooks).not.toEqual([]));
  expect((await server.tenant.call('POST', `/api/v1/restores/${id}/cancel`)).status).toBe(200);
  expect((await fixture.restored(server, id)).status).toBe('cancelled');
  const after = await stateOf(server);
  expect(after.webhooks).toEqual([]);
  expect(after.messages.length).toBeLessThan(state.messages.length);
});
