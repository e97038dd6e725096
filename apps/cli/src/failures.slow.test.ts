import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createServer } from '../../server/test/harness/bots-and-servers.ts';
import { testWith } from '../../server/test/harness/running-service.ts';
import packageJson from '../package.json';
import { type CliService, startCliService } from '../test/cli-service.ts';
import {
  builtCli,
  cliEnvironment,
  hasTerminal,
  makeHome,
  runCli,
  runInTerminal,
} from '../test/run-cli.ts';

let service: CliService;
beforeAll(async () => {
  service = await startCliService();
});
afterAll(() => service.stop());

const key = `holdfast_${'a'.repeat(44)}`;
const list = ['servers', 'list'];
/** By the SDK's method, and by a request of one's own. */
const bothWays = [list, ['api', 'GET', 'servers']];

type Answer = (request: Request, count: number) => Response | Promise<Response>;

/** Runs commands against something that answers so. */
const runAgainst = async (answer: Answer, commands: string[][], more = {}) => {
  let count = 0;
  const server = Bun.serve({ port: 0, fetch: (request) => answer(request, ++count), ...more });
  const env = { HOLDFAST_URL: server.url.href, HOLDFAST_API_KEY: key, HOLDFAST_TIMEOUT: '0.3' };
  const results = await Promise.all(commands.map((command) => runCli(command, { env })));
  server.stop(true);
  return results;
};

const page = (number: number, totalPages: number, data: object[] = [{ id: 'x' }]) =>
  Response.json({ data, pagination: { page: number, limit: 1, total: 1, totalPages } });

const limited = (seconds: number) =>
  Response.json(
    { error: 'Slow down' },
    { status: 429, headers: { 'retry-after': String(seconds) } },
  );

describe('a key that is no longer good ends with 3 and what to do', () => {
  test('whether it has expired or was revoked', async () => {
    const [expired, revoked] = [await service.newTenant(), await service.newTenant()];
    await service.db.$client`update api_keys set expires_at = now() where id = ${expired.keyId}`;
    await revoked.call('DELETE', `/api/v1/keys/${revoked.keyId}`);
    for (const owner of [expired, revoked]) {
      const failed = await service.runAs(owner, 'servers', 'list');
      expect(failed).toMatchObject({ exitCode: 3, stdout: '' });
      expect(failed.stderr).toContain('holdfast login');
      const json = await service.runAs(owner, 'api', 'GET', 'servers', '--json');
      expect(JSON.parse(json.stderr)).toMatchObject({ code: 'notSignedIn', exitCode: 3 });
    }
  });
});

describe('too many requests', () => {
  test('are waited for, which is said beside the result', async () => {
    const answer: Answer = (_, count) => (count === 1 ? limited(1) : page(1, 1));
    const [waited] = await runAgainst(answer, [list]);
    expect(waited).toEqual({
      exitCode: 0,
      stdout: '[{"id":"x"}]\n',
      stderr: '{"event":"rateLimited","retryAfterSeconds":1}\n',
    });
  });

  test('end with 9 if the wait is too long', async () => {
    for (const { exitCode, stdout, stderr } of await runAgainst(() => limited(3600), bothWays)) {
      expect({ exitCode, stdout }).toEqual({ exitCode: 9, stdout: '' });
      expect(stderr).toContain('Try again in 3600 s.');
    }
  });
});

describe('no answer of the service ends with 10 and the reason', () => {
  const html = () => new Response('<html>', { headers: { 'content-type': 'text/html' } });
  test.each<[string, Answer, string]>([
    ['an outage', () => new Response('', { status: 503 }), 'HTTP 503'],
    ['silence', () => Bun.sleep(60_000).then(() => new Response('')), 'no answer within 300 ms'],
  ])(
    'of %s',
    async (_, answer, reason) => {
      for (const { exitCode, stdout, stderr } of await runAgainst(answer, bothWays)) {
        expect({ exitCode, stdout }).toEqual({ exitCode: 10, stdout: '' });
        expect(stderr).toContain(reason);
      }
    },
    30_000,
  );

  test('of a proxy that answers with a page of its own', async () => {
    const [listed, checked] = await runAgainst(html, [list, ['doctor']]);
    expect(listed).toMatchObject({ exitCode: 10, stdout: '' });
    expect(listed?.stderr).toContain('the answer is not one of the service');
    expect(checked?.stdout).toContain('is not Holdfast');
  });

  testWith('openssl', Bun.which('openssl') !== null)(
    'of a certificate that nobody signed',
    async () => {
      const folder = makeHome();
      const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
      const made = Bun.spawnSync([
        ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
        ...['-nodes', '-subj', '/CN=localhost', '-keyout', keyFile, '-out', certFile],
      ]);
      expect(made.exitCode).toBe(0);
      const tls = { key: Bun.file(keyFile), cert: Bun.file(certFile) };
      const server = Bun.serve({ port: 0, tls, fetch: () => page(1, 1) });
      const env = { HOLDFAST_URL: server.url.href, HOLDFAST_API_KEY: key };
      for (const runtime of [undefined, Bun.which('node') ?? undefined]) {
        const failed = await runCli(list, { env, runtime });
        expect(failed).toMatchObject({ exitCode: 10, stdout: '' });
        expect(failed.stderr).toMatch(/certificate/i);
      }
      server.stop(true);
    },
    30_000,
  );
});

