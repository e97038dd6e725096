// Runs alone: it is about time, memory or the machine.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { createServer, newBotBody } from '../../../test/harness/bots-and-servers.ts';
import { freshDatabase } from '../../../test/harness/database.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';

let service: TestService;
let sql: SQL;

beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  sql = new SQL(databaseUrl, { max: 1 });
  service = await startTestService({ databaseUrl, patience: 1 });
});
afterAll(async () => {
  await service.stop();
  await sql.close();
});

test('a change that is aborted by a conflict, and too late when it is repeated, is not committed', async () => {
  const tenant = await service.newTenant();
  await sql`create sequence runs`.simple();
  await sql`create function take_long() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(2.3);
      if nextval('runs') = 1 then
        raise exception 'lost to another' using errcode = '40001';
      end if;
      perform pg_sleep(1.5);
      return new;
    end $$`.simple();
  await sql`create trigger take_long before insert on bots
    for each row execute function take_long()`.simple();
  const reply = await tenant.call('POST', '/api/v1/bots', { body: newBotBody() });
  expect(reply.status).toBe(429);
  // The second run is rolled back when its statement is through; then nobody is at it any more.
  for (let busy = 1; busy > 0; await Bun.sleep(50)) {
    const [row] = await sql`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`;
    busy = row.n;
  }
  const [runs] = await sql`select last_value::int as n from runs`;
  expect(runs.n).toBe(2);
  expect(await sql`select id from bots where account_id = ${tenant.accountId}`).toHaveLength(0);
  await sql`drop trigger take_long on bots`.simple();
});

test('a change that waits too long for what another process holds is refused unchanged, to be sent again', async () => {
  const tenant = await service.newTenant();
  const serverId = await createServer(tenant);
  const change = () =>
    tenant.call('PUT', `/api/v1/servers/${serverId}`, { body: { captchaType: 'NONE' } });
  const refused = await sql.begin(async (tx) => {
    await tx`select 1 from servers where id = ${serverId} for update`;
    return change();
  });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect((await change()).status).toBe(200);
});
