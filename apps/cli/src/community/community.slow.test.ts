import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditOf } from '../../../server/test/harness/api-calls.ts';
import { createServer } from '../../../server/test/harness/bots-and-servers.ts';
import { randomPicture } from '../../../server/test/harness/guilds/large-guild.ts';
import { randomPlatformId, type Tenant } from '../../../server/test/harness/service.ts';
import {
  sharedSimulator,
  type TestSimulator,
} from '../../../server/test/harness/simulator/start.ts';
import { type CliService, startCliService } from '../../test/cli-service.ts';
import { hasTerminal, makeHome, runCli, spawnCli, spawnInTerminal } from '../../test/run-cli.ts';

let service: CliService;
let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startCliService({ doesWork: ['backups.run', 'backups.import', 'restores.run'] });
});
afterAll(() => service.stop());

const newServer = async (owner: Tenant, name: string, guild: object) => {
  const guildId = randomPlatformId();
  await simulator.control('PUT', `/guilds/${guildId}`, guild);
  const id = await createServer(owner, { platformGuildId: guildId, name });
  return { id, guildId };
};

const [wave, crew, category] = [randomPlatformId(), randomPlatformId(), randomPlatformId()];
const harbour = {
  guild: { name: 'Harbour 🦭' },
  images: { [`emojis/${wave}`]: randomPicture(100) },
  emojis: [{ id: wave, name: 'wave' }],
  roles: [{ id: crew, name: 'Gäste', position: 1, permissions: '1024', hoist: true }],
  channels: [
    { id: category, type: 4, name: 'A/B 🎈', position: 0 },
    {
      ...{ id: randomPlatformId(), type: 0, name: 'general', position: 1, parent_id: category },
      permission_overwrites: [{ id: crew, type: 0, allow: '1024', deny: '0' }],
    },
    { id: randomPlatformId(), type: 0, name: 'general', position: 2, parent_id: category },
    { id: randomPlatformId(), type: 2, name: 'Radio', position: 3, bitrate: 64000 },
  ],
};

/** The requests that change something in the guild. */
const changingRequests = async (guildId: string, since: number) => {
  const log: { seq: number; method: string; path: string; guildId?: string }[] =
    await simulator.control('GET', `/log?since=${since}`);
  return log.filter((one) => one.method !== 'GET' && one.guildId === guildId);
};
const lastSeq = async () => {
  const log: { seq: number }[] = await simulator.control('GET', '/log?since=0');
  return log.at(-1)?.seq ?? 0;
};

test('export, apply to an empty server, and diff says none; a second apply changes nothing', async () => {
  const owner = await service.newTenant();
  await newServer(owner, 'Source', harbour);
  const file = join(makeHome(), 'harbour.yaml');
  const run = (...args: string[]) => service.runAs(owner, ...args);
  const exported = await run('export', 'Source', file);
  expect(exported).toMatchObject({ exitCode: 0, stderr: '' });
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('name: A/B 🎈');
  expect(text).not.toContain(crew);

  const target = await newServer(owner, 'Target', {
    channels: [{ id: randomPlatformId(), type: 0, name: 'welcome', position: 0 }],
  });
  const before = await run('diff', 'Target', 'live', file);
  expect(before.exitCode).toBe(7);
  expect(JSON.parse(before.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
    differs: true,
  });

  expect(await run('apply', 'Target', file, '--prune')).toMatchObject({ exitCode: 2 });
  const applied = await run('apply', 'Target', file, '--prune', '--yes');
  expect(applied).toMatchObject({ exitCode: 0 });
  expect(await run('diff', 'Target', file)).toMatchObject({ exitCode: 0 });

  const since = await lastSeq();
  const again = await run('apply', 'Target', file, '--prune', '--yes');
  expect(again.exitCode).toBe(0);
  expect(JSON.parse(again.stdout.trim().split('\n').at(-1) ?? '')).toEqual({
    applied: false,
    calls: 0,
  });
  expect(await changingRequests(target.guildId, since)).toEqual([]);

  // Only the safety backup is left.
  const kept = await run('backups', 'list', 'Target', '--jq', '.[].kind');
  expect(kept.stdout.trim().split('\n')).toEqual(['PRE_RESTORE']);
});

