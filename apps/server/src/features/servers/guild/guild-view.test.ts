import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import {
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import {
  startTestSimulator,
  type TestSimulator,
} from '../../../../test/harness/simulator/start.ts';

let simulator: TestSimulator;
let service: TestService;
beforeAll(async () => {
  simulator = await startTestSimulator();
  service = await startTestService({ platformApiUrl: simulator.apiUrl });
});
afterAll(async () => {
  await service.stop();
  await simulator.stop();
});

const newGuild = async () => {
  const owner = await service.newTenant();
  const guildId = randomPlatformId();
  const serverId = await createServer(owner, { platformGuildId: guildId });
  const dashboard = await openDashboard(service, owner);
  return {
    guildId,
    owner,
    serverId,
    dashboard,
    view: () => dashboard.call('GET', `/servers/${serverId}/guild`),
  };
};

const failNext = (guildId: string, route: string, status: number, body: object) =>
  simulator.control('POST', '/faults', {
    match: { method: 'GET', route, guildId },
    ...{ action: 'status', status, body },
  });

test('assignable roles and channels are listed by name, in the order of the platform', async () => {
  const { guildId, view } = await newGuild();
  const real = await simulator.control('GET', `/guilds/${guildId}`);
  const { status, body } = await view();
  expect(status).toBe(200);
  expect(body.data.name).toBe(real.guild.name);
  const roles = body.data.roles.map(({ name }: { name: string }) => name);
  expect(roles.length).toBeGreaterThan(3);
  expect(roles).not.toContain('@everyone');
  expect(roles.indexOf('Regular')).toBeLessThan(roles.indexOf('Member'));
  expect(body.data.roles).toContainEqual({
    id: expect.stringMatching(/^\d+$/),
    name: 'Member',
    color: '#2ecc71',
    dangerousPermissions: [],
  });
  expect(body.data.channels).toHaveLength(real.channels.length);
  const [first] = body.data.channels.filter(({ type }: { type: string }) => type === 'text');
  const anyNamed = { id: expect.any(String), name: expect.any(String) };
  expect(first).toEqual({ ...anyNamed, type: 'text', isPrivate: false });
  const hidden = body.data.channels.filter(({ isPrivate }: { isPrivate: boolean }) => isPrivate);
  expect(hidden.map(({ name }: { name: string }) => name)).toContain('admins');
});

test.each([
  [403, { code: 50001, message: 'Missing Access' }, /not in this server/],
  [404, { code: 10004, message: 'Unknown Guild' }, /does not know this server/],
  [502, {}, /no answer/],
])('where the platform answers %d the reason is shown instead', async (status, body, reason) => {
  const { guildId, view } = await newGuild();
  await failNext(guildId, '/guilds/:id/channels', status, body);
  const refused = await view();
  expect([refused.status, refused.body.error]).toEqual([409, expect.stringMatching(reason)]);
  expect((await view()).status).toBe(200);
});

test('a bot that is switched off is not asked', async () => {
  const { owner, view } = await newGuild();
  const [bot] = (await owner.call('GET', '/api/v1/bots')).body.data;
  await owner.call('PUT', `/api/v1/bots/${bot.id}`, { body: { isActive: false } });
  const refused = await view();
  expect([refused.status, refused.body.error]).toEqual([409, 'The bot is switched off']);
});

test("another account's server is not found, and no key can ask", async () => {
  const serverId = await createServer(await service.newTenant());
  const stranger = await service.newTenant();
  const dashboard = await openDashboard(service, stranger);
  const path = `/servers/${serverId}/guild`;
  expect((await dashboard.call('GET', path)).status).toBe(404);
  expect((await stranger.call('GET', `/api/v1${path}`)).body).toEqual({ error: 'Route not found' });
});

describe('the guild that a server can move to', () => {
  const joinNewGuild = async (inviteUrl: string): Promise<void> => {
    const body = new URLSearchParams({ user: '118264931620716544', decision: 'authorize' });
    expect((await fetch(inviteUrl, { method: 'POST', body })).status).toBe(200);
  };

  test('is found as soon as the bot was added to it by its link, and not once it has a server', async () => {
    const { owner, serverId, dashboard } = await newGuild();
    const find = async () =>
      (await dashboard.call('GET', `/servers/${serverId}/new-guilds`)).body.data;
    const before = await find();
    expect(before).toMatchObject({ guilds: [], failure: null });
    await joinNewGuild(before.inviteUrl);
    await joinNewGuild(before.inviteUrl);
    const [newest, older] = (await find()).guilds;
    expect(newest).toEqual({
      ...{ platformId: expect.stringMatching(/^\d+$/), name: 'New server', memberCount: 2 },
    });
    expect(BigInt(newest.platformId)).toBeGreaterThan(BigInt(older.platformId));
    const body = { platformGuildId: newest.platformId };
    expect((await owner.call('PUT', `/api/v1/servers/${serverId}`, { body })).status).toBe(200);
    const left = (await find()).guilds.map(({ name }: { name: string }) => name);
    expect(left).toHaveLength(2);
    expect(left).toContain('New server');
  });

  test('is not known while the bot cannot be asked: its link still is, and the reason', async () => {
    const { owner, serverId, dashboard } = await newGuild();
    const [bot] = (await owner.call('GET', '/api/v1/bots')).body.data;
    await owner.call('PUT', `/api/v1/bots/${bot.id}`, { body: { isActive: false } });
    const { body } = await dashboard.call('GET', `/servers/${serverId}/new-guilds`);
    expect(body.data).toEqual({
      inviteUrl: expect.stringContaining(`client_id=${bot.clientId}&scope=bot&permissions=8`),
      ...{ guilds: [], failure: 'The bot is switched off' },
    });
  });
});
