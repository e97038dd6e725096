import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from '../../server/test/harness/bots-and-servers.ts';
import { openDashboard } from '../../server/test/harness/dashboard/session.ts';
import { testWith } from '../../server/test/harness/running-service.ts';
import { randomPlatformId } from '../../server/test/harness/service.ts';
import packageJson from '../package.json';
import { type CliService, startCliService } from '../test/cli-service.ts';
import { makeHome, runCli, spawnCli } from '../test/run-cli.ts';

let service: CliService;
beforeAll(async () => {
  service = await startCliService();
});
afterAll(() => service.stop());

const newOwner = async () => {
  const owner = await service.newTenant();
  return { owner, id: await createServer(owner) };
};

describe('into a pipe', () => {
  test('a list is a JSON array, and nothing else is on standard output', async () => {
    const { owner, id } = await newOwner();
    const { exitCode, stdout, stderr } = await service.runAs(owner, 'servers', 'list');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject([{ id, name: 'Harbour' }]);
  });

  test('fields are chosen by --json, and --jq filters', async () => {
    const { owner, id } = await newOwner();
    const chosen = await service.runAs(owner, 'servers', 'list', '--json', 'id,name');
    expect(JSON.parse(chosen.stdout)).toEqual([{ id, name: 'Harbour' }]);
    const filtered = await service.runAs(owner, 'servers', 'list', '--jq', '.[] | .name');
    expect(filtered.stdout).toBe('Harbour\n');
  });

  test('the word after --json is an argument unless it names fields', async () => {
    const { owner, id } = await newOwner();
    const { stdout } = await service.runAs(owner, 'servers', 'get', '--json', 'Harbour');
    expect(JSON.parse(stdout)).toMatchObject({ id, captchaType: expect.any(String) });
  });

  test('an error is a line of JSON on standard error if JSON was asked for', async () => {
    const { owner } = await newOwner();
    const failed = await service.runAs(owner, 'servers', 'get', 'Nowhere', '--json');
    expect(failed).toMatchObject({ exitCode: 5, stdout: '' });
    expect(JSON.parse(failed.stderr)).toEqual({
      error: 'You have no server Nowhere',
      code: 'notFound',
      exitCode: 5,
      hints: ['Did you mean: Harbour?'],
    });
  });
});

