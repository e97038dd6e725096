import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import stringWidth from 'string-width';
import { createServer } from '../../server/test/harness/bots-and-servers.ts';
import { testWith } from '../../server/test/harness/running-service.ts';
import { randomPlatformId, type Tenant } from '../../server/test/harness/service.ts';
import { sharedSimulator } from '../../server/test/harness/simulator/start.ts';
import { type CliService, startCliService } from '../test/cli-service.ts';
import { hasTerminal, runInTerminal, spawnCli } from '../test/run-cli.ts';

let service: CliService;
beforeAll(async () => {
  // Nobody runs pulls, so that one can be interrupted for sure.
  service = await startCliService({ doesWork: ['backups.run', 'restores.run'] });
});
afterAll(() => service.stop());

const testInTerminal = testWith('script', hasTerminal);

const newOwner = async (name = 'Harbour') => {
  const owner = await service.newTenant();
  const guildId = randomPlatformId();
  const id = await createServer(owner, { platformGuildId: guildId, name });
  return { owner, id, guildId };
};

const environmentOf = ({ key }: Tenant) => ({ HOLDFAST_URL: service.url, HOLDFAST_API_KEY: key });

const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Some channels are gone. */
const damage = async (guildId: string) => {
  const { control } = await sharedSimulator();
  const guild = await control('GET', `/guilds/${guildId}`);
  await control('PUT', `/guilds/${guildId}`, { ...guild, channels: guild.channels.slice(0, 1) });
};

describe('a backup', () => {
  test('into a pipe is lines of JSON: its progress, and at last its record', async () => {
    const { owner, id } = await newOwner();
    const { exitCode, stdout, stderr } = await service.runAs(owner, 'backup', 'Harbour');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const lines = linesOf(stdout);
    const progress = { event: 'progress', kind: 'backup', status: 'completed', percent: 100 };
    expect(lines.at(-2)).toMatchObject(progress);
    expect(lines.at(-1)).toMatchObject({ serverId: id, status: 'completed' });
  });

  test('prints only what was asked for with --jq, and returns at once with --no-wait', async () => {
    const { owner } = await newOwner();
    const done = await service.runAs(owner, 'backup', 'Harbour', '--jq', '.status');
    expect(done.stdout).toBe('completed\n');
    const begun = await service.runAs(owner, 'backup', 'Harbour', '--no-wait', '--name', 'Second');
    expect(JSON.parse(begun.stdout)).toMatchObject({ name: 'Second', status: 'queued' });
  });

  test('that failed ends with the exit code for it', async () => {
    const { owner, guildId } = await newOwner();
    const { control } = await sharedSimulator();
    await control('PUT', `/guilds/${guildId}`, { botAccess: { isMember: false } });
    const failed = await service.runAs(owner, 'backup', 'Harbour', '--quiet');
    expect(failed).toMatchObject({ exitCode: 8, stdout: '' });
    expect(failed.stderr).toContain('The backup ended as failed');
  });
});

describe('a restore', () => {
  test('shows its plan with --dry-run, repairs with --yes, and then has nothing to do', async () => {
    const { owner, guildId } = await newOwner();
    await service.runAs(owner, 'backup', 'Harbour', '--quiet');
    await damage(guildId);
    const planned = await service.runAs(owner, 'restore', 'Harbour', 'latest', '--dry-run');
    const { create } = JSON.parse(planned.stdout);
    expect(create.length).toBeGreaterThan(0);
    const refused = await service.runAs(owner, 'restore', 'Harbour', 'latest');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    // Whoever reads the log of a script sees what it was about to do.
    expect(refused.stderr).toContain(`create ${create.length}`);
    const restored = await service.runAs(owner, 'restore', 'Harbour', 'latest', '--yes');
    expect(linesOf(restored.stdout).at(-1)).toMatchObject({ status: 'completed', mode: 'REPAIR' });
    const again = await service.runAs(owner, 'restore', 'Harbour', 'latest', '--yes');
    expect(JSON.parse(again.stdout)).toMatchObject({ create: [], update: [], delete: [] });
  });
});

test('an interrupt leaves the job running and says how to come back', async () => {
  const { owner } = await newOwner();
  const flags = ['--url', service.url];
  const child = await spawnCli(['pull', 'Harbour', ...flags], { env: environmentOf(owner) });
  const reader = child.stdout.getReader();
  // Once it reports progress it waits for the end.
  await reader.read();
  reader.releaseLock();
  child.kill('SIGINT');
  const stderr = await new Response(child.stderr).text();
  expect({ stderr, exitCode: await child.exited }).toMatchObject({ exitCode: 130 });
  const { data } = (await owner.call('GET', `/api/v1/servers/${await idOf(owner)}/pulls`)).body;
  expect(data).toMatchObject([{ status: 'queued' }]);
  expect(stderr).toContain(`holdfast watch pull ${data[0].id} --url ${service.url}`);
  expect(stderr).toContain(`holdfast pulls cancel ${data[0].id} --url ${service.url}`);
});

const idOf = async (owner: Tenant): Promise<string> =>
  (await owner.call('GET', '/api/v1/servers')).body.data[0].id;

describe('in a terminal', () => {
  testInTerminal('a list is a table that fits, with colours unless they are unwanted', async () => {
    const { owner, id } = await newOwner('Hafen – 港 🛟');
    const env = environmentOf(owner);
    const { screen } = await runInTerminal(['servers', 'list'], { env });
    expect(screen).toContain('\u001b[1mNAME');
    expect(screen).toContain(id);
    for (const [name, value] of Object.entries({ NO_COLOR: '1', TERM: 'dumb' })) {
      const plain = await runInTerminal(['servers', 'list'], { env: { ...env, [name]: value } });
      expect(plain.screen).not.toContain('\u001b');
    }
    const flagged = await runInTerminal(['servers', 'list', '--no-color'], { env });
    expect(flagged.screen).not.toContain('\u001b');
  });

  testInTerminal('of 40 columns no line of a list is wider, and the id is whole', async () => {
    const { owner, id } = await newOwner('A community with a name that is quite long 港港港港');
    const env = { ...environmentOf(owner), NO_COLOR: '1' };
    const { screen } = await runInTerminal(['servers', 'list'], { env, columns: 40 });
    const tooWide = screen.split('\n').filter((line) => stringWidth(line) > 40);
    expect(tooWide).toEqual([]);
    expect(screen).toContain(id);
  });

  testInTerminal(
    'what destroys asks for the name of the server, and does nothing without',
    async () => {
      const { owner } = await newOwner();
      const env = environmentOf(owner);
      const wrong = await runInTerminal(['servers', 'delete', 'Harbour'], { env, typed: 'yes\n' });
      expect(wrong.screen).toContain('Type Harbour');
      expect(wrong.screen).toContain('Nothing was done');
      expect(wrong.exitCode).toBe(1);
      const right = await runInTerminal(['servers', 'delete', 'harbour'], {
        env,
        typed: 'Harbour\n',
      });
      expect(right.exitCode).toBe(0);
      expect((await owner.call('GET', '/api/v1/servers')).body.data).toEqual([]);
    },
  );

  testInTerminal('a name cannot send escape sequences to it', async () => {
    const { owner } = await newOwner('Evil\u001b[2J\u202eport');
    const env = { ...environmentOf(owner), NO_COLOR: '1' };
    const { screen } = await runInTerminal(['servers', 'list'], { env });
    expect(screen).toContain('Evil');
    for (const harm of ['\u001b', '\u202e']) expect(screen).not.toContain(harm);
  });
});
