import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { OwnedGuild } from '../../../../test/harness/backups/fixture.ts';
import { type PeopleFixture, startPeopleFixture } from '../../../../test/harness/erasure/people.ts';
import { createRedactionFixture } from '../../../../test/harness/erasure/redaction.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { readTalk, talkativeGuild } from '../../../../test/harness/guilds/talkative-guild.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';

let people: PeopleFixture;
let fixture: ReturnType<typeof createRedactionFixture>;
beforeAll(async () => {
  people = await startPeopleFixture({ doesWork: ['backups.run', 'restores.run', 'servers.purge'] });
  fixture = createRedactionFixture(people);
});
afterEach(() => people.simulator.control('DELETE', '/faults'));
afterAll(() => people.stop());

const components = ['settings', 'roles', 'channels', 'messages', 'threads'];

const stateOf = ({ guildId }: OwnedGuild) => people.simulator.control('GET', `/guilds/${guildId}`);

type Call = { method: string; route: string; guildId: string; reason: string | null };

const begin = async (server: OwnedGuild, backupId: string): Promise<string> => {
  const path = `${fixture.backups.backupsOf(server.serverId)}/${backupId}/restore`;
  const reply = await server.tenant.call('POST', path, { body: { components } });
  expect(reply.status).toBe(202);
  return reply.body.data.id;
};

const disturb = ({ guildId }: OwnedGuild, fault: object) =>
  people.simulator.control('POST', '/faults', {
    match: { method: 'POST', route: '/webhooks/:id/:id', guildId },
    ...fault,
  });

const untilPosted = (server: OwnedGuild, least: number) =>
  eventually(30_000, async () => {
    const { messages } = await stateOf(server);
    const posted = messages.filter(({ webhook_id }: { webhook_id?: string }) => webhook_id);
    expect(posted.length).toBeGreaterThanOrEqual(least);
  });

test('who erases themselves while messages are posted is in none that is posted later', async () => {
  const person = await fixture.newPerson();
  const other = { id: randomPlatformId(), username: 'Friend' };
  const author = { id: person.platformId, username: person.canary };
  const { state } = talkativeGuild({ channels: 1, messages: 12, threadMessages: 0 }, [
    other,
    author,
  ]);
  // Theirs is the first line of the channel, which is posted before they are erased, and its last half.
  const talk = state.messages.filter(({ channel_id }) => channel_id === state.channels[0]?.id);
  const theirs = new Set([talk[0], ...talk.slice(6)]);
  const messages = state.messages.map(({ message_reference: _, ...message }, at) => ({
    ...message,
    author: theirs.has(state.messages[at]) ? author : other,
  }));
  const server = await fixture.backups.newServer({ ...state, messages });
  const { id: backupId } = await fixture.backups.takeBackup(server, { components });
  await disturb(server, { times: 1000, action: 'delay', ms: 300 });
  const isTheirs = (message: { webhook_id?: string }) =>
    message.webhook_id !== undefined && JSON.stringify(message).includes(person.platformId);
  const restoreId = await begin(server, backupId);
  await eventually(30_000, async () =>
    expect((await stateOf(server)).messages.filter(isTheirs)).toHaveLength(1),
  );
  expect((await fixture.erase(person)).status).toBe(200);
  await people.simulator.control('DELETE', '/faults');
  const restored = await fixture.backups.restored(server, restoreId);
  expect(restored).toMatchObject({ status: 'completed', warnings: [] });
  expect(restored.steps).toMatchObject({ done: restored.steps.total, failed: 0 });
  const after = await stateOf(server);
  expect(after.messages.filter(isTheirs)).toHaveLength(1);
  const posted = after.messages.filter(({ webhook_id }: { webhook_id?: string }) => webhook_id);
  expect(posted).toHaveLength(state.messages.length - theirs.size + 1);
  expect(after.webhooks).toEqual([]);
}, 240_000);

test('a platform that asks for a wait while messages are posted gets each of them once, in order', async () => {
  const { state } = talkativeGuild({ channels: 1, messages: 6, threadMessages: 1 });
  const server = await fixture.backups.newServer(state);
  const { id: backupId } = await fixture.backups.takeBackup(server, { components });
  for (const nth of [2, 4]) {
    await disturb(server, {
      ...{ nth, action: 'status', status: 429 },
      ...{ headers: { 'Retry-After': '1', 'X-RateLimit-Scope': 'shared' } },
      body: { message: 'You are being rate limited.', retry_after: 0.3, global: false },
    });
  }
  const restored = await fixture.backups.restored(server, await begin(server, backupId));
  expect(restored).toMatchObject({ status: 'completed', warnings: [] });
  expect(readTalk(await stateOf(server))).toEqual(readTalk(state));
}, 240_000);

test('a server whose record is deleted while messages are posted keeps no webhook of ours', async () => {
  const { state } = talkativeGuild({ channels: 2, messages: 30, threadMessages: 0 });
  const server = await fixture.backups.newServer(state);
  const { id: backupId } = await fixture.backups.takeBackup(server, { components });
  await disturb(server, { times: 1000, action: 'delay', ms: 150 });
  await begin(server, backupId);
  await untilPosted(server, 1);
  expect((await stateOf(server)).webhooks).not.toEqual([]);
  const deletion = await server.tenant.call('DELETE', `/api/v1/servers/${server.serverId}`);
  expect(deletion.status).toBe(200);
  await eventually(30_000, async () => expect((await stateOf(server)).webhooks).toEqual([]));
  const { messages } = await stateOf(server);
  expect(messages.length).toBeLessThan(state.messages.length);
}, 240_000);

test("every change that a restore makes says in the guild's audit log which restore it is", async () => {
  const { state } = talkativeGuild({ channels: 1, messages: 4, threadMessages: 1 });
  const server = await fixture.backups.newServer(state);
  const { id: backupId } = await fixture.backups.takeBackup(server, { components });
  const restoreId = await begin(server, backupId);
  expect((await fixture.backups.restored(server, restoreId)).status).toBe('completed');
  const log: Call[] = await people.simulator.control('GET', '/log');
  const changes = log.filter(
    // The platform's audit log has no entries of what webhooks post.
    ({ method, route, guildId }) =>
      guildId === server.guildId && method !== 'GET' && route !== '/webhooks/:id/:id',
  );
  expect(changes.length).toBeGreaterThan(6);
  const other = changes.filter(({ reason }) => reason !== `Holdfast restore ${restoreId}`);
  expect(other.map(({ method, route }) => `${method} ${route}`)).toEqual([]);
}, 240_000);