/** What the last line of a command's output says. */
const resultOf = ({ stdout }: { stdout: string }) =>
  JSON.parse(stdout.trim().split('\n').at(-1) ?? '');

const exported = async (owner: Tenant, name: string) => {
  const file = join(makeHome(), 'harbour.yaml');
  await service.runAs(owner, 'export', name, file);
  const edit = (from: string, to: string) => {
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(from);
    writeFileSync(file, text.replace(from, to));
  };
  return { file, edit };
};

test('what is wrong in a file is told with its place and the path of the channel', async () => {
  const owner = await service.newTenant();
  await newServer(owner, 'Source', harbour);
  const { file, edit } = await exported(owner, 'Source');
  edit('- role: Gäste', '- role: Geste');
  const failed = await service.runAs(owner, 'apply', 'Source', file, '--yes');
  expect(failed.exitCode).toBe(2);
  expect(failed.stderr).toMatch(
    /harbour\.yaml:\d+:\d+: channel A\\\/B 🎈\/general: overwrites\[0\]\.role: The document has no role "Geste"/,
  );
});

describe('a section that cannot be read', () => {
  const rule = {
    ...{ name: 'No spam', trigger_type: 1, event_type: 1, enabled: true },
    trigger_metadata: { keyword_filter: ['spam'], regex_patterns: [], allow_list: [] },
    actions: [{ type: 1, metadata: {} }],
  };
  const refuseAutomod = (guildId: string, times: number) =>
    simulator.control('POST', '/faults', {
      ...{ when: 'before', action: 'status', status: 403, times },
      body: { code: 50013, message: 'Missing Permissions' },
      match: { method: 'GET', route: '/guilds/:id/auto-moderation/rules', guildId },
    });

  test('is told, never taken for empty, and not touched', async () => {
    const owner = await service.newTenant();
    const { guildId } = await newServer(owner, 'Harbour', { ...harbour, automod: [rule] });
    const run = (...args: string[]) => service.runAs(owner, ...args);
    const { file, edit } = await exported(owner, 'Harbour');
    edit('spam', 'eggs');

    await refuseAutomod(guildId, 1);
    const diff = await run('diff', 'Harbour', file);
    expect(diff.exitCode).toBe(8);
    expect(resultOf(diff)).toMatchObject({ differs: false, unread: ['automod'] });
    expect(diff.stderr).toContain('without the permission Manage Server');

    await refuseAutomod(guildId, 1);
    const other = join(makeHome(), 'other.yaml');
    expect(await run('export', 'Harbour', other)).toMatchObject({ exitCode: 8 });
    expect(readFileSync(other, 'utf8')).toContain(
      '# Not in here, because it could not be read: automod',
    );
    expect(readFileSync(other, 'utf8')).not.toContain('\nautomod:');

    edit('name: Radio', 'name: Radio\n    bitrate: 32000');
    await refuseAutomod(guildId, 100);
    const since = await lastSeq();
    const applied = await run('apply', 'Harbour', file, '--yes');
    expect(applied.exitCode).toBe(8);
    expect(resultOf(applied)).toMatchObject({ applied: true, left: [], unread: ['automod'] });
    const paths = (await changingRequests(guildId, since)).map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.join()).not.toContain('auto-moderation');
  });
});

