import { afterAll, beforeAll, expect, test } from 'bun:test';
import { appendFile, cp, readdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { SQL } from 'bun';
import { blobName } from '../../../src/integrations/blobs/blob-store.ts';
import { createFileStore } from '../../../src/integrations/blobs/file-store.ts';
import { generateMasterKey } from '../../../src/kernel/seal.ts';
import { createBot, createServer } from '../../harness/bots-and-servers.ts';
import { emptyDatabase, freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import {
  connectSql,
  createKey,
  makeFolder,
  startService,
  stopServices,
  tenantAt,
} from '../../harness/running-service.ts';
import type { Tenant } from '../../harness/service.ts';
import { runAdmin } from '../../harness/service-process.ts';

const masterKey = generateMasterKey();
let env: Record<string, string>;
let to: string;
let folder: string;
let owner: Tenant;
let secrets: { botToken: string; clientSecret: string };
let botId: string;
let blob: string;

/** A folder of settings for a new machine: another database, another blob store. */
const newMachine = async (keys = masterKey) => {
  const dataDir = await makeFolder();
  return {
    DATABASE_URL: await emptyDatabase(),
    MASTER_KEYS: keys,
    BLOB_URL: `file://${join(dataDir, 'blobs')}`,
    DATA_DIR: dataDir,
  };
};

const restoreInto = (machine: Record<string, string>, from: string) =>
  runAdmin(machine, 'restore-backup', '--from', from);

/** All rows of all our tables, as text. */
const readAll = async (sql: SQL): Promise<Record<string, string>> => {
  const tables = await sql`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`;
  const contents: Record<string, string> = {};
  for (const { name } of tables) {
    const rows = await sql.unsafe(`select t::text as line from "${name}" t order by 1`);
    contents[name] = rows.map(({ line }: { line: string }) => line).join('\n');
  }
  return contents;
};

const tablesIn = async (url: string): Promise<number> => {
  const [row] = await connectSql(url)`
    select count(*)::int as tables from information_schema.tables where table_schema = 'public'`;
  return row.tables;
};

beforeAll(async () => {
  env = { ...(await newMachine()), DATABASE_URL: await freshDatabase() };
  to = join(await makeFolder(), 'backups');
  const service = await startService({ ...env, ROLE: 'api' });
  owner = tenantAt(service.url, await createKey(env.DATABASE_URL ?? ''));
  secrets = {
    botToken: `token-${crypto.randomUUID()}`,
    clientSecret: 'first\nsecond\u2028"third"',
  };
  botId = await createBot(owner, secrets);
  const serverId = await createServer(owner);
  const entry = {
    body: { platformId: '175928847299117063', reason: 'a\ttab, a "quote" and 雪' },
  };
  expect((await owner.call('POST', `/api/v1/servers/${serverId}/blacklist`, entry)).status).toBe(
    201,
  );
  blob = blobName({ accountId: owner.accountId, hash: 'ab'.repeat(32) });
  const store = createFileStore((env.BLOB_URL ?? '').slice('file://'.length));
  await store.put(blob, Buffer.from('sealed bytes'));
  const made = await runAdmin(env, 'backup', '--to', to);
  expect(made).toMatchObject({ exitCode: 0, stderr: '' });
  const report = JSON.parse(made.stdout);
  expect(report).toMatchObject({ blobs: 1, deletedBackups: 0 });
  folder = report.folder;
});

afterAll(stopServices);

test('a backup is readable by its user alone, and has no master key in it', async () => {
  expect(await readdir(folder)).toEqual(
    expect.arrayContaining(['blobs.gz', 'database.gz', 'manifest.json', 'manifest.tag']),
  );
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  const key = masterKey.split(':')[1] ?? '';
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const bytes = await Bun.file(path).bytes();
    const text = Buffer.from(name.endsWith('.gz') ? Bun.gunzipSync(bytes) : bytes).toString();
    expect(text).not.toContain(key);
    expect(text).not.toContain(secrets.botToken);
  }
});

test('a restored service has every row and every blob, and serves with the keys that people have', async () => {
  const before = await readAll(connectSql(env.DATABASE_URL ?? ''));
  const machine = await newMachine();
  const restored = await restoreInto(machine, folder);
  expect(restored).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(restored.stdout)).toMatchObject({ restored: true, blobs: 1, chains: 1 });
  const sql = connectSql(machine.DATABASE_URL);
  expect(await readAll(sql)).toEqual(before);
  const keysOf = (one: SQL) => one`
    select conname, pg_get_constraintdef(oid) as definition from pg_constraint
    where contype = 'f' order by 1, 2`;
  expect(await keysOf(sql)).toEqual(await keysOf(connectSql(env.DATABASE_URL ?? '')));
  const store = createFileStore(machine.BLOB_URL.slice('file://'.length));
  expect(Buffer.from((await store.get(blob)) ?? []).toString()).toBe('sealed bytes');

  const service = await startService({ ...machine, ROLE: 'api' });
  const { call } = tenantAt(service.url, owner);
  expect((await call('GET', '/api/v1/account')).status).toBe(200);
  expect((await call('GET', '/api/v1/blacklist')).body.data).toMatchObject([
    { reason: 'a\ttab, a "quote" and 雪' },
  ]);
  // The service opens what is sealed and finds it equal: nothing changes.
  expect((await call('PUT', `/api/v1/bots/${botId}`, { body: secrets })).status).toBe(200);
  // Numbers go on where they stopped, in tables and in the audit chain.
  expect(await createBot(tenantAt(service.url, owner))).not.toBe(botId);
  const verified = await runAdmin(machine, 'verify-audit', '--user', owner.accountId);
  expect(verified.exitCode).toBe(0);
});

