import { expect, test } from 'bun:test';
import { type APIInvite, Routes } from 'discord.js';
import { answerOf, botId, freshId, refusalOf, startBotSimulator } from '../../../test/harness.ts';

const { simulator, rest } = await startBotSimulator();

const putGuild = async (permissions = 8n, more: object = {}) => {
  const [id, channelId, roleId, memberRoleId, highRoleId] = Array.from({ length: 5 }, freshId);
  await simulator.control('PUT', `/guilds/${id}`, {
    roles: [
      { id, name: '@everyone', permissions: '0' },
      { id: memberRoleId, name: 'verified' },
      { id: roleId, name: 'bot', permissions: permissions.toString() },
      { id: highRoleId, name: 'high' },
    ],
    channels: [{ id: channelId, name: 'hall' }],
    members: [{ user: { id: botId }, roles: [roleId] }],
    ...more,
  });
  return {
    id: id ?? '',
    channelId: channelId ?? '',
    memberRoleId: memberRoleId ?? '',
    highRoleId: highRoleId ?? '',
  };
};

const invite = (channelId: string, body: object = {}, userIds?: string[]) =>
  answerOf<APIInvite & { roles?: { id: string }[]; max_uses: number }>(
    rest.post(Routes.channelInvites(channelId), {
      body,
      files: userIds && [
        { key: 'target_users_file', name: 'users.csv', data: Buffer.from(userIds.join('\n')) },
      ],
    }),
  );

/** "status/code", or the roles of who joined. */
const join = async (code: string, userId: string) => {
  const response = await fetch(`${simulator.url}/__sim/invites/${code}/join`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ userId }),
  });
  const body = await response.json();
  return response.ok ? body.roles : `${response.status}/${body.code}`;
};

test('an invite with a list of people is for them alone and gives them roles', async () => {
  const { id, channelId, memberRoleId } = await putGuild();
  const [invited, other, stranger] = [freshId(), freshId(), freshId()];
  const body = { max_age: 604_800, role_ids: [memberRoleId] };
  const { code, roles } = await invite(channelId, body, ['user_id', invited, other]);
  expect(roles).toMatchObject([{ id: memberRoleId, name: 'verified' }]);
  expect(await join(code, stranger)).toBe('404/10006');
  expect(await join(code, invited)).toEqual([memberRoleId]);
  expect(await rest.get(Routes.guildMember(id, invited))).toMatchObject({ roles: [memberRoleId] });
  const [listed] = await answerOf<APIInvite[]>(rest.get(Routes.guildInvites(id)));
  expect(listed).toMatchObject({ code, uses: 1 });
  // Who is on the list is not told by the invite itself.
  expect(JSON.stringify(listed)).not.toContain(other);
});

test('the list is read, replaced and answered as done', async () => {
  const { channelId } = await putGuild();
  const [first, second] = [freshId(), freshId()];
  const { code } = await invite(channelId, {}, [first]);
  const route = `/invites/${code}/target-users` as const;
  const data = Buffer.from(`${second}\n`);
  await rest.put(route, { files: [{ key: 'target_users_file', name: 'u.csv', data }] });
  const response = await simulator.call('GET', route);
  expect(await response.text()).toBe(`user_id\n${second}\n`);
  expect(await rest.get(`${route}/job-status`)).toMatchObject({ status: 2, total_users: 1 });
  expect(await join(code, first)).toBe('404/10006');
  expect(await join(code, second)).toEqual([]);
  const { code: open } = await invite(channelId);
  expect(await refusalOf(rest.get(`/invites/${open}/target-users`))).toBe('404/10129');
  expect(await refusalOf(invite(channelId, {}, ['no', 'id']))).toBe('400/50035');
});

test('a bot gives by an invite only roles that it can give itself', async () => {
  // View, create invites, manage roles.
  const { channelId, memberRoleId, highRoleId } = await putGuild(0x401n | (1n << 28n));
  const refuse = (role_ids: string[]) => refusalOf(invite(channelId, { role_ids }));
  expect(await refuse([memberRoleId])).toBe('accepted');
  expect(await refuse([highRoleId])).toBe('403/50013');
  expect(await refuse([freshId()])).toBe('404/10011');
  const weak = await putGuild(0x401n);
  const body = { role_ids: [weak.memberRoleId] };
  expect(await refusalOf(invite(weak.channelId, body))).toBe('403/50013');
});

