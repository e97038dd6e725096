import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createServer } from '../../../server/test/harness/bots-and-servers.ts';
import { type CliService, startCliService } from '../../test/cli-service.ts';
import { makeHome, runCli } from '../../test/run-cli.ts';
import { isExposed } from './service-url.ts';

let service: CliService;
beforeAll(async () => {
  service = await startCliService();
});
afterAll(() => service.stop());

const whichServers = ['servers', 'list', '--jq', '.[].name'];

/** An account with one server of that name, signed in under a profile. */
const signIn = async (env: Record<string, string>, profile: string, name = profile) => {
  const owner = await service.newTenant();
  await createServer(owner, { name });
  const login = ['login', '--url', service.url, '--with-key', '--no-keychain'];
  const { exitCode, stderr } = await runCli([...login, '--profile', profile], {
    ...{ env, stdin: owner.key },
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return owner;
};

const newEnvironment = () => ({ XDG_CONFIG_HOME: makeHome() });

const fileOf = ({ XDG_CONFIG_HOME }: { XDG_CONFIG_HOME: string }, profile: string) =>
  join(XDG_CONFIG_HOME, `holdfast/profiles/${profile}.json`);

/** What came to a service that is not the one of the key. */
const listenElsewhere = () => {
  const keys: (string | null)[] = [];
  const server = Bun.serve({
    port: 0,
    fetch(request) {
      keys.push(request.headers.get('authorization'));
      return Response.json({ data: [], pagination: { page: 1, totalPages: 1, total: 0 } });
    },
  });
  return { url: server.url.href, keys, stop: () => server.stop(true) };
};

describe('a key goes only to the service that it was made for', () => {
  test('also after the URL of its profile was edited', async () => {
    const env = newEnvironment();
    await signIn(env, 'default');
    const elsewhere = listenElsewhere();
    const file = fileOf(env, 'default');
    const stored = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...stored, url: elsewhere.url }));
    const failed = await runCli(['servers', 'list'], { env });
    elsewhere.stop();
    expect(failed).toMatchObject({ exitCode: 3, stdout: '' });
    expect(elsewhere.keys).toEqual([]);
  });

  test('also if it is in the keychain of the system', async () => {
    const home = makeHome();
    const tool = `#!/bin/sh
action=$1; for last; do :; done; file="${home}/secret-$(echo "$last" | tr '/:' '__')"
case "$action" in store) cat > "$file" ;; lookup) cat "$file" ;; clear) rm "$file" ;; esac`;
    writeFileSync(join(home, 'secret-tool'), tool, { mode: 0o755 });
    const env = { XDG_CONFIG_HOME: home, PATH: `${home}:${process.env.PATH}` };
    const owner = await service.newTenant();
    const login = ['login', '--url', service.url, '--with-key'];
    const { stdout } = await runCli(login, { env, stdin: owner.key });
    expect(JSON.parse(stdout)).toMatchObject({ keyIn: 'keychain' });
    expect((await runCli(['servers', 'list'], { env })).exitCode).toBe(0);
    const elsewhere = listenElsewhere();
    const file = fileOf(env, 'default');
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(owner.key);
    writeFileSync(file, text.replace(service.url, elsewhere.url));
    const failed = await runCli(['servers', 'list'], { env });
    elsewhere.stop();
    expect(failed.exitCode).toBe(3);
    expect(elsewhere.keys).toEqual([]);
    writeFileSync(file, text);
    await runCli(['logout'], { env });
    expect(readdirSync(home).toSorted()).toEqual(['holdfast', 'secret-tool']);
  });

  test('the one of the environment never to the URL of a profile, nor the other way round', async () => {
    const env = newEnvironment();
    const owner = await signIn(env, 'default');
    const elsewhere = listenElsewhere();
    const { url } = elsewhere;
    const run = (more: Record<string, string>, ...args: string[]) =>
      runCli(['servers', 'list', ...args], { env: { ...env, ...more } });
    expect((await run({ HOLDFAST_URL: url })).exitCode).toBe(3);
    expect((await run({}, '--url', url)).exitCode).toBe(3);
    expect((await run({}, '--profile', 'default', '--url', url)).exitCode).toBe(3);
    const own = { HOLDFAST_URL: service.url, HOLDFAST_API_KEY: owner.key };
    expect((await run(own, '--url', url)).exitCode).toBe(3);
    expect(elsewhere.keys).toEqual([]);
    const alone = await runCli(['whoami'], { env: { ...env, HOLDFAST_API_KEY: owner.key } });
    expect(alone.stderr).not.toContain(service.url);
    elsewhere.stop();
  });

  test('and not without encryption over a network, unless that is agreed to', async () => {
    const exposed = { HOLDFAST_URL: 'http://holdfast.invalid', HOLDFAST_API_KEY: 'holdfast_x' };
    const refused = await runCli(['servers', 'list'], { env: exposed });
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('HOLDFAST_ALLOW_HTTP=1');
    const login = ['login', '--with-key', '--url', 'http://holdfast.invalid'];
    const unconfirmed = await runCli(login, { env: newEnvironment(), stdin: 'holdfast_x' });
    expect(unconfirmed.exitCode).toBe(2);
    expect(unconfirmed.stderr).toContain('is not encrypted');
    expect(
      ['http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:1', 'https://a.example'].map(
        isExposed,
      ),
    ).toEqual([false, false, false, false]);
    expect(
      ['http://10.0.0.1', 'http://127.0.0.1.example', 'http://notlocalhost'].map(isExposed),
    ).toEqual([true, true, true]);
  });
});