describe('input', () => {
  test('mistakes that the service finds are printed under their flags and arguments', async () => {
    const { owner } = await newOwner();
    const flags = ['--components', 'roles,gold', '--messages-per-channel', 'many', '--name', ''];
    const failed = await service.runAs(owner, 'backups', 'create', 'Harbour', ...flags);
    expect(failed).toMatchObject({ exitCode: 2, stdout: '' });
    expect(failed.stderr).toMatch(/^ {2}--name {2}Must be 1 to 100/m);
    expect(failed.stderr).toMatch(/^ {2}--components {2}\S/m);
    expect(failed.stderr).toMatch(/^ {2}--messages-per-channel {2}\S/m);
    const other = await service.runAs(owner, 'backups', 'get', 'Harbour', 'nonsense');
    expect(other.stderr).toMatch(/^ {2}<backup> {2}Must be a UUID/m);
  });

  test('fields come from flags, from a body on standard input, or from both', async () => {
    const { owner, id } = await newOwner();
    const env = { HOLDFAST_URL: service.url, HOLDFAST_API_KEY: owner.key };
    const stdin = JSON.stringify({ name: 'Haven', retention: { daily: 1, weekly: 2, monthly: 3 } });
    const flags = ['--min-account-age-days', '3', '--captcha-type', 'none', '--name', 'Port'];
    const more = ['--vpn-block-enabled', '--no-alt-detect-enabled', '--verified-role-id', 'null'];
    const args = ['servers', 'update', 'Harbour', '--body', '-', ...flags, ...more];
    const { stdout, stderr } = await runCli(args, { env, stdin });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ id, name: 'Port', minAccountAgeDays: 3, captchaType: 'NONE', verifiedRoleId: null },
      ...{ vpnBlockEnabled: true, altDetectEnabled: false },
      retention: { daily: 1, weekly: 2, monthly: 3 },
    });
  });

  test('fields that a result does not have are refused, and those that it has are named', async () => {
    for (const fields of [['--json', 'idd'], ['--json', 'id,nme'], ['--json=id,nme']]) {
      const failed = await runCli(['backup', 'Harbour', ...fields]);
      expect(failed).toMatchObject({ exitCode: 2, stdout: '' });
      expect(failed.stderr).toMatch(/there is no field (idd|nme).*There are: id, serverId, /);
    }
  });

  test('a mistyped filter is refused before anything is done', async () => {
    const { owner } = await newOwner();
    const failed = await service.runAs(
      owner,
      'servers',
      'delete',
      'Harbour',
      '--yes',
      '--jq',
      '.[',
    );
    expect(failed).toMatchObject({ exitCode: 2, stdout: '' });
    expect((await owner.call('GET', '/api/v1/servers')).body.data).toHaveLength(1);
  });

  test('--no-color is not the color of a panel', async () => {
    const { owner } = await newOwner();
    const bodyOf = async (...flags: string[]) => {
      const words = [
        'panels',
        'update',
        'Harbour',
        crypto.randomUUID(),
        '--dry-run',
        '--title',
        'Hello',
      ];
      return JSON.parse((await service.runAs(owner, ...words, ...flags)).stdout).body;
    };
    expect(await bodyOf('--no-color')).toEqual({ title: 'Hello' });
    expect(await bodyOf('--color', '255', '--no-color')).toEqual({ title: 'Hello', color: 255 });
  });

  test('a name that several servers have is refused, with their ids', async () => {
    const { owner, id } = await newOwner();
    const other = await createServer(owner, { platformGuildId: randomPlatformId() });
    const failed = await service.runAs(owner, 'servers', 'get', 'harbour');
    expect(failed.exitCode).toBe(2);
    expect(failed.stderr).toContain(id);
    expect(failed.stderr).toContain(other);
  });

  test('an unknown word is answered with what was probably meant', async () => {
    const failed = await runCli(['backups', 'creat', 'Harbour']);
    expect(failed.exitCode).toBe(2);
    expect(failed.stderr).toContain('Did you mean create?');
  });
});

describe('the exit code', () => {
  test('is 3 without a key and with a wrong one', async () => {
    const none = await runCli(['servers', 'list'], { env: { HOLDFAST_URL: service.url } });
    expect(none).toMatchObject({ exitCode: 3, stdout: '' });
    expect(none.stderr).toContain('holdfast login');
    const wrong = await service.runAs({ key: `holdfast_${'a'.repeat(44)}` }, 'servers', 'list');
    expect(wrong).toMatchObject({ exitCode: 3, stdout: '' });
  });

  test('is 4 if the key lacks the scope, which is named', async () => {
    const reader = await service.newTenant({ scopes: ['servers:read'] });
    const failed = await service.runAs(reader, 'keys', 'list');
    expect(failed.exitCode).toBe(4);
    expect(failed.stderr).toContain('The key needs api-keys:read; it has servers:read.');
  });

  test('is 10 if nothing answers', async () => {
    const env = { HOLDFAST_URL: 'http://127.0.0.1:9', HOLDFAST_API_KEY: 'holdfast_x' };
    const failed = await runCli(['servers', 'list'], { env });
    expect(failed).toMatchObject({ exitCode: 10, stdout: '' });
  });
});

describe('what destroys', () => {
  test('is not done without a terminal unless --yes is given', async () => {
    const { owner, id } = await newOwner();
    const refused = await service.runAs(owner, 'servers', 'delete', 'Harbour');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('--yes');
    const dry = await service.runAs(owner, 'servers', 'delete', 'Harbour', '--dry-run');
    expect(JSON.parse(dry.stdout)).toMatchObject({
      method: 'DELETE',
      path: `/api/v1/servers/${id}`,
    });
    const done = await service.runAs(owner, 'servers', 'delete', 'Harbour', '--yes');
    expect(JSON.parse(done.stdout)).toEqual({ id, deleted: true });
  });
});

