import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type APIGuild, type APIRole, type REST, Routes } from 'discord.js';
import {
  answerOf,
  botToken,
  freshId,
  refusalOf,
  startTestSimulator,
  type TestSimulator,
} from '../../../test/harness.ts';

const botId = '900000000000000001';
const MANAGE_ROLES = 1n << 28n;
const MANAGE_CHANNELS = 1n << 4n;
const VIEW = 1n << 10n;

let simulator: TestSimulator;
let rest: REST;

beforeAll(async () => {
  simulator = await startTestSimulator();
  rest = simulator.rest(botToken(botId));
});
afterAll(() => simulator.stop());

/** A bot with the permissions given, its role above "low" and below "high". */
const putGuild = async (permissions: bigint, more: Record<string, unknown> = {}) => {
  const id = freshId();
  const [low, own, high, managed] = [freshId(), freshId(), freshId(), freshId()];
  await simulator.control('PUT', `/guilds/${id}`, {
    roles: [
      { id, name: '@everyone', permissions: '0', position: 0 },
      { id: low, name: 'low', position: 1 },
      { id: managed, name: 'managed', position: 2, managed: true },
      { id: own, name: 'own', position: 3, permissions: permissions.toString() },
      { id: high, name: 'high', position: 4 },
    ],
    members: [{ user: { id: botId }, roles: [own] }],
    ...more,
  });
  return { id, low, own, high, managed };
};

test('a bot manages only roles below its own and never managed ones', async () => {
  const { id, low, own, high, managed } = await putGuild(MANAGE_ROLES);
  const rename = (roleId: string) =>
    refusalOf(rest.patch(Routes.guildRole(id, roleId), { body: { name: 'x' } }));
  expect(await rename(low)).toBe('accepted');
  expect(await rename(own)).toBe('403/50013');
  expect(await rename(high)).toBe('403/50013');
  expect(await refusalOf(rest.delete(Routes.guildRole(id, managed)))).toBe('400/50028');
  expect(await refusalOf(rest.delete(Routes.guildRole(id, id)))).toBe('400/50028');
  const above = rest.patch(Routes.guildRoles(id), { body: [{ id: low, position: 4 }] });
  expect(await refusalOf(above)).toBe('403/50013');
});

test('a bot grants only what it has, in roles and in overwrites', async () => {
  const channel = freshId();
  const { id, low } = await putGuild(MANAGE_ROLES | MANAGE_CHANNELS | VIEW, {
    channels: [{ id: channel, name: 'x' }],
  });
  const grant = (permissions: string) =>
    refusalOf(rest.patch(Routes.guildRole(id, low), { body: { permissions } }));
  expect(await grant(VIEW.toString())).toBe('accepted');
  expect(await grant('8')).toBe('403/50013');
  const overwrite = (allow: string) =>
    refusalOf(rest.put(Routes.channelPermission(channel, low), { body: { type: 0, allow } }));
  expect(await overwrite(VIEW.toString())).toBe('accepted');
  expect(await overwrite('2048')).toBe('403/50013');
});

test('of @everyone only the permissions can be changed', async () => {
  const id = freshId();
  const body = { name: 'nobody', permissions: '1024' };
  expect(await rest.patch(Routes.guildRole(id, id), { body })).toMatchObject({
    name: '@everyone',
    permissions: '1024',
  });
});

test('a bot has no access to a hidden channel or to a guild without it', async () => {
  const channel = freshId();
  await putGuild(MANAGE_CHANNELS, { channels: [{ id: channel, name: 'x' }] });
  expect(await refusalOf(rest.get(Routes.channel(channel)))).toBe('403/50001');
  const stranger = freshId();
  await simulator.control('PUT', `/guilds/${stranger}`, { botAccess: { isMember: false } });
  expect(await refusalOf(rest.get(Routes.guild(stranger)))).toBe('403/50001');
  const { id } = await putGuild(VIEW);
  const made = rest.post(Routes.guildChannels(id), { body: { name: 'x' } });
  expect(await refusalOf(made)).toBe('403/50013');
});

test('the rules and updates channels of a community cannot be deleted', async () => {
  const id = freshId();
  const guild = await answerOf<APIGuild>(rest.get(Routes.guild(id)));
  for (const required of [guild.rules_channel_id, guild.public_updates_channel_id]) {
    expect(await refusalOf(rest.delete(Routes.channel(required ?? '')))).toBe('400/50074');
  }
});

