import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { ALL_INTENTS, Op, openSocket } from '../../../test/gateway-client.ts';
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
beforeEach(() => simulator.control('PUT', '/gateway', { concurrencyMs: 0 }));
afterAll(() => simulator.stop());

const GUILDS = 1;

const open = (path?: string) => openSocket(simulator.url, path);

/** A bot that is in one guild, and the client of a session of it. */
const connect = async (intents = ALL_INTENTS, botId = freshId(), guildId = freshId()) => {
  await simulator.call('GET', `/guilds/${guildId}`, undefined, botToken(botId));
  const client = await open();
  client.identify(botId, intents);
  const ready = await client.event('READY');
  return { client, botId, guildId, ready };
};

const botAtGateway = async (botId: string) =>
  (await simulator.control('GET', `/gateway?botId=${botId}`)).bots[0];

const closeCodeOf = async (send: (client: Awaited<ReturnType<typeof open>>) => void) => {
  const client = await open();
  send(client);
  return client.closed;
};

test('a session is told who it is, then of each of its guilds', async () => {
  const { client, botId, guildId, ready } = await connect(GUILDS);
  expect(ready).toMatchObject({
    v: 10,
    user: { id: botId, bot: true },
    application: { id: botId },
    guilds: [{ id: guildId, unavailable: true }],
    shard: [0, 1],
  });
  const guild = await client.event('GUILD_CREATE');
  expect(guild).toMatchObject({ id: guildId, unavailable: false, member_count: 31 });
  expect(guild.channels.length).toBeGreaterThan(5);
  expect(guild.roles.length).toBeGreaterThan(3);
  expect(guild.members.map(({ user }: { user: { id: string } }) => user.id)).toEqual([botId]);
  expect(await botAtGateway(botId)).toMatchObject({
    identifies: 1,
    resumes: 0,
    identifiesLeft: 999,
    sessions: [{ sessionId: ready.session_id, isConnected: true, intents: GUILDS }],
  });
});

test('only with its intent a session is told all members', async () => {
  const { client } = await connect(GUILDS | (1 << 8));
  expect((await client.event('GUILD_CREATE')).members).toHaveLength(31);
});

test('the address and the budget of a bot are told before it connects', async () => {
  const { botId } = await connect();
  const answer = await simulator.call('GET', '/gateway/bot', undefined, botToken(botId));
  const { url, session_start_limit } = await answer.json();
  expect(url).toBe(`${simulator.url.replace('http', 'ws')}/gateway`);
  expect(session_start_limit).toMatchObject({ total: 1000, remaining: 999, max_concurrency: 1 });
  expect(session_start_limit.reset_after).toBeGreaterThan(86_000_000);
});

test.each([
  ['an unknown opcode', 4001, (bot: string) => ({ op: 99, d: bot })],
  ['a body that is no identify', 4002, () => ({ op: Op.Identify, d: 5 })],
  ['anything before it identified', 4003, () => ({ op: Op.Presence, d: { status: 'idle' } })],
  ['a shard beyond their number', 4010, (bot: string) => identify(bot, { shard: [2, 2] })],
  ['intents that do not exist', 4013, (bot: string) => identify(bot, { intents: 1 << 30 })],
])('%s closes the connection with %d', async (_, code, frame) => {
  const { op, d } = frame(freshId());
  expect(await closeCodeOf((client) => client.send(op, d))).toBe(code);
});

const identify = (botId: string, more: object) => ({
  op: Op.Identify,
  d: { token: botToken(botId), properties: {}, intents: GUILDS, ...more },
});

test('a session with too many servers closes with 4011', async () => {
  await simulator.control('PUT', '/gateway', { concurrencyMs: 0, guildsPerShard: 1 });
  const { botId } = await connect(GUILDS);
  await simulator.call('GET', `/guilds/${freshId()}`, undefined, botToken(botId));
  expect(await closeCodeOf((client) => client.identify(botId))).toBe(4011);
});

test('what is no JSON closes with 4002, another version with 4012', async () => {
  expect(await closeCodeOf(({ socket }) => socket.send('{'))).toBe(4002);
  expect(await (await open('/gateway?v=6&encoding=json')).closed).toBe(4012);
});

test('a second identify closes with 4005, and the session can still be resumed', async () => {
  const { client, botId, ready } = await connect(GUILDS);
  client.identify(botId);
  expect(await client.closed).toBe(4005);
  const again = await open();
  again.resume(botId, ready.session_id, client.lastSeq());
  await again.event('RESUMED');
});

