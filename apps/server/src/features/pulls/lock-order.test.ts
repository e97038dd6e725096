import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Plans } from '@holdfast/contract';
import { SQL } from 'bun';
import { freshDatabase } from '../../../test/database.ts';
import { eventually } from '../../../test/eventually.ts';
import {
  createServer,
  startTestService,
  type TestService,
  unhurriedPlans,
} from '../../../test/harness.ts';

setDefaultTimeout(30_000);

let service: TestService;
let sql: SQL;

/** Without cooldowns, and on a database that leaves those who wait for each other waiting. */
beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  sql = new SQL(databaseUrl, { max: 2 });
  const name = new URL(databaseUrl).pathname.slice(1);
  await sql`alter database ${sql(name)} set deadlock_timeout = '1h'`.simple();
  const plans = Object.fromEntries(
    Object.entries(unhurriedPlans).map(([plan, limits]) => [
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

test('the end of a pull and the creation of the next do not wait for each other', async () => {
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
  // Both come to the cooldown while somebody else holds it: first the next pull, then the end.
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
