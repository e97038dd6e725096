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