describe('which profile is used', () => {
  test('the variables win over HOLDFAST_PROFILE and the last one; --profile wins over all', async () => {
    const env = newEnvironment();
    await signIn(env, 'first');
    await signIn(env, 'second');
    const third = await service.newTenant();
    await createServer(third, { name: 'third' });
    const variables = { HOLDFAST_URL: service.url, HOLDFAST_API_KEY: third.key };
    const named = { HOLDFAST_PROFILE: 'first' };
    const run = (more: Record<string, string>, ...args: string[]) =>
      runCli([...whichServers, ...args], { env: { ...env, ...more } });
    expect((await run({})).stdout).toBe('second\n');
    expect((await run(named)).stdout).toBe('first\n');
    expect(await run({ ...named, ...variables })).toMatchObject({ stdout: 'third\n', stderr: '' });
    const typed = await run({ ...named, ...variables }, '--profile', 'second');
    expect(typed).toMatchObject({
      stdout: 'second\n',
      stderr: '--profile wins over HOLDFAST_API_KEY and HOLDFAST_URL.\n',
    });
    expect((await run({ HOLDFAST_PROFILE: 'none' })).exitCode).toBe(3);
  });

  test('login and logout mean the same one as every other command', async () => {
    const env = newEnvironment();
    const owner = await service.newTenant();
    const named = { ...env, HOLDFAST_PROFILE: 'night', HOLDFAST_URL: service.url };
    const login = ['login', '--with-key', '--no-keychain'];
    const signedIn = await runCli(login, { env: named, stdin: owner.key });
    expect(JSON.parse(signedIn.stdout)).toMatchObject({ profile: 'night' });
    await signIn(env, 'day');
    const signedOut = await runCli(['logout'], { env: { ...env, HOLDFAST_PROFILE: 'night' } });
    expect(JSON.parse(signedOut.stdout)).toMatchObject({ profile: 'night' });
    expect((await runCli(whichServers, { env })).stdout).toBe('day\n');
  });

  test.each(['../x', '__proto__', '.hidden', 'a/b', ''])(
    'a name such as %p is refused',
    async (name) => {
      const env = newEnvironment();
      for (const command of [['login', '--with-key'], ['logout'], ['servers', 'list']]) {
        const failed = await runCli([...command, '--profile', name], { env, stdin: 'holdfast_x' });
        expect(failed).toMatchObject({ exitCode: 2, stdout: '' });
      }
    },
  );

  test('names of what every object has are profiles like any other', async () => {
    const env = newEnvironment();
    const failed = await runCli(['servers', 'list', '--profile', 'constructor'], { env });
    expect(failed.exitCode).toBe(3);
  });
});

