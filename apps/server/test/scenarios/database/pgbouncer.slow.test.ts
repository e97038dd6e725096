import { afterAll, beforeAll, expect, setDefaultTimeout } from 'bun:test';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL, type Subprocess } from 'bun';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { testWith } from '../../harness/running-service.ts';
import { freePort, runAdmin } from '../../harness/service-process.ts';

setDefaultTimeout(120_000);

const program = Bun.which('pgbouncer') ?? Bun.which('/usr/sbin/pgbouncer');
const test = testWith('pgbouncer', program !== null);

let folder: string;
let url: string;
let role: string;
const running: Subprocess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-pgbouncer-'));
  await chmod(folder, 0o755);
  url = await freshDatabase();
  role = `holdfast_pooled_${crypto.randomUUID().slice(0, 8)}`;
  const sql = new SQL(url, { max: 1 });
  await sql.unsafe(`create role ${role} superuser login password 'pooled'`);
  await sql.close();
});

afterAll(async () => {
  for (const pooler of running) pooler.kill();
  await Promise.all(running.map(({ exited }) => exited));
  await rm(folder, { recursive: true, force: true });
});

/** A PgBouncer as the docs describe it, and the URL through it. */
const startPooler = async (mode: 'session' | 'transaction'): Promise<string> => {
  const { hostname, port, pathname } = new URL(url);
  const ownPort = freePort();
  const name = pathname.slice(1);
  const file = join(folder, `${mode}.ini`);
  const lines = [
    '[databases]',
    `${name} = host=${hostname} port=${port} user=${role} password=pooled`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${ownPort}`, 'unix_socket_dir ='],
    ...['auth_type = any', `pool_mode = ${mode}`],
    'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,max_parallel_workers_per_gather',
  ];
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o644 });
  const asUser = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  running.push(
    Bun.spawn([program ?? '', '-q', ...asUser, file], { stdio: ['ignore', 'ignore', 'ignore'] }),
  );
  const through = `postgres://${role}:pooled@127.0.0.1:${ownPort}/${name}`;
  await eventually(10_000, async () => {
    const sql = new SQL(through, { max: 1 });
    await sql`select 1`.simple().finally(() => sql.close());
  });
  return through;
};

const createKey = (databaseUrl: string) =>
  runAdmin(
    { DATABASE_URL: databaseUrl },
    ...['create-key', '--platform-id', '1000', '--plan', 'FREE', '--scopes', '*', '--name', 'a'],
  );

test('a pooler in transaction mode is refused with a sentence, again and again', async () => {
  const through = await startPooler('transaction');
  for (let time = 0; time < 2; time++) {
    const { exitCode, stderr } = await createKey(through);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('a pooler in transaction mode, which Holdfast cannot use');
  }
});

test('in session mode the time-outs come from the role, and without them nothing starts', async () => {
  const through = await startPooler('session');
  const refused = await createKey(through);
  expect(refused.stderr).toContain('The pooler in DATABASE_URL drops statement_timeout');
  const sql = new SQL(url, { max: 1 });
  await sql.unsafe(`alter role ${role} set statement_timeout = '4s'`);
  await sql.close();
  // Server connections that the pooler has open keep what the role had when they were made.
  const { exitCode, stdout } = await createKey(await startPooler('session'));
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).key).toStartWith('holdfast_');
});
