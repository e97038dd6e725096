import { afterEach, expect, test } from 'bun:test';
import type { ServerWebSocket } from 'bun';
import { patience } from '../../../test/harness/eventually.ts';
import { Secret } from '../../kernel/secret.ts';
import { createGateway } from './connection.ts';
import type { ConnectOptions, Dispatch, GatewayConnection } from './port.ts';

type Socket = ServerWebSocket<undefined>;
type Frame = { op: number; d: unknown; s?: number; t?: string };

const opened: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.stop();
});

/** A platform that says what the test tells it to. */
const startPlatform = (heartbeatMs: number, onFrame: (socket: Socket, frame: Frame) => void) => {
  const heard: Frame[] = [];
  let greet: (socket: Socket) => void = () => undefined;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, self) =>
      self.upgrade(request) ? undefined : new Response('', { status: 400 }),
    websocket: {
      open(socket: Socket) {
        greet(socket);
        say(socket, { op: 10, d: { heartbeat_interval: heartbeatMs } });
      },
      message(socket: Socket, text) {
        const frame = JSON.parse(String(text));
        heard.push(frame);
        onFrame(socket, frame);
      },
    },
  });
  opened.push({ stop: () => server.stop(true) });
  return {
    heard,
    /** What is said before the greeting. */
    onOpen(say: typeof greet) {
      greet = say;
    },
    apiUrl: `http://127.0.0.1:${server.port}/api`,
    url: `ws://127.0.0.1:${server.port}/`,
  };
};

const say = (socket: Socket, frame: Frame) => {
  socket.send(JSON.stringify(frame));
};

const ready = (resumeUrl: string): Frame => ({
  ...{ op: 0, s: 1, t: 'READY' },
  d: { session_id: 'abc', resume_gateway_url: resumeUrl, guilds: [{ id: '5' }] },
});

const presence = { status: 'ONLINE', activityType: 'PLAYING', activityText: '' } as const;

type Asked = { mayAct?: boolean; mayIdentify?: boolean; begin?: ConnectOptions['begin'] };

const connectTo = (
  { apiUrl, url }: { apiUrl: string; url: string },
  { mayAct = true, mayIdentify = true, begin }: Asked = {},
) => {
  const dispatches: Dispatch[] = [];
  const broken: string[] = [];
  const { promise: isReady, resolve } = Promise.withResolvers<void>();
  let readies = 0;
  const connection: GatewayConnection = createGateway({ apiUrl }).connect({
    token: new Secret('the-token'),
    begin: begin ?? {
      kind: 'identify',
      url,
      intents: ['GUILDS', 'GUILD_MEMBERS'],
      presence,
      mayIdentify: async () => mayIdentify,
    },
    mayAct: () => mayAct,
    onReady() {
      readies++;
      resolve();
    },
    onDispatch: (dispatch) => dispatches.push(dispatch),
    onBroken: (type, problem) => broken.push(`${type}: ${problem}`),
  });
  opened.push({ stop: connection.drop });
  return { connection, dispatches, broken, isReady, readies: () => readies };
};

const identifyThen = (...frames: ((url: string) => Frame)[]) => {
  const platform = startPlatform(60_000, (socket, { op }) => {
    if (op === 2) for (const frame of frames) say(socket, frame(platform.url));
  });
  return platform;
};

test('a message that is not as documented is told and skipped, and the next one is heard', async () => {
  const platform = identifyThen(
    ready,
    () => ({ op: 0, s: 2, t: 'CHANNEL_DELETE', d: { id: 7, guild_id: null } }),
    () => ({ op: 0, s: 3, t: 'GUILD_CREATE', d: 'nonsense' }),
    () => ({ op: 0, s: 4, t: 'TYPING_START', d: {} }),
    () => ({ op: 0, s: 5, t: 'GUILD_ROLE_DELETE', d: { guild_id: '5', role_id: '6' } }),
  );
  const { connection, dispatches, broken, isReady } = connectTo(platform);
  await isReady;
  while (dispatches.length < 5) await Bun.sleep(5);
  expect(dispatches.map(({ sequence, events }) => [sequence, events.length])).toEqual([
    ...[[1, 1]],
    ...[[2, 0]],
    ...[[3, 0]],
    ...[[4, 0]],
    ...[[5, 1]],
  ]);
  expect(dispatches.at(-1)?.events).toEqual([{ kind: 'roleDeleted', guildId: '5', roleId: '6' }]);
  expect(broken).toHaveLength(2);
  expect(broken[0]).toContain('CHANNEL_DELETE: guild_id');
  connection.close('endSession');
  expect(await connection.ended).toEqual({ kind: 'closed' });
});

test.each([
  ['no JSON', 'not json'],
  ['a list', '[]'],
  ['null', 'null'],
  ['an unknown opcode', '{"op":77}'],
  ['a dispatch without a number', '{"op":0,"t":"GUILD_DELETE","d":{"id":"5"}}'],
  ['a message of 20 MB', `{"op":0,"s":2,"t":"${'x'.repeat(20_000_000)}","d":{}}`],
])('%s does not end the connection', async (_, text) => {
  const platform = startPlatform(60_000, (socket, { op }) => {
    if (op !== 2) return;
    socket.send(text);
    say(socket, ready(platform.url));
  });
  const { dispatches, isReady } = connectTo(platform);
  await isReady;
  expect(dispatches).toHaveLength(1);
});

