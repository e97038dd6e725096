import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { APIAuditLogEntry, APIChannel } from 'discord-api-types/v10';
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
  await simulator.control('PUT', '/gateway', { concurrencyMs: 0 });
});
afterAll(() => simulator.stop());

const VIEW = '1024';
const denied = (id: string) => ({ id, type: 0, allow: '0', deny: VIEW });

/** A closed category: one channel follows it, one has no overwrites, one more than the category. */
const setUp = async () => {
  const [guildId, botId, roleId] = [freshId(), freshId(), freshId()];
  const [category, follower, open, staff] = [freshId(), freshId(), freshId(), freshId()];
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await simulator.call(method, path, body, botToken(botId));
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  const closed = denied(guildId);
  const inside = { parent_id: category };
  await simulator.control('PUT', `/guilds/${guildId}`, {
    roles: [
      { id: guildId, name: '@everyone', permissions: VIEW },
      { id: roleId, name: 'Staff' },
    ],
    channels: [
      { id: category, name: 'Closed', type: 4, permission_overwrites: [closed] },
      { id: follower, name: 'follower', ...inside, permission_overwrites: [closed] },
      { id: open, name: 'open', ...inside },
      { id: staff, name: 'staff', ...inside, permission_overwrites: [closed, denied(roleId)] },
    ],
    members: [{ user: { id: botId, bot: true }, roles: [] }, { user: { id: roleId } }],
    guild: { owner_id: botId },
  });
  const overwritesOf = async (id: string) => {
    const channel: { permission_overwrites?: { id: string; allow: string; deny: string }[] } =
      await call('GET', `/channels/${id}`);
    return channel.permission_overwrites?.map((one) => `${one.id} +${one.allow} -${one.deny}`);
  };
  return { guildId, botId, roleId, category, follower, open, staff, call, overwritesOf, closed };
};

test('what equals its category follows every change of its overwrites, and nothing else does', async () => {
  const { guildId, roleId, category, follower, open, staff, call, overwritesOf } = await setUp();
  const before = [await overwritesOf(open), await overwritesOf(staff)];
  await call('PUT', `/channels/${category}/permissions/${roleId}`, { type: 0, allow: VIEW });
  const both = [`${guildId} +0 -${VIEW}`, `${roleId} +${VIEW} -0`];
  expect(await overwritesOf(follower)).toEqual(both);
  await call('DELETE', `/channels/${category}/permissions/${guildId}`);
  expect(await overwritesOf(follower)).toEqual([`${roleId} +${VIEW} -0`]);
  await call('PATCH', `/channels/${category}`, { permission_overwrites: [] });
  expect(await overwritesOf(follower)).toEqual([]);
  expect([await overwritesOf(open), await overwritesOf(staff)]).toEqual(before);
});

test('a channel that was changed itself follows no longer, and one that equals its category again does', async () => {
  const { guildId, roleId, category, follower, call, overwritesOf, closed } = await setUp();
  await call('PUT', `/channels/${follower}/permissions/${roleId}`, { type: 0, deny: '2048' });
  await call('PATCH', `/channels/${category}`, { permission_overwrites: [] });
  expect(await overwritesOf(follower)).toContain(`${guildId} +0 -${VIEW}`);
  // What neither allows nor denies makes no difference.
  const nothing = { id: roleId, type: 0, allow: '0', deny: '0' };
  await call('PATCH', `/channels/${follower}`, { permission_overwrites: [nothing] });
  await call('PATCH', `/channels/${category}`, { permission_overwrites: [closed] });
  expect(await overwritesOf(follower)).toEqual([`${guildId} +0 -${VIEW}`]);
});

test('the category is told first, then its channels, and the audit log knows of the category alone', async () => {
  const { guildId, botId, category, follower, call } = await setUp();
  const client = await openSocket(simulator.url);
  client.identify(botId);
  await client.event('GUILD_CREATE');
  const from = (await client.settle()).length;
  await call('PATCH', `/channels/${category}`, { permission_overwrites: [] });
  const frames = (await client.settle()).slice(from);
  const told = frames.flatMap(({ t, d }) => (t === 'CHANNEL_UPDATE' ? [(d as APIChannel).id] : []));
  expect(told).toEqual([category, follower]);
  const log: { audit_log_entries: APIAuditLogEntry[] } = await call(
    'GET',
    `/guilds/${guildId}/audit-logs`,
  );
  expect(log.audit_log_entries.map(({ target_id }) => target_id)).toEqual([category]);
});

test('with the syncing off no channel follows, and an empty list is none', async () => {
  const { guildId, category, follower, call, overwritesOf } = await setUp();
  const create = { name: 'new', parent_id: category, permission_overwrites: [] };
  const copied = await call('POST', `/guilds/${guildId}/channels`, create);
  expect(await overwritesOf(copied.id)).toEqual([`${guildId} +0 -${VIEW}`]);
  await simulator.control('PUT', '/permission-sync', { isOn: false });
  const made = await call('POST', `/guilds/${guildId}/channels`, create);
  expect(await overwritesOf(made.id)).toEqual([]);
  await call('PATCH', `/channels/${category}`, { permission_overwrites: [] });
  await simulator.control('PUT', '/permission-sync', { isOn: true });
  expect(await overwritesOf(follower)).toEqual([`${guildId} +0 -${VIEW}`]);
});

test('overwrites of members go with them, and none is made for who is gone', async () => {
  const { guildId, botId, category, follower, roleId: userId, call, overwritesOf } = await setUp();
  const [kicked, banned] = [freshId(), freshId()];
  for (const id of [kicked, banned]) {
    await simulator.control('PUT', `/users/${id}`, { guildIds: [guildId] });
    await call('PUT', `/channels/${category}/permissions/${id}`, { type: 1, deny: VIEW });
  }
  const client = await openSocket(simulator.url);
  client.identify(botId);
  await client.event('GUILD_CREATE');
  const from = (await client.settle()).length;
  await call('DELETE', `/guilds/${guildId}/members/${kicked}`);
  await simulator.control('PUT', `/users/${banned}`, { guildIds: [] });
  expect(await overwritesOf(follower)).toEqual([`${guildId} +0 -${VIEW}`]);
  const frames = (await client.settle()).slice(from);
  expect(frames.filter(({ t }) => t === 'CHANNEL_UPDATE')).toHaveLength(4);
  const again = call('PUT', `/channels/${category}/permissions/${kicked}`, { type: 1, deny: VIEW });
  await expect(again).rejects.toThrow(/404 .*10009/);
  await call('PUT', `/channels/${category}/permissions/${userId}`, { type: 0, deny: VIEW });
});