test('a guild has at most 500 channels, 50 in a category, 250 roles and 50 emoji of each kind', async () => {
  const box = freshId();
  const named = (length: number, more: object = {}) =>
    Array.from({ length }, (_, index) => ({ name: `n${index}`, ...more }));
  const { id } = await putGuild(8n, {
    channels: [{ id: box, name: 'box', type: 4 }, ...named(50, { parent_id: box }), ...named(448)],
    roles: named(249),
    emojis: named(50),
    botAccess: {},
    members: [],
  });
  const make = (body: object) => refusalOf(rest.post(Routes.guildChannels(id), { body }));
  const makeRole = () => refusalOf(rest.post(Routes.guildRoles(id), { body: {} }));
  expect(await make({ name: 'x', parent_id: box })).toBe('400/50035');
  expect(await make({ name: 'x' })).toBe('accepted');
  expect(await make({ name: 'x' })).toBe('400/30013');
  // Everyone's role and the bot's own count too.
  expect(await makeRole()).toBe('400/30005');
  const image = `data:image/png;base64,${Buffer.from('png').toString('base64')}`;
  const emoji = rest.post(Routes.guildEmojis(id), { body: { name: 'xx', image } });
  expect(await refusalOf(emoji)).toBe('400/30008');
});

test('an invalid form is answered with an error per field', async () => {
  const response = await simulator.call('POST', `/guilds/${freshId()}/channels`, {
    type: 99,
    rate_limit_per_user: 99_999,
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    code: 50035,
    message: 'Invalid Form Body',
    errors: {
      name: { _errors: [{ code: 'BASE_TYPE_REQUIRED', message: 'This field is required' }] },
      type: { _errors: [{ code: 'BASE_TYPE_CHOICES', message: expect.any(String) }] },
      rate_limit_per_user: {
        _errors: [
          {
            code: 'NUMBER_TYPE_MAX',
            message: 'int value should be less than or equal to 21600.',
          },
        ],
      },
    },
  });
});

test('a bot assigns members only roles that it can manage', async () => {
  const userId = freshId();
  const { id, low, high } = await putGuild(MANAGE_ROLES);
  const state = await simulator.control('GET', `/guilds/${id}`);
  await simulator.control('PUT', `/guilds/${id}`, {
    ...state,
    members: [...state.members, { user: { id: userId, username: 'wren' } }],
  });
  await rest.put(Routes.guildMemberRole(id, userId, low));
  expect(await rest.get(Routes.guildMember(id, userId))).toMatchObject({
    roles: [low],
    user: { username: 'wren' },
  });
  expect(await refusalOf(rest.put(Routes.guildMemberRole(id, userId, high)))).toBe('403/50013');
  const roles = await answerOf<APIRole[]>(rest.get(Routes.guildRoles(id)));
  expect(roles).toHaveLength(5);
});

test("a member's overwrite weighs more than those of roles, and they more than everyone's", async () => {
  const channel = freshId();
  const see = async (overwrites: object[]) => {
    const { id, own } = await putGuild(MANAGE_CHANNELS | VIEW, {});
    const state = await simulator.control('GET', `/guilds/${id}`);
    const ids: Record<string, string> = { everyone: id, own, bot: botId };
    const permission_overwrites = overwrites.map((overwrite) => ({
      ...overwrite,
      id: 'of' in overwrite ? ids[String(overwrite.of)] : id,
    }));
    const channels = [{ id: channel, name: 'x', permission_overwrites }];
    await simulator.control('PUT', `/guilds/${id}`, { ...state, channels });
    return refusalOf(rest.get(Routes.channel(channel)));
  };
  const allow = VIEW.toString();
  const everyone = { of: 'everyone', type: 0, deny: allow };
  expect(await see([everyone])).toBe('403/50001');
  expect(await see([everyone, { of: 'own', type: 0, allow }])).toBe('accepted');
  const denied = { of: 'bot', type: 1, deny: allow };
  expect(await see([denied, everyone, { of: 'own', type: 0, allow }])).toBe('403/50001');
});