test('an intent that is switched off in the application closes with 4014', async () => {
  const botId = freshId();
  await simulator.control('PUT', `/bots/${botId}`, { intents: ['GUILD_MEMBERS'] });
  expect(await closeCodeOf((client) => client.identify(botId, ALL_INTENTS))).toBe(4014);
  await connect(GUILDS | (1 << 1), botId);
});

test('a token that dies closes its sessions with 4004, and is refused from then on', async () => {
  const { client, botId, ready } = await connect();
  await simulator.control('PUT', `/bots/${botId}`, { isDead: true });
  expect(await client.closed).toBe(4004);
  expect(await closeCodeOf((other) => other.identify(botId))).toBe(4004);
  await simulator.control('PUT', `/bots/${botId}`, { isDead: false });
  // The token is good again, but the session is over.
  const again = await open();
  again.resume(botId, ready.session_id, client.lastSeq());
  expect((await again.find(({ op }) => op === Op.InvalidSession)).d).toBe(false);
});

test('a token that is replaced ends its sessions, connected or not; the same one again does not', async () => {
  const [first, second] = [await connect(), await connect()];
  const setToken = ({ botId }: typeof first, botTokenOf: string) =>
    simulator.control('PUT', `/bots/${botId}`, { botToken: botTokenOf });
  await setToken(first, botToken(first.botId));
  await first.client.settle();
  await setToken(first, 'another');
  expect(await first.client.closed).toBe(4004);
  second.client.socket.close(4000);
  await second.client.closed;
  await setToken(second, 'another');
  expect((await botAtGateway(second.botId)).sessions).toEqual([]);
});

test('a lost session is resumed at the address that it was given, with what it missed', async () => {
  const { client, botId, guildId, ready } = await connect();
  await client.event('GUILD_CREATE');
  const seen = client.lastSeq();
  client.socket.close(4000);
  await client.closed;
  await simulator.control('DELETE', `/guilds/${guildId}`);
  const path = `${new URL(ready.resume_gateway_url).pathname}?v=10&encoding=json`;
  const again = await open(path);
  again.resume(botId, ready.session_id, seen);
  await again.event('RESUMED');
  expect(again.frames.map(({ t, s }) => [t, s]).slice(1)).toEqual([
    ['GUILD_DELETE', seen + 1],
    ['RESUMED', seen + 2],
  ]);
  expect(await botAtGateway(botId)).toMatchObject({ identifies: 1, resumes: 1 });
  expect((await botAtGateway(botId)).sessions).toHaveLength(1);
});

test('a session that its client closed with 1000 or 1001 is over', async () => {
  for (const code of [1000, 1001]) {
    const { client, botId, ready } = await connect();
    client.socket.close(code);
    await client.closed;
    const again = await open();
    again.resume(botId, ready.session_id, client.lastSeq());
    expect((await again.find(({ op }) => op === Op.InvalidSession)).d).toBe(false);
    // On the same connection it may begin anew.
    again.identify(botId);
    await again.event('READY');
  }
});

test('a sequence number from the future closes with 4007, an old one cannot be replayed', async () => {
  const first = await connect();
  first.client.socket.close(4000);
  const ahead = await open();
  ahead.resume(first.botId, first.ready.session_id, 999);
  expect(await ahead.closed).toBe(4007);

  await simulator.control('PUT', '/gateway', { concurrencyMs: 0, replayLimit: 1 });
  const second = await connect();
  await second.client.event('GUILD_CREATE');
  second.client.socket.close(4000);
  const late = await open();
  late.resume(second.botId, second.ready.session_id, 0);
  expect((await late.find(({ op }) => op === Op.InvalidSession)).d).toBe(false);
});

test('a session that nobody takes up in time is over', async () => {
  await simulator.control('PUT', '/gateway', { concurrencyMs: 0, resumeWithinMs: 0 });
  const { client, botId, ready } = await connect();
  client.socket.close(4000);
  await client.closed;
  await Bun.sleep(5);
  const again = await open();
  again.resume(botId, ready.session_id, client.lastSeq());
  expect((await again.find(({ op }) => op === Op.InvalidSession)).d).toBe(false);
});

test('who resumes a session takes it from the connection that had it', async () => {
  const { client, botId, ready } = await connect();
  const other = await open();
  other.resume(botId, ready.session_id, client.lastSeq());
  await other.event('RESUMED');
  expect(await client.closed).toBe(4000);
  expect((await botAtGateway(botId)).sessions).toMatchObject([{ isConnected: true }]);
});

