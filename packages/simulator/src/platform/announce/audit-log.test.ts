import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { APIAuditLogEntry, RESTGetAPIAuditLogResult } from 'discord-api-types/v10';
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

const Action = {
  ...{ ChannelCreate: 10, ChannelUpdate: 11, OverwriteCreate: 13, OverwriteUpdate: 14 },
  ...{ Kick: 20, Prune: 21, Ban: 22, MemberUpdate: 24, MemberRoles: 25, BotAdd: 28 },
  ...{ RoleCreate: 30, RoleUpdate: 31, RoleDelete: 32, MessageDelete: 72 },
};

const newBot = () => {
  const botId = freshId();
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await simulator.call(method, path, body, botToken(botId));
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    const text = await response.text();
    return text === '' ? null : JSON.parse(text);
  };
  const entries = async (guildId: string, query = ''): Promise<APIAuditLogEntry[]> => {
    const log: RESTGetAPIAuditLogResult = await call(
      'GET',
      `/guilds/${guildId}/audit-logs${query}`,
    );
    return log.audit_log_entries;
  };
  return { botId, call, entries };
};

test('the log has who did what, with the old and the new value', async () => {
  const { botId, call, entries } = newBot();
  const guildId = freshId();
  const role = await call('POST', `/guilds/${guildId}/roles`, { name: 'Crew', permissions: '0' });
  await call('PATCH', `/guilds/${guildId}/roles/${role.id}`, { permissions: '8' });
  await call('DELETE', `/guilds/${guildId}/roles/${role.id}`);
  const [deleted, updated, created] = await entries(guildId);
  expect(created).toMatchObject({
    action_type: Action.RoleCreate,
    user_id: botId,
    target_id: role.id,
  });
  expect(created?.changes).toContainEqual({ key: 'name', new_value: 'Crew' });
  expect(updated).toMatchObject({
    action_type: Action.RoleUpdate,
    changes: [{ key: 'permissions', old_value: '0', new_value: '8' }],
  });
  expect(deleted?.action_type).toBe(Action.RoleDelete);
  expect(deleted?.changes).toContainEqual({ key: 'name', old_value: 'Crew' });
});

test('roles of a member, overwrites of a channel and messages of others have their own form', async () => {
  const { call, entries } = newBot();
  const guildId = freshId();
  const role = await call('POST', `/guilds/${guildId}/roles`, { name: 'Crew', permissions: '0' });
  const [member] = await call('GET', `/guilds/${guildId}/members?limit=1`);
  const userId = member.user.id;
  await call('PUT', `/guilds/${guildId}/members/${userId}/roles/${role.id}`);
  const channel = await call('POST', `/guilds/${guildId}/channels`, { name: 'deck' });
  const overwrite = `/channels/${channel.id}/permissions/${role.id}`;
  await call('PUT', overwrite, { type: 0, allow: '1024' });
  await call('PUT', overwrite, { type: 0, deny: '1024' });
  const other = newBot();
  const { id } = await other.call('POST', `/channels/${channel.id}/messages`, { content: 'Ahoy' });
  await call('DELETE', `/channels/${channel.id}/messages/${id}`);
  const log = await entries(guildId);
  const find = (action: number) => log.find(({ action_type }) => action_type === action);
  expect(find(Action.MemberRoles)).toMatchObject({
    target_id: userId,
    changes: [{ key: '$add', new_value: [{ id: role.id, name: 'Crew' }] }],
  });
  expect(find(Action.OverwriteCreate)).toMatchObject({
    target_id: channel.id,
    options: { id: role.id, type: '0', role_name: 'Crew' },
  });
  expect(find(Action.OverwriteUpdate)?.changes).toEqual([
    { key: 'allow', old_value: '1024', new_value: '0' },
    { key: 'deny', old_value: '0', new_value: '1024' },
  ]);
  expect(find(Action.MessageDelete)).toMatchObject({
    target_id: other.botId,
    options: { channel_id: channel.id, count: '1' },
  });
});