describe('the files', () => {
  test('of logins at the same time are all there', async () => {
    const env = newEnvironment();
    const names = ['one', 'two', 'three', 'four', 'five'];
    await Promise.all(names.map((name) => signIn(env, name)));
    const found = await Promise.all(
      names.map((name) => runCli([...whichServers, '--profile', name], { env })),
    );
    expect(found.map(({ stdout }) => stdout)).toEqual(names.map((name) => `${name}\n`));
  });

  test('that others can read are closed to them, with a warning', async () => {
    const env = newEnvironment();
    await signIn(env, 'default');
    chmodSync(fileOf(env, 'default'), 0o644);
    const warned = await runCli(whichServers, { env });
    expect(warned.stdout).toBe('default\n');
    expect(warned.stderr).toContain('Others could read');
    expect(statSync(fileOf(env, 'default')).mode & 0o777).toBe(0o600);
    expect((await runCli(whichServers, { env })).stderr).toBe('');
  });

  test('that are links stay links', async () => {
    const env = newEnvironment();
    const target = join(makeHome(), 'mine.json');
    await signIn(env, 'default', 'old');
    writeFileSync(target, readFileSync(fileOf(env, 'default')), { mode: 0o600 });
    const linked = newEnvironment();
    mkdirSync(dirname(fileOf(linked, 'default')), { recursive: true });
    symlinkSync(target, fileOf(linked, 'default'));
    expect((await runCli(whichServers, { env: linked })).stdout).toBe('old\n');
    await signIn(linked, 'default', 'new');
    expect(JSON.parse(readFileSync(target, 'utf8'))).toMatchObject({ keyIn: 'file' });
    expect((await runCli(whichServers, { env: linked })).stdout).toBe('new\n');
  });

  test.each([
    ['of a newer version', '{"version":2}', 'newer version'],
    ['without JSON', 'x', 'is damaged'],
    ['of another form', '{"url":1}', 'is damaged'],
  ])('%s are told, and not written over', async (_, text, told) => {
    const env = newEnvironment();
    mkdirSync(dirname(fileOf(env, 'default')), { recursive: true });
    writeFileSync(fileOf(env, 'default'), text, { mode: 0o600 });
    for (const command of [
      ['servers', 'list'],
      ['login', '--with-key', '--url', service.url],
    ]) {
      const failed = await runCli(command, { env, stdin: 'holdfast_x' });
      expect(failed).toMatchObject({ exitCode: 1, stdout: '' });
      expect(failed.stderr).toContain(told);
    }
    expect(readFileSync(fileOf(env, 'default'), 'utf8')).toBe(text);
  });

  test('that cannot be read are told, instead of taken for missing', async () => {
    const env = newEnvironment();
    mkdirSync(fileOf(env, 'default'), { recursive: true });
    const failed = await runCli(['servers', 'list'], { env });
    expect(failed).toMatchObject({ exitCode: 1 });
    expect(failed.stderr).toContain('cannot be read');
  });

  test('are not needed with the variables, wherever home is', async () => {
    const owner = await service.newTenant();
    const variables = { HOLDFAST_URL: service.url, HOLDFAST_API_KEY: owner.key };
    for (const HOME of ['/dev/null', '/nonexistent']) {
      const env = { ...variables, HOME, XDG_CONFIG_HOME: 'relative' };
      expect((await runCli(['servers', 'list'], { env })).exitCode).toBe(0);
    }
    const home = makeHome();
    await signIn({ HOME: home, XDG_CONFIG_HOME: 'relative' }, 'default');
    expect(statSync(join(home, '.config/holdfast/profiles/default.json')).isFile()).toBe(true);
  });
});

describe('a login that fails', () => {
  test('at the check of its key leaves nothing behind', async () => {
    const env = newEnvironment();
    const login = ['login', '--url', service.url, '--with-key', '--no-keychain'];
    const wrong = `holdfast_${'a'.repeat(44)}`;
    const failed = await runCli(login, { env, stdin: wrong });
    expect(failed).toMatchObject({ exitCode: 3, stdout: '' });
    const { stdout } = await runCli(['doctor', '--url', service.url, '--json'], { env });
    expect(stdout).toContain('no profiles');
  });

  test('because nothing can be written says so before there is a key', async () => {
    // Where not even root can make a folder.
    const env = { XDG_CONFIG_HOME: '/proc' };
    const failed = await runCli(['login', '--url', service.url], { env });
    expect(failed).toMatchObject({ exitCode: 1, stdout: '' });
    expect(failed.stderr).toContain('cannot be written');
  });

  test.each([
    ['with something that is no key', 'holdfast_a" -w "b\nhelp', 401, 'is no API key'],
    ['as its new key is refused', 'holdfast_a', 401, 'Revoke it in the dashboard'],
    ['as its new key cannot be kept', 'holdfast_a', 200, 'Revoke it in the dashboard'],
  ])('%s says what to do, and keeps nothing', async (_, token, status, told) => {
    const wrong = Bun.serve({ port: 0, fetch: answerLogin(token, status) });
    const env = newEnvironment();
    mkdirSync(join(env.XDG_CONFIG_HOME, 'holdfast/config.json'), { recursive: true });
    const login = ['login', '--url', wrong.url.href, '--profile', 'default', '--no-keychain'];
    const failed = await runCli(login, { env });
    wrong.stop(true);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain(told);
    expect(existsSync(fileOf(env, 'default'))).toBe(false);
  });
});

/** A service that gives this for a key at once, and then answers with that status. */
const answerLogin = (token: string, status: number) => {
  const answers = new Map<string, object>([
    [
      '/oauth/device_authorization',
      {
        ...{ device_code: 'd', user_code: 'AAAA-BBBB', expires_in: 60, interval: 0 },
        ...{ verification_uri: 'http://x', verification_uri_complete: 'http://x' },
      },
    ],
    ['/oauth/token', { access_token: token, scope: 'servers:read', expires_in: 60 }],
  ]);
  const account = { error: 'Not authorized', data: { username: 'somebody' } };
  return ({ url }: Request) => {
    const answer = answers.get(new URL(url).pathname);
    return answer ? Response.json(answer) : Response.json(account, { status });
  };
};
