import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from '../../../server/test/harness/bots-and-servers.ts';
import { randomPicture } from '../../../server/test/harness/guilds/large-guild.ts';
import { randomPlatformId, type Tenant } from '../../../server/test/harness/service.ts';
import {
  sharedSimulator,
  type TestSimulator,
} from '../../../server/test/harness/simulator/start.ts';
import { type CliService, startCliService } from '../../test/cli-service.ts';
import { makeHome } from '../../test/run-cli.ts';

setDefaultTimeout(120_000);

let service: CliService;
let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startCliService({ doesWork: ['backups.run', 'backups.import', 'restores.run'] });
}, 120_000);
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

test('what is wrong in a file is told with its line', async () => {
  const owner = await service.newTenant();
  await newServer(owner, 'Source', harbour);
  const file = join(makeHome(), 'harbour.yaml');
  await service.runAs(owner, 'export', 'Source', file);
  const text = readFileSync(file, 'utf8').replace('hoisted: true', 'hoisted: perhaps');
  writeFileSync(file, text);
  const line = text.split('\n').findIndex((one) => one.includes('perhaps')) + 1;
  const failed = await service.runAs(owner, 'apply', 'Source', file, '--yes');
  expect(failed.exitCode).toBe(2);
  expect(failed.stderr).toContain(`harbour.yaml:${line}: roles[`);
});
