import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ALL_INTENTS, openSocket } from '../../../test/gateway-client.ts';
import {
  botToken,
  freshId,
  startTestSimulator,
  type TestSimulator,
} from '../../../test/harness.ts';

let simulator: TestSimulator;

beforeAll(async () => {
  simulator = await startTestSimulator();
  await simulator.control('PUT', '/gateway', { concurrencyMs: 0 });
});
afterAll(() => simulator.stop());

const Intent = { Guilds: 1, Members: 2, Moderation: 4, Messages: 1 << 9, Content: 1 << 15 };

const call = async (botId: string, method: string, path: string, body?: unknown) => {
  const response = await simulator.call(method, path, body, botToken(botId));
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  const text = await response.text();
  return text === '' ? null : JSON.parse(text);
};

const listen = async (botId: string, intents = ALL_INTENTS) => {
  const client = await openSocket(simulator.url);
  client.identify(botId, intents);
  await client.event('READY');
  await client.settle();
  const from = client.frames.length;
  /** What was told since it began to listen. */
  const told = async () =>
    (await client.settle()).slice(from).flatMap(({ t, d }) => (t ? [{ t, d }] : []));
  const names = async () => (await told()).map(({ t }) => t);
  return { ...client, told, names };
};

/** A server that both bots are in. */
const setUp = async () => {
  const [guildId, botId, otherId] = [freshId(), freshId(), freshId()];
  for (const id of [botId, otherId]) await call(id, 'GET', `/guilds/${guildId}`);
  return { guildId, botId, otherId };
};

test('a session is told only what its intents cover, and of its own member always', async () => {
  const { guildId, botId, otherId } = await setUp();
  const listener = await listen(botId, Intent.Guilds);
  const role = await call(otherId, 'POST', `/guilds/${guildId}/roles`, { name: 'x' });
  await call(otherId, 'PUT', `/guilds/${guildId}/bans/${freshId()}`, {});
  await call(otherId, 'PATCH', `/guilds/${guildId}/members/@me`, { nick: 'Other' });
  await call(botId, 'PATCH', `/guilds/${guildId}/members/@me`, { nick: 'Own' });
  const told = await listener.told();
  const names = told.map(({ t }) => t).filter((name) => name !== 'GUILD_ROLE_UPDATE');
  expect(names).toEqual(['GUILD_ROLE_CREATE', 'GUILD_MEMBER_UPDATE']);
  expect(told[0]?.d).toMatchObject({ guild_id: guildId, role: { id: role.id } });
  expect(told.at(-1)?.d).toMatchObject({ nick: 'Own', user: { id: botId } });
});

test('without its intent the content of messages is empty, except of own ones and mentions', async () => {
  const { guildId, botId, otherId } = await setUp();
  const { id } = await call(botId, 'POST', `/guilds/${guildId}/channels`, { name: 'deck' });
  const without = await listen(botId, Intent.Messages);
  const withContent = await listen(otherId, Intent.Messages | Intent.Content);
  const say = (speaker: string, content: string) =>
    call(speaker, 'POST', `/channels/${id}/messages`, { content });
  await say(otherId, 'Secret');
  await say(otherId, `For <@${botId}>`);
  await say(botId, 'Mine');
  const contents = (told: { d: unknown }[]) => told.map(({ d }) => Object(d).content);
  expect(contents(await without.told())).toEqual(['', `For <@${botId}>`, 'Mine']);
  expect(contents(await withContent.told())).toEqual(['Secret', `For <@${botId}>`, 'Mine']);
  expect((await without.told())[0]?.d).toMatchObject({
    guild_id: guildId,
    author: { id: otherId },
    member: { roles: [expect.any(String)] },
  });
});

test('who does not see a channel hears nothing that is said there', async () => {
  const [guildId, botId, otherId, admin, channelId] = Array.from({ length: 5 }, freshId);
  await simulator.control('PUT', `/guilds/${guildId}`, {
    roles: [
      { id: guildId, name: '@everyone', permissions: '1024' },
      { id: admin, name: 'Admin', permissions: '8' },
    ],
    channels: [
      {
        id: channelId,
        name: 'hidden',
        permission_overwrites: [{ id: guildId, type: 0, deny: '1024' }],
      },
    ],
    members: [{ user: { id: botId } }, { user: { id: otherId }, roles: [admin] }],
  });
  const listener = await listen(String(botId));
  await call(String(otherId), 'POST', `/channels/${channelId}/messages`, { content: 'Hush' });
  // Its member may not read the audit log either.
  await call(String(otherId), 'PATCH', `/guilds/${guildId}`, { name: 'Renamed' });
  expect(await listener.names()).toEqual(['GUILD_UPDATE']);
});

test('who is kicked is told that the server is gone, the others that somebody left', async () => {
  const { guildId, botId, otherId } = await setUp();
  const [stays, goes] = [await listen(botId), await listen(otherId)];
  await call(botId, 'DELETE', `/guilds/${guildId}/members/${otherId}`);
  expect(await goes.told()).toEqual([{ t: 'GUILD_DELETE', d: { id: guildId } }]);
  expect(await stays.names()).toContain('GUILD_MEMBER_REMOVE');
  expect(await stays.names()).toContain('INTEGRATION_DELETE');
});

