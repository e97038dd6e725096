import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createBot } from '../../../../test/harness/bots-and-servers.ts';
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

const newBot = async () => {
  const owner = await service.newTenant();
  const botId = await createBot(owner);
  const dashboard = await openDashboard(service, owner);
  const { invites } = (await dashboard.call('GET', `/bots/${botId}/setup`)).body.data;
  return { owner, botId, dashboard, invites };
};

/** As a person does by the link: into a new guild. */
const invite = async (url: string): Promise<void> => {
  const body = new URLSearchParams({ user: '118264931620716544', decision: 'authorize' });
  expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
};

type Bot = Awaited<ReturnType<typeof newBot>>;

const guildsOf = async ({ dashboard, botId }: Bot) =>
  (await dashboard.call('GET', `/bots/${botId}/guilds`)).body.data;

const inGuild = ({ botId }: Bot, guildId: string, what = '') =>
  `/bots/${botId}/guilds/${guildId}${what}`;

test('a guild is found once its bot was invited, and shows the server that it has', async () => {
  const bot = await newBot();
  expect(await guildsOf(bot)).toEqual({ guilds: [], failure: null });
  await invite(bot.invites[0].url);
  await invite(bot.invites[0].url);
  const [newest, older] = (await guildsOf(bot)).guilds;
  expect(newest).toEqual({
    ...{ platformId: expect.stringMatching(/^\d+$/), name: 'New server', memberCount: 2 },
    ...{ icon: expect.stringMatching(/^http/), serverId: null },
  });
  const body = { platformGuildId: newest.platformId, customBotId: bot.botId, name: newest.name };
  const { id } = (await bot.owner.call('POST', '/api/v1/servers', { body })).body.data;
  const after = (await guildsOf(bot)).guilds;
  expect(after.map(({ platformId }: { platformId: string }) => platformId)).toEqual([
    older.platformId,
    newest.platformId,
  ]);
  expect(after[1].serverId).toBe(id);
});

test('a role and a channel are made by one press each, and only once', async () => {
  const bot = await newBot();
  await invite(bot.invites[0].url);
  const [{ platformId: guildId }] = (await guildsOf(bot)).guilds;
  const make = (what: string) => bot.dashboard.call('POST', inGuild(bot, guildId, what));

  const role = await make('/verified-role');
  expect([role.status, role.body.data.name]).toEqual([201, 'Verified']);
  const channel = await make('/log-channel');
  expect([channel.status, channel.body.data.name]).toEqual([201, 'holdfast-log']);
  const madeIn = async () => {
    const { data } = (await bot.owner.call('GET', '/api/v1/audit?limit=10')).body;
    return data.filter(({ action }: { action: string }) => action.startsWith('bot.make_'));
  };
  const log = await madeIn();
  expect((await make('/verified-role')).body.data).toEqual(role.body.data);
  expect((await make('/log-channel')).body.data).toEqual(channel.body.data);
  expect(await madeIn()).toEqual(log);

  const { roles, channels } = await simulator.control('GET', `/guilds/${guildId}`);
  const find = (list: { id: string }[], id: string) => list.find((one) => one.id === id);
  const botRole = roles.find(({ managed }: { managed: boolean }) => managed);
  const made = find(roles, role.body.data.id);
  expect(made).toMatchObject({ permissions: '0', hoist: false });
  expect(Object(made).position).toBeLessThan(botRole.position);
  const everyone = Object(find(channels, channel.body.data.id)).permission_overwrites.find(
    ({ id }: { id: string }) => id === guildId,
  );
  expect(BigInt(everyone.deny) & 1024n).toBe(1024n);

  expect(log).toMatchObject([
    { action: 'bot.make_channel', changes: { guildId, ...channel.body.data } },
    { action: 'bot.make_role', changes: { guildId, ...role.body.data } },
  ]);
  expect(log[0]).toMatchObject({
    actor: { type: 'USER' },
    subject: { type: 'bot', id: bot.botId },
  });

  const view = (await bot.dashboard.call('GET', inGuild(bot, guildId))).body.data;
  expect(view.roles.map(({ name }: { name: string }) => name)).toEqual(['Verified']);
  expect(view.channels).toContainEqual({ ...channel.body.data, type: 'text', isPrivate: true });
});

test('presses at the same moment make one role and one channel', async () => {
  const bot = await newBot();
  await invite(bot.invites[0].url);
  const [{ platformId: guildId }] = (await guildsOf(bot)).guilds;
  for (const [what, name] of [
    ['/verified-role', 'Verified'],
    ['/log-channel', 'holdfast-log'],
  ] as const) {
    const presses = Array.from({ length: 3 }, () =>
      bot.dashboard.call('POST', inGuild(bot, guildId, what)),
    );
    const made = (await Promise.all(presses)).map(({ body }) => body.data.id);
    const { roles, channels } = await simulator.control('GET', `/guilds/${guildId}`);
    const called = [...roles, ...channels].filter((one) => one.name === name);
    expect(called).toHaveLength(1);
    expect(new Set(made)).toEqual(new Set([called[0].id]));
  }
});

test('the limited invite is enough for both', async () => {
  const bot = await newBot();
  await invite(bot.invites[1].url);
  const [{ platformId: guildId }] = (await guildsOf(bot)).guilds;
  for (const what of ['/verified-role', '/log-channel']) {
    expect((await bot.dashboard.call('POST', inGuild(bot, guildId, what))).status).toBe(201);
  }
});

test('where the bot may not or is not, the reason is said', async () => {
  const bot = await newBot();
  await invite(bot.invites[0].url.replace('permissions=8', 'permissions=0'));
  const [{ platformId: guildId }] = (await guildsOf(bot)).guilds;
  const refused = await bot.dashboard.call('POST', inGuild(bot, guildId, '/verified-role'));
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringMatching(/may not make/),
  ]);

  const closed = randomPlatformId();
  await simulator.control('PUT', `/guilds/${closed}`, { botAccess: { isMember: false } });
  for (const [method, what] of [
    ['GET', ''],
    ['POST', '/verified-role'],
    ['POST', '/log-channel'],
  ] as const) {
    const answer = await bot.dashboard.call(method, inGuild(bot, closed, what));
    expect([answer.status, answer.body.error]).toEqual([409, expect.stringMatching(/not in/)]);
  }
  const foreign = await newBot();
  const stranger = await bot.dashboard.call('POST', inGuild(foreign, guildId, '/verified-role'));
  expect(stranger.status).toBe(404);
});
