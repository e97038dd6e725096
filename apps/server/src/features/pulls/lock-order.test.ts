import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Plans } from '@holdfast/contract';
import { SQL } from 'bun';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  plansWithoutRateLimit,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';

let service: TestService;
let sql: SQL;

/** Without cooldowns, and on a database that does not break deadlocks. */
beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  sql = new SQL(databaseUrl, { max: 2 });
  const name = new URL(databaseUrl).pathname.slice(1);
  await sql`alter database ${sql(name)} set deadlock_timeout = '1h'`.simple();
  const plans = Object.fromEntries(
    Object.entries(plansWithoutRateLimit).map(([plan, limits]) => [
      plan,
      { ...limits, pullCooldownMs: 0 },
    ]),
  ) as Plans;
  service = await startTestService({ databaseUrl, plans });
});

afterAll(async () => {
  await sql.close();
  await service.stop();
});

test('the end of a pull and the creation of the next do not deadlock', async () => {
  const tenant = await service.newTenant();
  const serverId = await createServer(tenant);
  const path = `/api/v1/servers/${serverId}/pull`;
  const first = await tenant.call('POST', path, { body: {} });
  expect(first.status).toBe(202);

  const waiters = async () => {
    const [row] = await sql`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return row.n;
  };
  // Both wait for the cooldown's row while another transaction locks it: first the next pull, then the end.
  const answers = await sql.begin(async (holder) => {
    await holder`select 1 from pull_cooldowns where server_id = ${serverId} for update`;
    const next = tenant.call('POST', path, { body: {} });
    await eventually(3000, async () => expect(await waiters()).toBe(1));
    const end = tenant.call('POST', `/api/v1/pulls/${first.body.data.id}/cancel`);
    await eventually(3000, async () => expect(await waiters()).toBe(2));
    return { next, end };
  });
  expect((await answers.next).status).toBe(409);
  expect((await answers.end).status).toBe(200);
  expect((await tenant.call('POST', path, { body: {} })).status).toBe(202);
});