test('those who were not there for days are pruned together, in one entry', async () => {
  const { call, entries } = newBot();
  const [guildId, roleId, talker] = [freshId(), freshId(), freshId()];
  const joined_at = new Date(Date.now() - 20 * 86_400_000).toISOString();
  const [gone, held, recent, bot] = [freshId(), freshId(), freshId(), freshId()];
  await simulator.control('PUT', `/guilds/${guildId}`, {
    roles: [
      { id: guildId, name: '@everyone' },
      { id: roleId, name: 'Crew' },
    ],
    channels: [{ id: roleId, name: 'hall' }],
    members: [
      { user: { id: gone }, joined_at },
      { user: { id: held }, joined_at, roles: [roleId] },
      { user: { id: recent } },
      { user: { id: talker }, joined_at },
      { user: { id: bot, bot: true }, joined_at },
    ],
    messages: [{ id: freshId(), channel_id: roleId, author: { id: talker } }],
  });
  const prune = `/guilds/${guildId}/prune`;
  expect(await call('GET', `${prune}?days=30`)).toEqual({ pruned: 0 });
  expect(await call('GET', `${prune}?days=14&include_roles=${roleId}`)).toEqual({ pruned: 2 });
  expect(await call('POST', prune, { days: 14 })).toEqual({ pruned: 1 });
  const members: { user: { id: string } }[] = await call(
    'GET',
    `/guilds/${guildId}/members?limit=9`,
  );
  expect(members.map(({ user }) => user.id)).not.toContain(gone);
  const [entry] = await entries(guildId);
  expect(entry).toMatchObject({
    ...{ action_type: Action.Prune, target_id: null },
    options: { delete_member_days: '14', members_removed: '1' },
  });
});

test('moves, and what the control API changes, are not in the log', async () => {
  const { botId, call, entries } = newBot();
  const guildId = freshId();
  const channels = await call('GET', `/guilds/${guildId}/channels`);
  const before = await entries(guildId);
  // The owner added the bot.
  expect(before.map(({ action_type, target_id }) => [action_type, target_id])).toEqual([
    [Action.BotAdd, botId],
  ]);
  const [first] = channels;
  await call('PATCH', `/guilds/${guildId}/channels`, [{ id: first.id, position: 30 }]);
  const user = `/users/${freshId()}`;
  await simulator.control('PUT', user, { guildIds: [guildId] });
  // By a request this would be a kick.
  await simulator.control('PUT', user, { guildIds: [] });
  expect(await entries(guildId)).toEqual(before);
  const state = await simulator.control('GET', `/guilds/${guildId}`);
  await simulator.control('PUT', `/guilds/${guildId}`, { ...state, channels: [] });
  expect(await entries(guildId)).toEqual(before);
});

test('it is read newest first, by page, by action and by who acted', async () => {
  const { botId, call, entries } = newBot();
  const guildId = freshId();
  const make = (name: string) => call('POST', `/guilds/${guildId}/channels`, { name });
  for (const name of ['one', 'two', 'three']) await make(name);
  const second = newBot();
  const { id } = await second.call('POST', `/guilds/${guildId}/channels`, { name: 'four' });
  const made = await entries(guildId, `?action_type=${Action.ChannelCreate}`);
  expect(made.map(({ user_id }) => user_id)).toEqual([second.botId, botId, botId, botId]);
  expect(made[0]?.target_id).toBe(id);
  const own = await entries(guildId, `?user_id=${botId}&limit=2`);
  expect(own).toEqual(made.slice(1, 3));
  expect(await entries(guildId, `?before=${own.at(-1)?.id}&action_type=10`)).toEqual(made.slice(3));
  const later = await entries(guildId, `?after=${made[3]?.id}&action_type=10&limit=2`);
  expect(later).toEqual([made[2], made[1]].flatMap((entry) => entry ?? []));
});

test('it needs its permission', async () => {
  const guildId = freshId();
  await simulator.control('PUT', `/guilds/${guildId}`, { botAccess: { permissions: '32' } });
  await expect(newBot().entries(guildId)).rejects.toThrow('50013');
});