test('nothing is restored over a database that is in use', async () => {
  const refused = await restoreInto(env, folder);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain('The database is not empty');
});

test('a torn or altered backup is refused before anything is written', async () => {
  const machine = await newMachine();
  const copy = async () => {
    const copied = join(await makeFolder(), 'backups');
    await cp(to, copied, { recursive: true });
    return join(copied, basename(folder));
  };
  const torn = await copy();
  const database = join(torn, 'database.gz');
  const bytes = await Bun.file(database).bytes();
  await writeFile(database, bytes.subarray(0, bytes.length - 20));
  expect((await restoreInto(machine, torn)).stderr).toContain('database.gz has other bytes');

  const altered = await copy();
  const copies = join(dirname(altered), 'blobs');
  const [first = ''] = (await readdir(copies, { recursive: true })).filter((name) =>
    /[0-9a-f]{64}$/.test(name),
  );
  await appendFile(join(copies, first), 'x');
  expect((await restoreInto(machine, altered)).stderr).toContain(`${blob} has other bytes`);

  const unfinished = await copy();
  await writeFile(join(unfinished, 'manifest.json'), '{ "form": 1,');
  expect((await restoreInto(machine, unfinished)).stderr).toContain(
    'manifest.json is not as Holdfast wrote it',
  );
  expect(await tablesIn(machine.DATABASE_URL)).toBe(0);
});

test('a backup is refused with a master key that does not open it', async () => {
  const foreign = await newMachine(generateMasterKey());
  expect((await restoreInto(foreign, folder)).stderr).toContain('MASTER_KEYS lacks keys');
  const [id] = masterKey.split(':');
  const [, otherBytes] = generateMasterKey().split(':');
  const sameId = { ...foreign, MASTER_KEYS: `${id}:${otherBytes}` };
  expect((await restoreInto(sameId, folder)).stderr).toContain(`another key under the id ${id}`);
  expect(await tablesIn(foreign.DATABASE_URL)).toBe(0);
});

test('a worker backs the service up by its schedule, keeps as many as wanted, and shows when it was', async () => {
  const scheduled = join(await makeFolder(), 'scheduled');
  const settings = { SELF_BACKUP_TO: scheduled, SELF_BACKUP_AT: '04:05', SELF_BACKUP_KEEP: '1' };
  const { url } = await startService({ ...env, ...settings, ROLE: 'worker' });
  const newest = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^holdfast_self_backup_timestamp_seconds (\S+)$/m.exec(text)?.[1]);
  };
  expect(await newest()).toBe(0);
  const sql = connectSql(env.DATABASE_URL ?? '');
  const [plan] = await sql`select cron from pgboss.schedule where name = 'service.back-up'`;
  expect(plan.cron).toBe('5 4 * * *');
  const runNow = () => sql`insert into pgboss.job (name, data) values ('service.back-up', '{}')`;
  const finished = async () =>
    (await readdir(scheduled).catch(() => [])).filter((name) => name.startsWith('holdfast-'));
  await runNow();
  await eventually(30_000, async () => expect(await finished()).toHaveLength(1));
  const [first] = await finished();
  expect(await newest()).toBeGreaterThan(0);
  await Bun.sleep(1100);
  await runNow();
  await eventually(30_000, async () => {
    const left = await finished();
    expect(left).toHaveLength(1);
    expect(left).not.toEqual([first ?? '']);
  });
});