test('people who come and go by the control API are told of, without an entry of the log', async () => {
  const { guildId, botId } = await setUp();
  const listener = await listen(botId);
  const userId = freshId();
  await simulator.control('PUT', `/users/${userId}`, { guildIds: [guildId] });
  await simulator.control('PUT', `/users/${userId}`, { username: 'Renamed' });
  await simulator.control('PUT', `/users/${userId}`, { guildIds: [] });
  expect((await listener.told()).map(({ t, d }) => [t, Object(d).user.id])).toEqual([
    ['GUILD_MEMBER_ADD', userId],
    ['GUILD_MEMBER_UPDATE', userId],
    ['GUILD_MEMBER_REMOVE', userId],
  ]);
});

test('a server that is set anew is told of by what is different', async () => {
  const { guildId, botId } = await setUp();
  const state = await simulator.control('GET', `/guilds/${guildId}`);
  const listener = await listen(botId);
  const [gone, changed, ...rest] = state.channels;
  await simulator.control('PUT', `/guilds/${guildId}`, {
    ...state,
    guild: { ...state.guild, name: 'Renamed' },
    channels: [{ ...changed, name: 'renamed' }, ...rest],
    emojis: [],
  });
  const told = await listener.told();
  expect(told.map(({ t }) => t)).toEqual([
    ...['GUILD_UPDATE', 'CHANNEL_DELETE', 'CHANNEL_UPDATE', 'GUILD_EMOJIS_UPDATE'],
  ]);
  expect(told[1]?.d).toMatchObject({ id: gone.id });
  expect(told[2]?.d).toMatchObject({ id: changed.id, name: 'renamed' });
});

test('a connected bot stays in a server that is set anew, unless the server lets no bots in', async () => {
  const { guildId, botId } = await setUp();
  const listener = await listen(botId);
  await simulator.control('PUT', `/guilds/${guildId}`, { channels: [{ name: 'alone' }] });
  expect(await listener.names()).not.toContain('GUILD_DELETE');
  const roles = await call(botId, 'GET', `/guilds/${guildId}/roles`);
  expect(roles).toHaveLength(2);
  await simulator.control('PUT', `/guilds/${guildId}`, { botAccess: { isMember: false } });
  expect((await listener.told()).at(-1)).toEqual({ t: 'GUILD_DELETE', d: { id: guildId } });
  await simulator.control('PUT', `/guilds/${guildId}`, { members: [{ user: { id: botId } }] });
  expect((await listener.names()).at(-1)).toBe('GUILD_CREATE');
});

test('dispatches are dropped, sent twice and put off as control says, and a resume brings the dropped', async () => {
  const { guildId, botId } = await setUp();
  const client = await openSocket(simulator.url);
  client.identify(botId, Intent.Guilds);
  const { session_id } = await client.event('READY');
  await client.settle();
  const seen = client.lastSeq();
  const rename = (name: string) => call(botId, 'PATCH', `/guilds/${guildId}`, { name });
  const setFaults = (faults: object) =>
    simulator.control('PUT', '/gateway/faults', { botId, ...faults });
  await setFaults({ drop: 1 });
  await rename('dropped');
  await setFaults({ duplicate: 1 });
  await rename('doubled');
  await setFaults({ delayMs: 30 });
  await rename('late');
  const nameOf = ({ d }: { d: unknown }) => Object(d).name;
  const since = (await client.settle()).filter(({ t, s }) => t && Number(s) > seen);
  expect(since.map(({ s }) => s)).toEqual([seen + 2, seen + 2]);
  await client.find((frame) => nameOf(frame) === 'late');
  await setFaults({});
  client.socket.close(4000);
  await client.closed;
  const again = await openSocket(simulator.url);
  again.resume(botId, session_id, seen);
  await again.event('RESUMED');
  expect(again.frames.filter(({ t }) => t === 'GUILD_UPDATE').map(nameOf)).toEqual([
    ...['dropped', 'doubled', 'late'],
  ]);
});

test('a bot that joins a server while it is connected is told of it', async () => {
  const { botId } = await setUp();
  const listener = await listen(botId);
  const joinedId = freshId();
  await call(botId, 'GET', `/guilds/${joinedId}`);
  // Its own role and the log's entry of its coming are part of the guild that it sees.
  expect((await listener.told()).map(({ t, d }) => [t, Object(d).id])).toEqual([
    ['GUILD_CREATE', joinedId],
  ]);
});

test('a deleted server is gone for its bots and does not come back by being asked for', async () => {
  const { botId, guildId } = await setUp();
  const listener = await listen(botId);
  await simulator.control('DELETE', `/guilds/${guildId}`);
  expect(await listener.event('GUILD_DELETE')).toEqual({ id: guildId });
  const answer = await simulator.call('GET', `/guilds/${guildId}`, undefined, botToken(botId));
  expect(answer.status).toBe(404);
});