test('a channel created in a private category is private unless it has overwrites of its own', async () => {
  const box = freshId();
  const id = freshId();
  const hidden = [{ id, type: 0, allow: '0', deny: VIEW.toString() }];
  await simulator.control('PUT', `/guilds/${id}`, {
    channels: [{ id: box, name: 'box', type: 4, permission_overwrites: hidden }],
  });
  const make = (body: object) =>
    answerOf<{ permission_overwrites: object[] }>(
      rest.post(Routes.guildChannels(id), { body: { name: 'x', parent_id: box, ...body } }),
    );
  expect((await make({})).permission_overwrites).toEqual(hidden);
  expect((await make({ permission_overwrites: [] })).permission_overwrites).toEqual(hidden);
  const none = [{ id, type: 0, allow: '0', deny: '0' }];
  expect((await make({ permission_overwrites: none })).permission_overwrites).toEqual(none);
});

test('any order of roles can be set in one call', async () => {
  const id = freshId();
  const roles = await answerOf<APIRole[]>(rest.get(Routes.guildRoles(id)));
  const movable = roles.filter((role) => role.id !== id && role.tags?.bot_id !== botId);
  for (let shift = 1; shift < movable.length; shift += 1) {
    const order = movable
      .toSorted((a, b) => ((a.position * shift * 7) % 11) - ((b.position * shift * 7) % 11))
      .map((role, index) => ({ id: role.id, position: index + 1 }));
    const moved = await answerOf<APIRole[]>(rest.patch(Routes.guildRoles(id), { body: order }));
    const positions = new Map(moved.map((role) => [role.id, role.position]));
    expect(order.map((role) => positions.get(role.id))).toEqual(order.map((role) => role.position));
  }
});

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

test('who is timed out keeps to seeing and reading, unless they are an administrator or the owner', async () => {
  const channel = freshId();
  const read = 1n << 16n;
  const allows = [{ id: botId, type: 1, allow: '2048', deny: '0' }];
  const can = async (permissions: bigint, until: string, more: object = {}) => {
    const [own, everyone] = [freshId(), freshId()];
    await simulator.control('PUT', `/guilds/${everyone}`, {
      roles: [
        { id: everyone, name: '@everyone', permissions: (VIEW | read).toString() },
        { id: own, name: 'own', permissions: permissions.toString() },
      ],
      members: [{ user: { id: botId }, roles: [own], communication_disabled_until: until }],
      channels: [{ id: channel, name: 'x', permission_overwrites: allows }],
      ...more,
    });
    return [
      await refusalOf(rest.get(Routes.channelMessages(channel))),
      await refusalOf(rest.post(Routes.channelMessages(channel), { body: { content: 'x' } })),
      await refusalOf(rest.get(Routes.guildAuditLog(everyone))),
    ];
  };
  const [all, little] = [Array(3).fill('accepted'), ['accepted', '403/50013', '403/50013']];
  const viewAuditLog = 1n << 7n;
  expect(await can(viewAuditLog, inHours(1))).toEqual(little);
  expect(await can(viewAuditLog, inHours(-1))).toEqual(all);
  expect(await can(8n, inHours(1))).toEqual(all);
  expect(await can(0n, inHours(1), { guild: { owner_id: botId } })).toEqual(all);
});

test('an administrator is not timed out, and nothing else of such a request is done', async () => {
  const [admin, plain, person] = [freshId(), freshId(), freshId()];
  const id = freshId();
  await simulator.control('PUT', `/guilds/${id}`, {
    roles: [
      { id: plain, name: 'plain' },
      { id: admin, name: 'admin', permissions: '8' },
    ],
    members: [{ user: { id: person }, roles: [admin] }],
  });
  const route = Routes.guildMember(id, person);
  const edit = (body: object) => refusalOf(rest.patch(route, { body }));
  const until = { communication_disabled_until: inHours(1) };
  expect(await edit(until)).toBe('403/50013');
  expect(await edit({ ...until, roles: [plain], nick: 'x' })).toBe('403/50013');
  expect(await rest.get(route)).toMatchObject({ roles: [admin], nick: null });
  expect(await edit({ roles: [plain] })).toBe('accepted');
  expect(await edit({ ...until, roles: [admin] })).toBe('403/50013');
  expect(await edit(until)).toBe('accepted');
  expect(await edit({ communication_disabled_until: null, roles: [admin] })).toBe('accepted');
});