test('the service may be below a path, and hears who calls', async () => {
  const owner = await service.newTenant();
  await createServer(owner, { name: 'Harbour' });
  const agents = new Set<string | null>();
  const proxy = Bun.serve({
    port: 0,
    fetch(request) {
      agents.add(request.headers.get('user-agent')?.split(' ')[0] ?? null);
      const { pathname, search } = new URL(request.url);
      const isBelow = pathname.startsWith('/behind/');
      return isBelow
        ? fetch(`${service.url}${pathname.slice(7)}${search}`, { headers: request.headers })
        : new Response('', { status: 404 });
    },
  });
  const env = { HOLDFAST_URL: `${proxy.url.href}behind`, HOLDFAST_API_KEY: owner.key };
  const commands = [list, ['api', 'GET', 'servers'], ['api', 'GET', '/api/v1/servers'], ['doctor']];
  for (const command of commands) {
    expect(await runCli(command, { env })).toMatchObject({ exitCode: 0, stderr: '' });
  }
  proxy.stop(true);
  expect([...agents]).toEqual([`holdfast-cli/${packageJson.version}`]);
});

describe('api', () => {
  test('keeps every digit, and tells text from values', async () => {
    const bodies: string[] = [];
    const send = (...fields: string[]) =>
      runAgainst(
        async (request) => {
          bodies.push(await request.text());
          return Response.json({ data: {} });
        },
        [['api', 'POST', 'x', ...fields]],
      );
    const numbers = ['-F', 'id=197038439483310086', '-F', 'n=7', '-F', 'part=1.5', '-F', 'z=007'];
    const others = ['-f', 'text=7', '-F', 'yes=true', '-F', 'list=["197038439483310086"]'];
    await send(...numbers, ...others, '-f', 'padded= a ', '-f', '__proto__=b');
    expect(bodies).toEqual([
      '{"text":"7","padded":" a ","__proto__":"b","id":"197038439483310086","n":7,"part":1.5,"z":"007","yes":true,"list":["197038439483310086"]}',
    ]);
    const [refused] = await send('-F', 'list=[197038439483310086]');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(bodies).toHaveLength(1);
  });

  test('reads no list without an end', async () => {
    const command = ['api', 'GET', 'servers', '--paginate'];
    const [repeated] = await runAgainst(() => page(1, 1e9), [command]);
    expect(repeated).toMatchObject({ exitCode: 1, stdout: '' });
    const [emptied] = await runAgainst((_, count) => page(count, 1e9, []), [command]);
    expect(emptied).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });
});

testWith('script', hasTerminal)('a person is told why nothing happens', async () => {
  const answer: Answer = (_, count) => {
    if (count > 2) return page(1, 1);
    return count === 1 ? limited(1) : Bun.sleep(2000).then(() => page(1, 1));
  };
  let count = 0;
  const server = Bun.serve({ port: 0, fetch: (request) => answer(request, ++count) });
  const env = { HOLDFAST_URL: server.url.href, HOLDFAST_API_KEY: key, HOLDFAST_TIMEOUT: '0.5' };
  const { exitCode, screen } = await runInTerminal(list, { env });
  server.stop(true);
  expect(exitCode).toBe(0);
  expect(screen).toContain('Too many requests: the service asks to wait 1 s.\n');
  expect(screen).toContain(`No answer of ${server.url.origin} yet: trying again.\n`);
});

testWith('script', hasTerminal)('a key that is typed is not shown', async () => {
  const owner = await service.newTenant();
  const login = ['login', '--with-key', '--no-keychain', '--url', service.url];
  const line = [process.execPath, await builtCli(), ...login].join(' ');
  const child = Bun.spawn(['script', '-qec', line, '/dev/null'], {
    env: cliEnvironment({ XDG_CONFIG_HOME: makeHome(), TERM: 'xterm', SHELL: '/bin/sh' }),
    stdin: 'pipe',
    stdout: 'pipe',
  });
  let screen = '';
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    if (!screen.includes('API key:') && chunk.includes('API key:')) {
      child.stdin.write(`${owner.key}\r`);
      child.stdin.flush();
    }
    screen += chunk;
  }
  expect(await child.exited).toBe(0);
  expect(screen).toContain('Signed in');
  expect(screen).not.toContain(owner.key.slice(0, 12));
});
