import { afterEach, beforeEach, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { type SilentProxy, startSilentProxy } from '../../../test/harness/network/silent-proxy.ts';
import { freePort } from '../../../test/harness/service-process.ts';
import { connectDatabase, type Database } from '../connect.ts';
import { isReadOnly } from '../failures.ts';
import { pgConnection } from './pg-connection.ts';
import { findPrimary, primaryOf } from './primary.ts';

let url: string;
let proxies: SilentProxy[];
let opened: Database[];

beforeEach(async () => {
  url = await freshDatabase();
  proxies = [];
  opened = [];
});

afterEach(async () => {
  for (const db of opened) await db.$client.close({ timeout: 0 });
  for (const proxy of proxies) await proxy.stop();
});

const proxied = async (): Promise<{ host: string; proxy: SilentProxy }> => {
  const proxy = await startSilentProxy(url);
  proxies.push(proxy);
  return { proxy, host: new URL(proxy.through(url)).host };
};

const withHosts = (...hosts: string[]): string => {
  const one = new URL(url);
  one.searchParams.set('target_session_attrs', 'read-write');
  return one.href.replace(one.host, hosts.join(','));
};

const connect = (to: string, onReplaced: (reason: string) => void = () => undefined): Database => {
  const db = connectDatabase(to, { name: 'holdfast-test', poolSize: 2, onReplaced });
  opened.push(db);
  return db;
};

const answer = async (db: Database) => (await db.execute(sql`select 7 as n`))[0]?.n;

test('of several hosts the one that answers and takes writes is used, by both drivers', async () => {
  const nobody = `127.0.0.1:${freePort()}`;
  const several = withHosts(nobody, new URL(url).host);
  await findPrimary(several, 5000);
  expect(await answer(connect(several))).toBe(7);
  const client = new pg.Client(await pgConnection(several));
  await client.connect();
  expect((await client.query('select 8 as n')).rows).toEqual([{ n: 8 }]);
  await client.end();
});

test('a start says what each host answered where none takes writes', async () => {
  const aside = new SQL(url, { max: 1 });
  await aside.unsafe(`alter database ${new URL(url).pathname.slice(1)}
    set default_transaction_read_only = on`);
  await aside.close();
  const nobody = `127.0.0.1:${freePort()}`;
  const several = withHosts(nobody, new URL(url).host);
  const said = await findPrimary(several, 0).catch(({ message }: Error) => message);
  expect(said).toContain('No host of the database');
  expect(said).toContain(`${nobody}: Failed to connect`);
  expect(said).toContain(`${new URL(url).host} is a standby`);
});

test('while no host takes writes, what each of them says is told once', async () => {
  const { host, proxy } = await proxied();
  const nobody = `127.0.0.1:${freePort()}`;
  const several = withHosts(host, nobody);
  const told: string[] = [];
  const unwatch = primaryOf(several).watch((reasons) => told.push(reasons));
  await findPrimary(several, 5000);
  expect(told).toEqual([]);
  await proxy.stop();
  for (let times = 0; times < 3; times++) await findPrimary(several, 0).catch(() => undefined);
  expect(told).toEqual([expect.stringContaining(`${host}: Failed to connect`)]);
  expect(told[0]).toContain(`${nobody}: Failed to connect`);
  unwatch();
});

test('when the primary is gone, connections are made to the next one, by both drivers', async () => {
  const [first, second] = [await proxied(), await proxied()];
  const several = withHosts(first.host, second.host);
  await findPrimary(several, 5000);
  const reasons: string[] = [];
  const db = connect(several, (reason) => reasons.push(reason));
  const pool = new pg.Pool({ ...(await pgConnection(several)), max: 1 });
  pool.on('error', () => undefined);
  expect(await answer(db)).toBe(7);
  await pool.query('select 1');
  expect(second.proxy.openConnections()).toBe(0);

  await first.proxy.stop();
  await eventually(10_000, async () => expect(await answer(db)).toBe(7));
  await eventually(10_000, async () => {
    expect((await pool.query('select 8 as n')).rows).toEqual([{ n: 8 }]);
  });
  expect(reasons).toEqual(['moved']);
  expect(second.proxy.openConnections()).toBeGreaterThan(0);
  await pool.end();
});

test('connections to a server that takes no writes any more are replaced once the address leads to one that does', async () => {
  const name = new URL(url).pathname.slice(1);
  const aside = new SQL(url, { max: 1 });
  await aside`create table kept (id int)`;
  await aside.unsafe(`alter database ${name} set default_transaction_read_only = on`);
  const reasons: string[] = [];
  const db = connect(url, (reason) => reasons.push(reason));
  const insert = () => db.execute(sql`insert into kept values (1)`).then(() => 'done', isReadOnly);
  expect(await insert()).toBe(true);
  await aside.begin(async (tx) => {
    await tx`set transaction read write`;
    await tx.unsafe(`alter database ${name} reset default_transaction_read_only`);
  });
  await eventually(10_000, async () => expect(await insert()).toBe('done'));
  expect(reasons).toEqual(['moved']);
  await aside.close();
});
