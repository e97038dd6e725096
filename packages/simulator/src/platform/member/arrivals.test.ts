import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openSocket } from '../../../test/gateway-client.ts';
import {
  botToken,
  freshId,
  startTestSimulator,
  type TestSimulator,
} from '../../../test/harness.ts';

let simulator: TestSimulator;

beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterAll(() => simulator.stop());

const as = (id: string) => (method: string, path: string, body?: unknown) =>
  simulator.call(method, path, body, botToken(id));

test('a wave of people joins evenly over its time, and not while invites are paused', async () => {
  const [guildId, ownId, banned] = [freshId(), freshId(), freshId()];
  await simulator.control('PUT', `/guilds/${guildId}`, { bans: [{ user: { id: banned } }] });
  const own = as(ownId);
  await own('GET', `/guilds/${guildId}`);
  const client = await openSocket(simulator.url);
  client.identify(ownId);
  await client.event('GUILD_CREATE');
  const join = (users: object[], overMs: number) =>
    simulator.control('POST', `/guilds/${guildId}/joins`, { users, overMs });
  const raiders = Array.from({ length: 20 }, (_, n) => ({
    ...{ id: freshId(), username: `raider${n}`, avatar: null },
  }));
  const startedAt = performance.now();
  expect(await join([{ id: banned }, ...raiders], 105)).toEqual({
    joined: raiders.map(({ id }) => id),
    refused: [{ id: banned, status: 403, code: 40007 }],
  });
  expect(performance.now() - startedAt).toBeGreaterThan(95);
  const frames = (await client.settle()).filter(({ t }) => t === 'GUILD_MEMBER_ADD');
  expect(frames).toHaveLength(20);
  expect(frames[0]?.d).toMatchObject({ user: { username: 'raider0', avatar: null } });

  const invites_disabled_until = new Date(Date.now() + 60_000).toISOString();
  await own('PUT', `/guilds/${guildId}/incident-actions`, { invites_disabled_until });
  const late = freshId();
  expect(await join([{ id: late }], 0)).toEqual({
    joined: [],
    refused: [{ id: late, status: 403, code: 0 }],
  });
});

test('a bot is added by somebody, in their name, with no more than they have, unless they may not', async () => {
  const [guildId, roleId, managerId, otherId] = [freshId(), freshId(), freshId(), freshId()];
  await simulator.control('PUT', `/guilds/${guildId}`, {
    roles: [
      { id: guildId, name: '@everyone', permissions: '1024' },
      // View the audit log, manage channels and the server.
      { id: roleId, name: 'Manager', permissions: String(0xb0) },
    ],
    members: [
      { user: { id: managerId, bot: false }, roles: [roleId] },
      { user: { id: otherId, bot: false } },
    ],
    botAccess: { isMember: false },
  });
  const botId = freshId();
  const add = (byUserId: string) =>
    simulator.control('POST', `/guilds/${guildId}/bots`, { botId, byUserId, permissions: '1048' });
  await expect(add(otherId)).rejects.toThrow('403');
  await add(managerId);
  const log = await (await as(managerId)('GET', `/guilds/${guildId}/audit-logs`)).json();
  expect(log.audit_log_entries[0]).toMatchObject({
    ...{ action_type: 28, user_id: managerId, target_id: botId },
  });
  const bot = as(botId);
  expect((await bot('POST', `/guilds/${guildId}/channels`, { name: 'spam' })).status).toBe(201);
  // Administrator was asked for and not given.
  expect((await bot('POST', `/guilds/${guildId}/roles`, { name: 'x' })).status).toBe(403);
});

test('a request takes the latency that is set', async () => {
  await simulator.control('PUT', '/latency', { ms: 120 });
  const startedAt = performance.now();
  await simulator.call('GET', '/users/@me');
  expect(performance.now() - startedAt).toBeGreaterThan(115);
  expect(await simulator.control('PUT', '/latency', { ms: 0 })).toEqual({ ms: 0 });
});
