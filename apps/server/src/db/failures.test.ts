import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { freshDatabase } from '../../test/harness/database.ts';
import { isConnectionLost, isRefusedUnchanged } from './failures.ts';

test('a server without a connection left has changed nothing', async () => {
  const url = new URL(await freshDatabase());
  const role = `crowded_${crypto.randomUUID().replaceAll('-', '')}`;
  const sql = new SQL(url, { max: 1 });
  await sql.unsafe(`create role ${role} login connection limit 0 password 'x'`);
  url.username = role;
  url.password = 'x';
  const crowded = new SQL(url, { max: 1 });
  const error = await crowded`select 1`.catch((reason: unknown) => reason);
  expect(error).toMatchObject({ errno: '53300' });
  expect(isRefusedUnchanged(error)).toBe(true);
  expect(isConnectionLost(error)).toBe(false);
  await crowded.close();
  await sql.unsafe(`drop role ${role}`);
  await sql.close();
});

test('a statement that waited too long for a lock has changed nothing', async () => {
  const url = await freshDatabase();
  const [holder, waiter] = [new SQL(url, { max: 1 }), new SQL(url, { max: 1 })];
  await holder`create table held (id int)`;
  await waiter`set statement_timeout to 100`;
  const error = await holder.begin(async (tx) => {
    await tx`lock table held`;
    return waiter`insert into held values (1)`.catch((reason: unknown) => reason);
  });
  expect(error).toMatchObject({ errno: '57014' });
  expect(isRefusedUnchanged(error)).toBe(true);
  expect(await holder`select * from held`).toHaveLength(0);
  for (const sql of [holder, waiter]) await sql.close();
});