describe('signing in', () => {
  test('with a key from standard input keeps it in a file that only the user can read', async () => {
    const { owner } = await newOwner();
    const home = makeHome();
    const env = { XDG_CONFIG_HOME: home };
    const login = ['login', '--url', service.url, '--with-key', '--no-keychain'];
    const signedIn = await runCli(login, { env, stdin: `${owner.key}\n` });
    expect(JSON.parse(signedIn.stdout)).toMatchObject({ profile: 'default', keyIn: 'file' });
    const file = join(home, 'holdfast/profiles/default.json');
    expect(await Bun.file(file).text()).toContain(owner.key);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'holdfast')).mode & 0o777).toBe(0o700);
    const listed = await runCli(['servers', 'list', '--jq', 'length'], { env });
    expect(listed.stdout).toBe('1\n');
    await runCli(['logout'], { env });
    expect(existsSync(file)).toBe(false);
    expect((await runCli(['servers', 'list', '--url', service.url], { env })).exitCode).toBe(3);
  });

  test('by device code shows the code, and has a key once it is approved', async () => {
    const { owner } = await newOwner();
    const env = { XDG_CONFIG_HOME: makeHome() };
    const login = ['login', '--url', service.url, '--scopes', 'servers:read', '--no-keychain'];
    const child = await spawnCli(login, { env });
    const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { userCode, verificationUrl } = JSON.parse((await lines.read()).value ?? '');
    expect(verificationUrl).toEndWith('/dashboard/device');
    const page = await openDashboard(service, owner);
    const approval = { code: userCode, scopes: ['servers:read'], days: 7 };
    expect((await page.call('POST', '/device-authorization/approve', approval)).status).toBe(200);
    const signedIn = JSON.parse((await lines.read()).value ?? '');
    expect(signedIn).toMatchObject({ keyIn: 'file', expiresAt: expect.any(String) });
    expect(await child.exited).toBe(0);
    expect((await runCli(['servers', 'list', '--jq', 'length'], { env })).stdout).toBe('1\n');
    expect((await runCli(['keys', 'list'], { env })).exitCode).toBe(4);
  });
});

testWith('node', Bun.which('node') !== null)('the same file runs in Node', async () => {
  const { owner } = await newOwner();
  const env = { HOLDFAST_URL: service.url, HOLDFAST_API_KEY: owner.key };
  const list = ['servers', 'list', '--jq', '.[].name'];
  const { stdout, stderr } = await runCli(list, { env, runtime: Bun.which('node') ?? '' });
  expect({ stdout, stderr }).toEqual({ stdout: 'Harbour\n', stderr: '' });
});

test('any request can be sent, and its fields are typed', async () => {
  const { owner, id } = await newOwner();
  const changes = ['-F', 'minAccountAgeDays=5', '-f', 'name=Haven'];
  const changed = await service.runAs(owner, 'api', 'PUT', `servers/${id}`, ...changes);
  expect(JSON.parse(changed.stdout).data).toMatchObject({ minAccountAgeDays: 5, name: 'Haven' });
  const all = await service.runAs(owner, 'api', 'GET', '/api/v1/servers', '--paginate');
  expect(JSON.parse(all.stdout)).toMatchObject([{ id }]);
  const missing = await service.runAs(owner, 'api', 'GET', `servers/${crypto.randomUUID()}`);
  expect(missing).toMatchObject({ exitCode: 5, stdout: '' });
});

test('doctor finds a refused key and a dead address', async () => {
  const { owner } = await newOwner();
  const healthy = await service.runAs(owner, 'doctor', '--jq', 'all(.isOk)');
  expect(healthy.stdout).toBe('true\n');
  const refused = await service.runAs({ key: 'holdfast_x' }, 'doctor');
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain('Not in order: key');
  const nowhere = await runCli(['doctor', '--url', 'http://127.0.0.1:9']);
  expect(nowhere.stderr).toContain('Not in order: service');
});

test('the version is that of the package', async () => {
  expect((await runCli(['--version'])).stdout).toBe(`${packageJson.version}\n`);
});