test('a message whose number is none is skipped, because no session could be resumed there', async () => {
  const numbered = (s: number): Frame => ({ op: 0, s, t: 'GUILD_DELETE', d: { id: '5' } });
  const numbers = [1.5, 1e300, -2, 2 ** 60, 7];
  const platform = identifyThen(ready, ...numbers.map((number) => () => numbered(number)));
  const { dispatches, broken } = connectTo(platform);
  while (dispatches.at(-1)?.sequence !== 7) await Bun.sleep(5);
  expect(dispatches.map(({ sequence }) => sequence)).toEqual([1, 7]);
  expect(broken).toHaveLength(4);
});

test('an acknowledgement as it is documented, with nothing but its code, counts', async () => {
  const { promise: hasBeaten, resolve } = Promise.withResolvers<void>();
  let beats = 0;
  // One that comes later than the next heartbeat does not count.
  const platform = startPlatform(200 * patience, (socket, { op }) => {
    if (op === 2) say(socket, ready(platform.url));
    if (op !== 1) return;
    socket.send('{"op":11}');
    if (++beats === 3) resolve();
  });
  const { connection, broken } = connectTo(platform);
  await Promise.race([hasBeaten, connection.ended]);
  expect(beats).toBe(3);
  expect(broken).toEqual([]);
});

test('a session without a greeting is none, and a second greeting is not answered with another session', async () => {
  const platform = startPlatform(60_000, (socket, { op }) => {
    if (op !== 2) return;
    for (let more = 0; more < 5; more++) say(socket, { op: 10, d: { heartbeat_interval: 60_000 } });
    say(socket, { ...ready(platform.url), s: 9 });
  });
  platform.onOpen((socket) => say(socket, ready(platform.url)));
  const { dispatches, isReady } = connectTo(platform);
  await isReady;
  expect(dispatches.map(({ sequence }) => sequence)).toEqual([9]);
  expect(platform.heard.filter(({ op }) => op === 2)).toHaveLength(1);
});

test.each([
  ['an id of a session that cannot be stored', { session_id: 'a\0b' }],
  ['an address that cannot be stored', { resume_gateway_url: 'ws://127.0.0.1/\0' }],
  ['no guilds', { guilds: null }],
])('a READY with %s is no session, and another connection may follow', async (_, wrong) => {
  const platform = identifyThen((url) => {
    const frame = ready(url);
    return { ...frame, d: { ...Object(frame.d), ...wrong } };
  });
  const { connection, dispatches, broken } = connectTo(platform);
  expect(await connection.ended).toEqual({ kind: 'cut', code: undefined });
  expect(dispatches).toEqual([]);
  expect(broken).toHaveLength(1);
});

test('a platform that does not answer heartbeats is left, and the session kept', async () => {
  const platform = startPlatform(30, (socket, { op }) => {
    if (op === 2) say(socket, ready(platform.url));
  });
  const { connection } = connectTo(platform);
  expect(await connection.ended).toEqual({ kind: 'cut', code: undefined });
  expect(platform.heard.filter(({ op }) => op === 1)).toHaveLength(1);
});

test.each([
  [4004, { kind: 'refused', what: 'token' }],
  [4013, { kind: 'refused', what: 'intents' }],
  [4014, { kind: 'refused', what: 'intents' }],
  [4011, { kind: 'refused', what: 'size' }],
  [4007, { kind: 'sessionOver', code: 4007 }],
  [4009, { kind: 'sessionOver', code: 4009 }],
  [4000, { kind: 'cut', code: 4000 }],
  [1001, { kind: 'cut', code: 1001 }],
] as const)('a close with %d is understood', async (code, end) => {
  const platform = startPlatform(60_000, (socket, { op }) => {
    if (op === 2) socket.close(code);
  });
  expect(await connectTo(platform).connection.ended).toEqual(end);
});

test('a resume that repeats the end of an earlier one is ready once', async () => {
  const platform = startPlatform(60_000, (socket, { op }) => {
    if (op !== 6) return;
    for (const s of [4, 5]) say(socket, { op: 0, s, t: 'RESUMED', d: {} });
  });
  const session = { id: 'abc', resumeUrl: platform.url, sequence: 3 };
  const { dispatches, readies } = connectTo(platform, { begin: { kind: 'resume', session } });
  while (dispatches.length < 2) await Bun.sleep(5);
  expect(readies()).toBe(1);
});

test('without permission nothing is identified, and nothing is sent by who may not act', async () => {
  const platform = identifyThen(ready);
  const held = connectTo(platform, { mayIdentify: false });
  expect(await held.connection.ended).toEqual({ kind: 'notIdentified' });
  const silenced = connectTo(platform, { mayAct: false });
  expect(await silenced.connection.ended).toEqual({ kind: 'closed' });
  expect(platform.heard).toEqual([]);
});

test('a session is resumed only at an address of the platform', async () => {
  const platform = identifyThen(() => ready('ws://attacker.example/'));
  const { dispatches, isReady } = connectTo(platform);
  await isReady;
  expect(dispatches[0]?.session.resumeUrl).toBe(platform.url);
  const elsewhere = identifyThen((url) => ready(url.replace('ws:', 'ftp:')));
  const other = connectTo(elsewhere);
  await other.isReady;
  expect(other.dispatches[0]?.session.resumeUrl).toBe(elsewhere.url);
  for (const url of ['ws://attacker.example/', 'http://127.0.0.1/', 'nonsense']) {
    expect(() => connectTo({ apiUrl: 'https://discord.com/api', url })).toThrow();
  }
});
