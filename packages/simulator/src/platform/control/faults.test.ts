import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { freshId, startTestSimulator, type TestSimulator } from '../../../test/harness.ts';

let simulator: TestSimulator;

beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterEach(() => simulator.control('DELETE', '/faults'));
afterAll(() => simulator.stop());

const channelNames = async (guildId: string): Promise<string[]> => {
  const { channels } = await simulator.control('GET', `/guilds/${guildId}`);
  return channels.map(({ name }: { name: string }) => name);
};

const makeChannel = (guildId: string, name = 'made') =>
  simulator.call('POST', `/guilds/${guildId}/channels`, { name });

const addFault = (guildId: string, fault: object) =>
  simulator.control('POST', '/faults', {
    match: { method: 'POST', route: '/guilds/:id/channels', guildId },
    ...fault,
  });

/** A process that waits for a line, makes one channel and says so. */
const startMaker = (guildId: string) =>
  Bun.spawn({
    cmd: [
      process.execPath,
      `${import.meta.dir}/../../../test/channel-maker.ts`,
      simulator.api,
      guildId,
    ],
    stdin: 'pipe',
    stdout: 'pipe',
  });

const killMaker = async (when: string, ms = 0) => {
  const guildId = freshId();
  const maker = startMaker(guildId);
  await addFault(guildId, { when, action: 'kill', pid: maker.pid, ms });
  maker.stdin.write('go\n');
  await maker.stdin.flush();
  await maker.exited;
  return {
    signal: maker.signalCode,
    output: await new Response(maker.stdout).text(),
    isMade: (await channelNames(guildId)).includes('made'),
  };
};

test('a process is killed at exactly the given moment', async () => {
  const [before, afterApply, afterAnswer] = await Promise.all([
    killMaker('before'),
    killMaker('afterApply'),
    killMaker('afterAnswer', 300),
  ]);
  expect(before).toEqual({ signal: 'SIGKILL', output: '', isMade: false });
  expect(afterApply).toEqual({ signal: 'SIGKILL', output: '', isMade: true });
  expect(afterAnswer).toEqual({ signal: 'SIGKILL', output: 'answered\n', isMade: true });
});

test('a status before the route leaves no change, one after it hides the change', async () => {
  const guildId = freshId();
  await addFault(guildId, { when: 'before', action: 'status', status: 503, body: { a: 1 } });
  const refused = await makeChannel(guildId);
  expect([refused.status, await refused.json()]).toEqual([503, { a: 1 }]);
  expect(await channelNames(guildId)).not.toContain('made');
  await addFault(guildId, { when: 'afterApply', action: 'status', status: 500 });
  expect((await makeChannel(guildId)).status).toBe(500);
  expect(await channelNames(guildId)).toContain('made');
});

test('a fault starts at the nth request and ends after the given number of times', async () => {
  const guildId = freshId();
  await addFault(guildId, { nth: 2, times: 2, action: 'status', status: 502 });
  const statuses: number[] = [];
  for (let index = 0; index < 4; index += 1) statuses.push((await makeChannel(guildId)).status);
  expect(statuses).toEqual([201, 502, 502, 201]);
  expect((await makeChannel(freshId())).status).toBe(201);
});

test('a fault without conditions matches every platform request', async () => {
  const own = await startTestSimulator();
  await own.control('POST', '/faults', { match: {}, nth: 3, action: 'status', status: 502 });
  const guildId = freshId();
  const statuses = [
    (await own.call('GET', '/users/@me')).status,
    (await own.call('GET', `/guilds/${guildId}`)).status,
    (await own.call('GET', `/guilds/${guildId}/channels`)).status,
    (await own.call('GET', `/guilds/${guildId}/channels`)).status,
  ];
  expect(statuses).toEqual([200, 200, 502, 200]);
  await own.stop();
});

test('onApplied is called for each change as soon as it took effect, and for nothing else', async () => {
  const seen: string[] = [];
  const own = await startTestSimulator({
    onApplied: ({ method, status }, { channels }) =>
      seen.push(`${method} ${status} ${[...channels.values()].at(-1)?.name}`),
  });
  const guildId = freshId();
  const make = (name: string) => own.call('POST', `/guilds/${guildId}/channels`, { name });
  await own.call('GET', `/guilds/${guildId}/channels`);
  await make('');
  await own.control('POST', '/faults', { match: {}, action: 'status', when: 'afterApply' });
  await make('unheard-of');
  await make('second');
  expect(seen).toEqual(['POST null unheard-of', 'POST null second']);
  await own.stop();
});

test('connections are reset, left hanging and delayed', async () => {
  const guildId = freshId();
  await addFault(guildId, { when: 'afterApply', action: 'reset' });
  expect(makeChannel(guildId, 'cut')).rejects.toThrow();
  await Bun.sleep(50);
  expect(await channelNames(guildId)).toContain('cut');
  await addFault(guildId, { action: 'delay', ms: 120 });
  const startedAt = performance.now();
  await makeChannel(guildId);
  expect(performance.now() - startedAt).toBeGreaterThan(110);
  await addFault(guildId, { action: 'hang' });
  const hung = fetch(`${simulator.api}/v10/guilds/${guildId}/channels`, {
    method: 'POST',
    headers: { Authorization: 'Bot x' },
    body: '{"name":"hung"}',
    signal: AbortSignal.timeout(150),
  });
  expect(hung).rejects.toThrow();
  await Bun.sleep(200);
  expect(await channelNames(guildId)).not.toContain('hung');
});

test('the log has every request with its body and whether it took effect', async () => {
  const guildId = freshId();
  const before = await simulator.control('GET', '/log');
  const since = before.at(-1)?.seq ?? 0;
  await makeChannel(guildId, 'logged');
  await simulator.call('POST', `/guilds/${guildId}/channels`, {});
  const rows = await simulator.control('GET', `/log?since=${since}`);
  const common = {
    method: 'POST',
    path: `/guilds/${guildId}/channels`,
    route: '/guilds/:id/channels',
    botId: '900000000000000001',
    guildId,
  };
  expect(rows).toMatchObject([
    { seq: since + 1, ...common, body: { name: 'logged' }, status: 201, applied: true },
    { seq: since + 2, ...common, body: {}, status: 400, applied: false },
  ]);
  await simulator.control('DELETE', '/log');
  expect(await simulator.control('GET', '/log')).toEqual([]);
});
