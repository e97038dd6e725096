import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshId, startTestSimulator, type TestSimulator } from '../../../test/harness.ts';

let simulator: TestSimulator;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-simulator-'));
  simulator = await startTestSimulator({ stateFile: join(folder, 'simulator.json') });
});
afterAll(async () => {
  await simulator.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Uses node:http, which sends any headers. */
const ask = (
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: object } = {},
): Promise<number> =>
  new Promise((resolve, reject) => {
    const asked = request(`${simulator.url}/__sim${path}`, { method, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    asked.on('error', reject);
    asked.end(body && JSON.stringify(body));
  });

const json = { 'content-type': 'application/json' };
const limits = { default: { limit: 1, perMs: 60_000 } };

describe('control', () => {
  test.each([
    ['none', {}],
    ['that of a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', { 'content-type': 'text/plain' }],
    ['one that only looks like it', { 'content-type': 'application/jsonp' }],
  ])('takes no body whose content type is %s', async (_, headers: Record<string, string>) => {
    const before = await simulator.control('GET', '/limits');
    expect(await ask('PUT', '/limits', { headers, body: limits })).toBe(415);
    expect(await ask('POST', '/faults', { headers, body: { match: {}, action: 'hang' } })).toBe(
      415,
    );
    expect(await ask('PUT', '/payments', { headers, body: {} })).toBe(415);
    expect(await ask('PUT', `/users/${freshId()}`, { headers, body: {} })).toBe(415);
    expect(await simulator.control('GET', '/limits')).toEqual(before);
    expect(await simulator.control('GET', '/faults')).toEqual([]);
  });

  test.each(['https://evil.example', 'null', 'http://localhost:3000', ''])(
    'refuses whatever names an origin, such as %p',
    async (origin) => {
      const headers = { ...json, origin };
      expect(await ask('PUT', '/limits', { headers, body: limits })).toBe(403);
      expect(await ask('DELETE', '/log', { headers })).toBe(403);
      expect(await ask('GET', '/log', { headers })).toBe(403);
    },
  );

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:3001', '10.0.0.7'])(
    'does not answer to the name %s',
    async (host) => {
      expect(await ask('GET', '', { headers: { host } })).toBe(403);
      expect(await ask('PUT', '/limits', { headers: { ...json, host }, body: limits })).toBe(403);
    },
  );

  test.each(['localhost', 'LOCALHOST:3001', '127.0.0.1:3001', '127.1.2.3', '[::1]:3001'])(
    'answers to %s',
    async (host) => {
      expect(await ask('GET', '', { headers: { host } })).toBe(200);
    },
  );
});

describe('a kill', () => {
  const killOf = (pid: number) =>
    ask('POST', '/faults', { headers: json, body: { match: {}, action: 'kill', pid } });

  test('reaches no program outside this repository', async () => {
    const script = join(folder, 'innocent.ts');
    await writeFile(script, 'await Bun.sleep(60_000)');
    const start = (...command: string[]) =>
      Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
    const innocent = [
      start('sleep', '60'),
      start(process.execPath, script),
      start(process.execPath, '-e', 'await Bun.sleep(60_000)'),
      start('tail', '-f', `${import.meta.dir}/../../../test/channel-maker.ts`),
    ];
    const statuses = await Promise.all(innocent.map(({ pid }) => killOf(pid)));
    const endings = innocent.map(({ exitCode }) => exitCode);
    for (const child of innocent) child.kill('SIGKILL');
    expect([statuses, endings]).toEqual([
      [400, 400, 400, 400],
      [null, null, null, null],
    ]);
    expect(await killOf(1)).toBe(400);
    expect(await killOf(4_000_000)).toBe(400);
  });

  test('reaches programs of this repository, also those started by a relative path', async () => {
    const guildId = freshId();
    const argsOf = (script: string) => [process.execPath, script, simulator.api, guildId];
    const own = [
      Bun.spawn(argsOf(`${import.meta.dir}/../../../test/channel-maker.ts`), { stdin: 'pipe' }),
      Bun.spawn(argsOf('test/channel-maker.ts'), {
        stdin: 'pipe',
        cwd: `${import.meta.dir}/../../..`,
      }),
    ];
    const statuses = await Promise.all(own.map(({ pid }) => killOf(pid)));
    for (const child of own) child.kill('SIGKILL');
    await simulator.control('DELETE', '/faults');
    expect(statuses).toEqual([201, 201]);
  });
});

test('only the own user can read the state file, whatever permissions it had before', async () => {
  const path = join(folder, 'simulator.json');
  await writeFile(`${path}.new`, 'left over', { mode: 0o644 });
  await simulator.control('PUT', `/guilds/${freshId()}`, {});
  await simulator.stop();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});