test('what cannot be made is told by the exit code, the second time too', async () => {
  const owner = await service.newTenant();
  await newServer(owner, 'Harbour', harbour);
  const { file, edit } = await exported(owner, 'Harbour');
  edit('hoisted: true', "hoisted: true\n    color: '#112233'\n    secondaryColor: '#445566'");
  for (const isFirst of [true, false]) {
    const applied = await service.runAs(owner, 'apply', 'Harbour', file, '--yes');
    expect([applied.exitCode, applied.stderr]).toEqual([8, expect.stringContaining('gradient')]);
    expect(resultOf(applied)).toMatchObject({ applied: isFirst, left: [{ name: 'Gäste' }] });
  }
  expect((await service.runAs(owner, 'diff', 'Harbour', file)).exitCode).toBe(7);
});

test('a command that is told to end leaves no backup behind', async () => {
  const owner = await service.newTenant();
  const { guildId } = await newServer(owner, 'Harbour', harbour);
  const env = { HOLDFAST_URL: service.url, HOLDFAST_API_KEY: owner.key };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const match = { method: 'GET', route: '/guilds/:id', guildId };
    await simulator.control('POST', '/faults', { action: 'delay', ms: 3000, times: 1, match });
    const child = await spawnCli(['diff', 'Harbour', 'live', 'live'], { env });
    const { value } = await child.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toContain('"progress"');
    child.kill(signal);
    expect(await child.exited).toBe(130);
  }
  const acts: { action: string }[] = (await auditOf(owner)).data;
  const count = (action: string) => acts.filter((one) => one.action === action).length;
  expect([count('backup.create'), count('backup.delete')]).toEqual([2, 2]);
});

test.skipIf(!hasTerminal)('what runs is what was shown, or nothing', async () => {
  const owner = await service.newTenant();
  const { guildId } = await newServer(owner, 'Harbour', harbour);
  const { file, edit } = await exported(owner, 'Harbour');
  edit('name: Radio', 'name: Radio\n    bitrate: 32000');
  const env = { HOLDFAST_URL: service.url, HOLDFAST_API_KEY: owner.key };
  const child = await spawnInTerminal(['apply', 'Harbour', file], { env });
  let screen = '';
  const since = await lastSeq();
  for await (const chunk of child.stdout) {
    const wasAsked = screen.includes('Type Harbour');
    screen += new TextDecoder().decode(chunk);
    if (wasAsked || !screen.includes('Type Harbour')) continue;
    await simulator.control('PUT', `/guilds/${guildId}`, { ...harbour, channels: [] });
    child.stdin.write('Harbour\n');
    await child.stdin.flush();
  }
  expect(screen).toContain('This changes Harbour: change 1.');
  expect(screen).toContain('The server has changed since its plan was shown');
  expect(screen).toContain('create 4');
  expect(await child.exited).toBe(6);
  expect(await changingRequests(guildId, since)).toEqual([]);
});

test('a document goes through pipes, and no other file is overwritten', async () => {
  const owner = await service.newTenant();
  await newServer(owner, 'Harbour', harbour);
  const env = { HOLDFAST_URL: service.url, HOLDFAST_API_KEY: owner.key };
  const written = await service.runAs(owner, 'export', 'Harbour', '-');
  expect(written).toMatchObject({ exitCode: 0 });
  expect(written.stdout).toStartWith('# The structure of Harbour');
  expect(written.stdout).not.toContain('"progress"');
  const same = await runCli(['diff', 'Harbour', '-'], { env, stdin: written.stdout });
  expect(same.exitCode).toBe(0);
  const changed = written.stdout.replace('hoist', 'hoister');
  expect(await runCli(['apply', 'Harbour', '-', '--yes'], { env, stdin: changed })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('standard input:'),
  });

  const file = join(makeHome(), 'notes.yaml');
  writeFileSync(file, 'mine: 1\n');
  expect(await service.runAs(owner, 'export', 'Harbour', file)).toMatchObject({ exitCode: 2 });
  expect(readFileSync(file, 'utf8')).toBe('mine: 1\n');
  for (const args of [['--force'], []]) {
    const again = await service.runAs(owner, 'export', 'Harbour', file, ...args);
    expect(again.exitCode).toBe(0);
  }
  expect(readFileSync(file, 'utf8')).toStartWith('# The structure of');
});