test('a heartbeat is answered; a connection without one is closed with 4009', async () => {
  await simulator.control('PUT', '/gateway', { concurrencyMs: 0, heartbeatIntervalMs: 40 });
  const { client } = await connect();
  await client.settle();
  expect(client.frames[0]).toMatchObject({ op: Op.Hello, d: { heartbeat_interval: 40 } });
  expect(await client.closed).toBe(4009);
});

test('more than 120 frames a minute close the connection with 4008', async () => {
  const { client } = await connect();
  for (let sent = 1; sent < 120; sent += 1) client.send(Op.Heartbeat, null);
  await client.settle().catch(() => {});
  expect(await client.closed).toBe(4008);
});

test('identifies follow each other only so fast, and too many in a day cost the token', async () => {
  await simulator.control('PUT', '/gateway', { concurrencyMs: 60_000 });
  const { botId } = await connect();
  const hasty = await open();
  hasty.identify(botId);
  expect((await hasty.find(({ op }) => op === Op.InvalidSession)).d).toBe(false);

  await simulator.control('PUT', '/gateway', { concurrencyMs: 0, identifiesPerDay: 2 });
  const { client } = await connect(GUILDS, botId);
  expect((await botAtGateway(botId)).identifiesLeft).toBe(0);
  expect(await closeCodeOf((third) => third.identify(botId))).toBe(4004);
  expect(await client.closed).toBe(4004);
  const answer = await simulator.call('GET', '/users/@me', undefined, botToken(botId));
  expect(answer.status).toBe(401);
});

test('a bot shows the presence of its session to others, until the session ends', async () => {
  const guildId = freshId();
  const watcher = await connect(ALL_INTENTS, freshId(), guildId);
  await watcher.client.event('GUILD_CREATE');
  const shown = await connect(GUILDS, freshId(), guildId);
  const activities = [{ name: 'Custom Status', type: 4, state: 'Keeping watch' }];
  shown.client.send(Op.Presence, { status: 'dnd', activities, since: null, afk: false });
  await watcher.client.find(({ t, d }) => t === 'PRESENCE_UPDATE' && statusOf(d) === 'dnd');
  expect((await botAtGateway(shown.botId)).presence).toMatchObject({ status: 'dnd', activities });
  shown.client.socket.close(1000);
  const last = await watcher.client.find(
    ({ t, d }) => t === 'PRESENCE_UPDATE' && statusOf(d) === 'offline',
  );
  expect(last.d).toMatchObject({ user: { id: shown.botId }, guild_id: guildId, activities: [] });
});

const statusOf = (data: unknown): string => Object(data).status;

test('a shard is told of its own guilds only', async () => {
  const botId = freshId();
  const ids = [4, 5].map((number) => String((BigInt(Date.now()) << 23n) + (BigInt(number) << 22n)));
  for (const id of ids) await simulator.call('GET', `/guilds/${id}`, undefined, botToken(botId));
  for (const index of [0, 1]) {
    const client = await open();
    client.identify(botId, GUILDS, { shard: [index, 2] });
    expect((await client.event('READY')).guilds.map(({ id }: { id: string }) => id)).toEqual([
      String(ids[index]),
    ]);
  }
});

test('control sends op 7 and op 9, closes, cuts and refuses', async () => {
  const { client, botId, ready } = await connect();
  const act = (body: object) => simulator.control('POST', '/gateway/actions', { botId, ...body });
  await act({ action: 'reconnect' });
  await client.find(({ op }) => op === Op.Reconnect);
  await act({ action: 'invalidate', isResumable: true });
  expect((await client.find(({ op }) => op === Op.InvalidSession)).d).toBe(true);
  client.resume(botId, ready.session_id, client.lastSeq());
  await client.event('RESUMED');
  await act({ action: 'close', code: 4000 });
  expect(await client.closed).toBe(4000);
  const second = await connect(GUILDS, botId);
  await act({ action: 'cut' });
  expect(await second.client.closed).toBe(1006);
  await simulator.control('PUT', '/gateway/faults', { refuseMs: 60_000 });
  const refused = new WebSocket(`${simulator.url.replace('http', 'ws')}/gateway?v=10`);
  await new Promise((resolve) => {
    refused.onclose = resolve;
  });
  await simulator.control('PUT', '/gateway/faults', {});
  await connect(GUILDS, botId);
});
