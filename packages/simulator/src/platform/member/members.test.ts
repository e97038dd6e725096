import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type APIRole, type REST, Routes } from 'discord.js';
import {
  answerOf,
  botToken,
  freshId,
  refusalOf,
  startTestSimulator,
  type TestSimulator,
} from '../../../test/harness.ts';

const clientId = '900000000000000002';
let simulator: TestSimulator;
let rest: REST;

beforeAll(async () => {
  simulator = await startTestSimulator();
  rest = simulator.rest(botToken(clientId));
});
afterAll(() => simulator.stop());

const authorize = async (userId: string, application = clientId) => {
  const scopes = ['identify', 'guilds.join'];
  const pair = await simulator.control('POST', '/tokens', {
    clientId: application,
    userId,
    scopes,
  });
  return String(pair.access_token);
};

const add = (guildId: string, userId: string, accessToken: string, more: object = {}) =>
  simulator.call(
    'PUT',
    `/guilds/${guildId}/members/${userId}`,
    { access_token: accessToken, ...more },
    botToken(clientId),
  );

const outcomeOf = async (response: Response) => {
  const text = await response.text();
  return `${response.status}/${text ? (JSON.parse(text).code ?? '') : ''}`;
};

test('a member is added once, and an existing member gets no roles', async () => {
  const guildId = freshId();
  const userId = freshId();
  const role = await answerOf<APIRole>(rest.post(Routes.guildRoles(guildId), { body: {} }));
  const token = await authorize(userId);
  expect(await outcomeOf(await add(guildId, userId, token))).toBe('201/');
  expect(await outcomeOf(await add(guildId, userId, token, { roles: [role.id] }))).toBe('204/');
  expect(await rest.get(Routes.guildMember(guildId, userId))).toMatchObject({ roles: [] });
  const newcomer = freshId();
  const added = await add(guildId, newcomer, await authorize(newcomer), { roles: [role.id] });
  expect(await added.json()).toMatchObject({ roles: [role.id], user: { id: newcomer } });
});

test('every reason not to add a member has its own error', async () => {
  const guildId = freshId();
  const refuse = async (changes: object, prepare?: (userId: string) => Promise<unknown>) => {
    const userId = freshId();
    const token = await authorize(userId);
    await simulator.control('PUT', `/users/${userId}`, changes);
    await prepare?.(userId);
    return outcomeOf(await add(guildId, userId, token));
  };
  const ban = (userId: string) => rest.put(Routes.guildBan(guildId, userId), { body: {} });
  expect(await refuse({ tokenState: 'revoked' })).toBe('403/50025');
  expect(await refuse({ tokenState: 'expired' })).toBe('403/50025');
  expect(await refuse({}, ban)).toBe('403/40007');
  expect(await refuse({ atGuildCap: true })).toBe('400/30001');
  expect(await refuse({ unknown: true })).toBe('404/10013');
  const full = freshId();
  await simulator.control('PUT', `/guilds/${full}`, { guild: { max_members: 1 } });
  const userId = freshId();
  const token = await authorize(userId);
  expect(await outcomeOf(await add(full, userId, token))).toBe('400/30019');
  const weak = freshId();
  await simulator.control('PUT', `/guilds/${weak}`, {
    roles: [{ id: weak, name: '@everyone', permissions: '0' }],
    botAccess: { permissions: '0' },
  });
  expect(await outcomeOf(await add(weak, userId, token))).toBe('403/50013');
  const foreign = freshId();
  await simulator.control('PUT', `/guilds/${foreign}`, { botAccess: { isMember: false } });
  expect(await outcomeOf(await add(foreign, userId, token))).toBe('403/50001');
  const otherToken = await authorize(userId, '900000000000000003');
  expect(await outcomeOf(await add(guildId, userId, otherToken))).toBe('403/50025');
});

test('in strict mode what was not set does not exist', async () => {
  const strict = await startTestSimulator({ isOpen: false });
  await strict.control('PUT', `/bots/${clientId}`, { botToken: botToken(clientId) });
  const bot = strict.rest(botToken(clientId));
  expect(await refusalOf(bot.get(Routes.guild(freshId())))).toBe('404/10004');
  expect((await strict.call('GET', '/guilds/1', undefined, 'nonsense')).status).toBe(401);
  await strict.stop();
});

test('members are searched by the beginning of a name', async () => {
  const guildId = freshId();
  const members = ['heron', 'hare', 'fox'].map((username) => ({
    user: { id: freshId(), username },
  }));
  await simulator.control('PUT', `/guilds/${guildId}`, { members });
  const query = new URLSearchParams({ query: 'H', limit: '10' });
  const found = await rest.get(Routes.guildMembersSearch(guildId), { query });
  expect(found).toMatchObject([{ user: { username: 'heron' } }, { user: { username: 'hare' } }]);
});