test('the fields of a form without JSON are read too', async () => {
  const { channelId, memberRoleId } = await putGuild();
  const made = await answerOf<APIInvite & { max_age: number; roles: unknown[] }>(
    rest.post(Routes.channelInvites(channelId), {
      appendToFormData: true,
      body: { max_age: '60', unique: 'true', role_ids: memberRoleId },
      files: [{ key: 'target_users_file', name: 'u.csv', data: Buffer.from(freshId()) }],
    }),
  );
  expect(made).toMatchObject({ max_age: 60, roles: [{ id: memberRoleId }] });
});

test('an invite ends by its age, its uses and its channel', async () => {
  const created_at = new Date(Date.now() - 120_000).toISOString();
  const guild = await putGuild();
  const state = await simulator.control('GET', `/guilds/${guild.id}`);
  const old = { code: `old${guild.id}`, channel_id: guild.channelId, max_age: 60, created_at };
  state.invites = [old, { ...old, code: `young${guild.id}`, max_age: 600 }];
  await simulator.control('PUT', `/guilds/${guild.id}`, state);
  expect(await refusalOf(rest.get(Routes.invite(old.code)))).toBe('404/10006');
  expect(await rest.get(Routes.guildInvites(guild.id))).toHaveLength(1);
  const once = await invite(guild.channelId, { max_uses: 1 });
  const user = freshId();
  expect(await join(once.code, user)).toEqual([]);
  expect(await join(once.code, freshId())).toBe('404/10006');
  expect(await join(`young${guild.id}`, user)).toEqual([]);
  await rest.delete(Routes.channel(guild.channelId));
  expect(await join(`young${guild.id}`, freshId())).toBe('404/10006');
});

test('the same invite is given again unless a unique one is asked for', async () => {
  const { channelId } = await putGuild();
  const first = await invite(channelId);
  expect((await invite(channelId)).code).toBe(first.code);
  expect((await invite(channelId, { unique: true })).code).not.toBe(first.code);
  await rest.delete(Routes.invite(first.code));
  expect(await refusalOf(rest.get(Routes.invite(first.code)))).toBe('404/10006');
});

test('who is banned or at their limit does not join', async () => {
  const banned = freshId();
  const { channelId } = await putGuild(8n, { bans: [{ user: { id: banned } }] });
  const { code } = await invite(channelId);
  expect(await join(code, banned)).toBe('403/40007');
  const full = freshId();
  await simulator.control('PUT', `/users/${full}`, { atGuildCap: true });
  expect(await join(code, full)).toBe('400/30001');
});

test('nobody joins while invites are paused, for a day at most, by who manages the server', async () => {
  const { id, channelId } = await putGuild();
  const { code } = await invite(channelId);
  const pause = (forMs: number | null) => {
    const until = forMs === null ? null : new Date(Date.now() + forMs).toISOString();
    const body = { invites_disabled_until: until };
    return rest.put(`/guilds/${id}/incident-actions`, { body });
  };
  expect(await refusalOf(pause(25 * 3_600_000))).toBe('400/50035');
  await pause(3_600_000);
  expect(await join(code, freshId())).toBe('403/0');
  expect(await rest.get(Routes.guild(id))).toMatchObject({
    incidents_data: { invites_disabled_until: expect.any(String), dms_disabled_until: null },
  });
  await pause(null);
  expect(await join(code, freshId())).toEqual([]);
  await pause(-1000);
  expect(await join(code, freshId())).toEqual([]);
  const weak = await putGuild(0x401n);
  const actions = rest.put(`/guilds/${weak.id}/incident-actions`, { body: {} });
  expect(await refusalOf(actions)).toBe('403/50013');
});

test('installed bots are listed by their roles and removed with them', async () => {
  const bot = { id: freshId(), roleId: freshId() };
  const { id } = await putGuild();
  const state = await simulator.control('GET', `/guilds/${id}`);
  state.roles.push({ id: bot.roleId, name: 'Music', managed: true, tags: { bot_id: bot.id } });
  state.members.push({ user: { id: bot.id, username: 'music', bot: true }, roles: [bot.roleId] });
  state.guild.vanity_url_code = 'harbour';
  await simulator.control('PUT', `/guilds/${id}`, state);
  expect(await rest.get(Routes.guildIntegrations(id))).toMatchObject([
    { type: 'discord', name: 'Music', application: { id: bot.id, bot: { bot: true } } },
  ]);
  expect(await rest.get(Routes.guildVanityUrl(id))).toEqual({ code: 'harbour', uses: 0 });
  await rest.delete(Routes.guildIntegration(id, bot.roleId));
  expect(await rest.get(Routes.guildIntegrations(id))).toEqual([]);
  expect(await refusalOf(rest.get(Routes.guildMember(id, bot.id)))).toBe('404/10007');
});
