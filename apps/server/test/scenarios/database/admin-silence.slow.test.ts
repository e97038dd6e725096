// Runs alone: it is about time, memory or the machine.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { SQL } from 'bun';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { type SilentProxy, startSilentProxy } from '../../harness/network/silent-proxy.ts';
import { runAdmin } from '../../harness/service-process.ts';

setDefaultTimeout(180_000);

let proxy: SilentProxy;
let url: string;
let sql: SQL;

beforeAll(async () => {
  url = await freshDatabase();
  proxy = await startSilentProxy(url);
  sql = new SQL(url, { max: 2 });
});
afterAll(async () => {
  await sql.close();
  await proxy.stop();
});

const createKey = [
  ...['create-key', '--platform-id', '118264931620716544'],
  ...['--scopes', '*', '--name', 'silent'],
];

test.each([
  ['create-key', 'accounts', createKey],
  ['migrate', 'pgboss.version', ['migrate']],
] as const)(
  'admin %s ends with a sentence though its connection falls silent in the middle of a statement',
  async (_, table, args) => {
    const running = await sql.begin(async (tx) => {
      await tx.unsafe(`lock table ${table} in access exclusive mode`);
      const command = runAdmin({ DATABASE_URL: proxy.through(url) }, ...args);
      await eventually(60_000, async () => {
        const [row] = await sql`select count(*)::int as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        expect(row.n).toBeGreaterThan(0);
      });
      proxy.fallSilent();
      return { command };
    });
    const ended = await Promise.race([running.command, Bun.sleep(90_000).then(() => 'hangs')]);
    expect(ended).toMatchObject({
      ...{ exitCode: 1, stdout: '' },
      stderr: expect.stringMatching(/^The connection to the database was lost[^\n]*\n$/),
    });
  },
);
