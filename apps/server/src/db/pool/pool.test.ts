import { afterEach, beforeEach, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { type SilentProxy, startSilentProxy } from '../../../test/harness/network/silent-proxy.ts';
import { closeDatabase, connectDatabase, type Database, forRequests } from '../connect.ts';
import { DatabaseUnreachable } from '../failures.ts';

let proxy: SilentProxy;
let url: string;
let db: Database;
let replaced: number;

const connect = ({ closeSeconds }: { closeSeconds: number }): Database =>
  connectDatabase(proxy.through(url), {
    name: 'holdfast-test',
    poolSize: 3,
    times: { silentAfterMs: 1000, checkEveryMs: 20, closeSeconds },
    onReplaced: () => replaced++,
  });

beforeEach(async () => {
  url = await freshDatabase();
  proxy = await startSilentProxy(url);
  replaced = 0;
  db = connect({ closeSeconds: 1 });
  await Promise.all([1, 2, 3].map(() => db.transaction((tx) => tx.execute(sql`select 1`))));
});

afterEach(async () => {
  await db.$client.close({ timeout: 0 });
  await proxy.stop();
});

const ask = async () => (await db.execute(sql`select 7 as answer`))[0]?.answer;
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    () => 'failed',
  );

test('connections that no longer answer are replaced, and statements waiting on them fail', async () => {
  proxy.fallSilent();
  const reads = [1, 2, 3, 4].map(() => outcomeOf(ask()));
  await eventually(10_000, () => expect(replaced).toBeGreaterThan(0));
  expect(await ask()).toBe(7);
  expect(new Set(await Promise.all(reads))).toEqual(new Set(['failed']));
  await eventually(5000, () => expect(proxy.silentConnections()).toBe(0));
});

test.each(['inside it', 'before it begins', 'at its commit'])(
  'a transaction whose connection falls silent %s fails, and the next one is done',
  async (moment) => {
    if (moment === 'before it begins') proxy.fallSilent();
    const lost = outcomeOf(
      db.transaction(async (tx) => {
        await tx.execute(sql`select 1`);
        if (moment !== 'before it begins') proxy.fallSilent();
        if (moment === 'inside it') await tx.execute(sql`select 2`);
      }),
    );
    expect(await lost).toBe('failed');
    expect(await db.transaction((tx) => tx.execute(sql`select 3 as n`))).toEqual([{ n: 3 }]);
    expect(replaced).toBeGreaterThan(0);
  },
);

test('a transaction on a connection that still answers outlives the replacement of the others', async () => {
  await closeDatabase(db);
  db = connect({ closeSeconds: 20 });
  await Promise.all([ask(), ask()]);
  const created = Promise.withResolvers<void>();
  const others = Promise.withResolvers<void>();
  const alive = db.transaction(async (tx) => {
    await tx.execute(sql`create table kept (id int)`);
    created.resolve();
    await others.promise;
    await tx.execute(sql`insert into kept values (1)`);
  });
  await created.promise;
  proxy.fallSilent({ except: 'create table kept' });
  outcomeOf(ask());
  await eventually(10_000, () => expect(replaced).toBeGreaterThan(0));
  others.resolve();
  await alive;
  expect(await db.execute(sql`select id from kept`)).toEqual([{ id: 1 }]);
});

test('while new connections get no answer either, nothing is replaced, and work continues afterwards', async () => {
  const release = proxy.holdEverything();
  const held = [1, 2, 3].map(() => ask());
  await eventually(5000, () => expect(proxy.openConnections()).toBeGreaterThan(3));
  expect(replaced).toBe(0);
  release();
  expect(await Promise.all(held)).toEqual([7, 7, 7]);
});

test('a pool whose connections no longer answer still closes in time', async () => {
  proxy.fallSilent();
  await db.$client.close({ timeout: 1 });
});

test('while the database is known not to answer, statements fail at once', async () => {
  let isReachable = true;
  const guarded = forRequests(db, () => isReachable);
  expect(await guarded.transaction((tx) => tx.execute(sql`select 1 as n`))).toEqual([{ n: 1 }]);
  proxy.fallSilent();
  isReachable = false;
  const refusals = [
    guarded.execute(sql`select 1`),
    guarded.transaction((tx) => tx.execute(sql`select 1`)),
  ];
  for (const refused of await Promise.allSettled(refusals)) {
    const reason = refused.status === 'rejected' ? refused.reason : undefined;
    expect(reason.cause ?? reason).toBeInstanceOf(DatabaseUnreachable);
  }
});
