import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { Registry } from 'prom-client';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { closeDatabase, connectDatabase } from '../connect.ts';
import { observePools } from './usage.ts';

test('the metrics say of a pool how many connections are used and free, and what waits for one', async () => {
  const registry = new Registry();
  observePools(registry);
  const db = connectDatabase(await freshDatabase(), { name: 'holdfast-sample', poolSize: 3 });
  const read = async () =>
    Object.fromEntries(
      (await registry.metrics())
        .split('\n')
        .filter((line) => line.includes('pool="holdfast-sample"'))
        .map((line) => {
          const [series = '', value] = line.split(' ');
          return [series.replace('holdfast_db_pool_', ''), Number(value)];
        }),
    );
  const states = (used: number, waiting: number) => ({
    'size{pool="holdfast-sample"}': 3,
    'connections{pool="holdfast-sample",state="used"}': used,
    'connections{pool="holdfast-sample",state="free"}': 3 - used,
    'waiting{pool="holdfast-sample"}': waiting,
  });
  expect(await read()).toEqual(states(0, 0));

  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const held = Array.from({ length: 5 }, () =>
    db.transaction(async (tx) => {
      await tx.execute(sql`select 1`);
      await released;
    }),
  );
  await eventually(5000, async () => expect(await read()).toEqual(states(3, 2)));
  release();
  await Promise.all(held);
  expect(await read()).toEqual(states(0, 0));

  await db.execute(sql`select no_such_column`).catch(() => undefined);
  expect(await read()).toEqual(states(0, 0));
  await closeDatabase(db);
  expect(await read()).toEqual({});
});
