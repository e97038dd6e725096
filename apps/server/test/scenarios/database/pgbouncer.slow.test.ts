import { afterAll, beforeAll, expect } from 'bun:test';
import { SQL } from 'bun';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { type Pooler, pgbouncer, startPooler as startPoolerAt } from '../../harness/pooler.ts';
import {
  createKeyByCommand,
  request,
  startService,
  stopServices,
  tenantAt,
  testWith,
} from '../../harness/running-service.ts';
import { runAdmin, runStart } from '../../harness/service-process.ts';

const test = testWith('pgbouncer', pgbouncer !== null);

let url: string;
let role: string;
const running: Pooler[] = [];

beforeAll(async () => {
  url = await freshDatabase();
  role = `holdfast_pooled_${crypto.randomUUID().slice(0, 8)}`;
  await onDatabase(`create role ${role} superuser login password 'pooled'`);
});

afterAll(async () => {
  await stopServices();
  await Promise.all(running.map(({ stop }) => stop()));
});

const onDatabase = async (statement: string): Promise<void> => {
  const sql = new SQL(url, { max: 1 });
  await sql.unsafe(statement);
  await sql.close();
};

/** A PgBouncer as the docs describe it, and the URL through it. */
const startPooler = async (
  mode: 'session' | 'transaction',
  more = [
    'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,max_parallel_workers_per_gather',
  ],
): Promise<string> => {
  const user = { name: role, password: 'pooled' };
  const pooler = await startPoolerAt(url, { mode, user, more });
  running.push(pooler);
  return pooler.urlOf(url);
};

const createKey = (env: Record<string, string>) =>
  runAdmin(
    env,
    ...['create-key', '--platform-id', '1000', '--plan', 'FREE', '--scopes', '*', '--name', 'a'],
  );

test('a pooler in transaction mode alone is refused with a sentence, again and again', async () => {
  const through = await startPooler('transaction');
  for (let time = 0; time < 2; time++) {
    const { exitCode, stderr } = await createKey({ DATABASE_URL: through });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('set DATABASE_DIRECT_URL to the address of PostgreSQL itself');
  }
});

test('in either mode the time-outs come from the role, and without them nothing starts', async () => {
  const pooled = await startPooler('transaction', []);
  const session = await startPooler('session');
  const words = 'The pooler in DATABASE_URL drops statement_timeout';
  const start = await runStart({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: url });
  expect(start.stderr).toContain(words);
  const refused = await createKey({ DATABASE_URL: session });
  expect(refused.stderr).toContain(words);
  await onDatabase(`alter role ${role} set statement_timeout = '4s'`);
  // Server connections that the pooler has open keep what the role had when they were made.
  const { exitCode, stdout } = await createKey({ DATABASE_URL: await startPooler('session') });
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).key).toStartWith('holdfast_');
});

test('two ways that lead to different databases are refused', async () => {
  await onDatabase(`alter role ${role} set statement_timeout = '4s'`);
  const pooled = await startPooler('transaction', []);
  const { stderr } = await runStart({
    DATABASE_URL: pooled,
    DATABASE_DIRECT_URL: await freshDatabase(),
  });
  expect(stderr).toContain('DATABASE_URL and DATABASE_DIRECT_URL lead to different databases');
});

/**
 * Two processes with more connections than the pooler has: what one leaves in a session another would meet.
 * The pooler is configured as the docs say, and knows none of the settings that a session would have.
 */
test('over transaction mode, with fewer connections than clients, requests and jobs go on rightly', async () => {
  await onDatabase(`alter role ${role} set statement_timeout = '4s'`);
  const pooled = await startPooler('transaction', ['default_pool_size = 5']);
  const env = { DATABASE_URL: pooled, DATABASE_DIRECT_URL: url };
  const [first, second] = [await startService(env), await startService(env)];
  const tenant = await createKeyByCommand(env);
  const [here, there] = [tenantAt(first.url, tenant), tenantAt(second.url, tenant)];
  const names = Array.from({ length: 60 }, (_, i) => `key ${i}`);
  const made = await Promise.all(
    names.map((name, i) =>
      (i % 2 === 0 ? here : there).call('POST', '/api/v1/keys', {
        body: { name, scopes: ['servers:read'] },
      }),
    ),
  );
  expect(made.map(({ status }) => status)).toEqual(names.map(() => 201));
  const listed = await Promise.all(
    names.map((_, i) => (i % 2 === 0 ? there : here).call('GET', '/api/v1/keys?limit=100')),
  );
  for (const { status, body } of listed) {
    expect(status).toBe(200);
    expect(body.data).toHaveLength(names.length + 1);
  }
  await eventually(10_000, async () => {
    for (const { url: at } of [first, second]) {
      expect((await request(at, 'GET', '/readyz')).status).toBe(200);
    }
  });
  const lines = `${first.output()}${second.output()}`;
  expect(lines).not.toMatch(/prepared statement|do not arrive|"level":50/);
});
