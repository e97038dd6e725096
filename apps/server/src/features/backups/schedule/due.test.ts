import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { sql as sqlText } from 'drizzle-orm';
import { letHoursPass } from '../../../../test/harness/backups/let-hours-pass.ts';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import type { Transaction } from '../../../db/connect.ts';
import { systemClock } from '../../../kernel/clock.ts';
import type { Queue } from '../../../queue/queue.ts';
import { createPlanTable } from '../../plans/rules.ts';
import { createDueBackups } from './jobs.ts';
import { listDueServers } from './queries.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const { limitsOf } = createPlanTable(undefined);
const { signal } = new AbortController();

/** A minute's run of the job; backups stay queued, since nobody works. */
const tick = (queue: Pick<Queue, 'enqueue'> = service.queue) => {
  const { db, log } = service;
  return createDueBackups({ db, queue, log, limitsOf, clock: systemClock }, signal);
};

let tenant: OwnTenant;
let serverId: string;
beforeEach(async () => {
  tenant = await service.newTenant();
  serverId = await createServer(tenant);
});

const schedule = async (everyHours: number | null) => {
  const body = { backupSchedule: everyHours === null ? null : { everyHours } };
  expect((await tenant.call('PUT', `/api/v1/servers/${serverId}`, { body })).status).toBe(200);
};

const taken = async (): Promise<string[]> => {
  const { body } = await tenant.call('GET', `/api/v1/servers/${serverId}/backups?limit=100`);
  return body.data.map(({ id }: { id: string }) => id);
};

const pass = (hours: number) => letHoursPass(service.db.$client, serverId, hours);

/** As the release before does it, which knows nothing of what is stored about turns. */
const oldRelease = {
  schedule: (everyHours: number) =>
    service.db.$client`
      update servers set backup_schedule = ${{ everyHours }}::jsonb where id = ${serverId}`,
  backUp: () =>
    service.db.$client`
      insert into backups (id, account_id, server_id, name, kind, components, messages_per_channel)
      values (gen_random_uuid(), ${tenant.accountId}, ${serverId}, 'old', 'SCHEDULED', '[]', 0)`,
  delete: (backupId: string) => service.db.$client`delete from backups where id = ${backupId}`,
};

const storedTurn = async (): Promise<Date | null> => {
  const [row] = await service.db.$client`
    select last_scheduled_at as at from servers where id = ${serverId}`;
  return row.at;
};

describe('a schedule', () => {
  test('that is switched off and on again goes on from its last backup', async () => {
    await schedule(24);
    await tick();
    await schedule(null);
    await pass(20);
    await tick();
    await schedule(24);
    await tick();
    expect(await taken()).toHaveLength(1);
    await pass(4);
    await tick();
    expect(await taken()).toHaveLength(2);
  });

  test('that was off for longer than its interval is due as soon as it is on', async () => {
    await schedule(24);
    await tick();
    await schedule(null);
    await pass(40);
    await tick();
    expect(await taken()).toHaveLength(1);
    await schedule(24);
    await tick();
    expect(await taken()).toHaveLength(2);
  });

  test('that becomes shorter is due by its new interval, one that becomes longer not before', async () => {
    await schedule(24);
    await tick();
    await pass(7);
    await schedule(6);
    await tick();
    expect(await taken()).toHaveLength(2);
    await schedule(168);
    await pass(167);
    await tick();
    expect(await taken()).toHaveLength(2);
    await pass(1);
    await tick();
    expect(await taken()).toHaveLength(3);
  });

  test('of a server that moves to another guild goes on', async () => {
    await schedule(24);
    await tick();
    const body = { platformGuildId: '1098765432109876543' };
    expect((await tenant.call('PUT', `/api/v1/servers/${serverId}`, { body })).status).toBe(200);
    await tick();
    expect(await taken()).toHaveLength(1);
    await pass(24);
    await tick();
    expect(await taken()).toHaveLength(2);
  });
});

describe('a scheduled backup', () => {
  test('that its owner deletes is taken again at once, unless an earlier one is young enough', async () => {
    await schedule(24);
    await tick();
    await pass(24);
    await tick();
    const [newest = '', first = ''] = await taken();
    const path = `/api/v1/servers/${serverId}/backups`;
    await tenant.call('DELETE', `${path}/${first}`);
    await tick();
    expect(await taken()).toEqual([newest]);
    await tenant.call('DELETE', `${path}/${newest}`);
    await tick();
    expect(await taken()).toHaveLength(1);
    expect(await taken()).not.toContain(newest);
  });

  test('that cannot be created is tried again in the next minute, and holds up no other server', async () => {
    await schedule(24);
    const failing = tenant.accountId;
    const other = { tenant: await service.newTenant(), serverId: '' };
    other.serverId = await createServer(other.tenant);
    const body = { backupSchedule: { everyHours: 24 } };
    await other.tenant.call('PUT', `/api/v1/servers/${other.serverId}`, { body });
    const refusing: Pick<Queue, 'enqueue'> = {
      async enqueue(tx, job, payload, options) {
        if ('accountId' in payload && payload.accountId === failing)
          throw new Error('The queue refuses it');
        await service.queue.enqueue(tx, job, payload, options);
      },
    };
    await tick(refusing);
    expect(await taken()).toEqual([]);
    [tenant, serverId] = [other.tenant, other.serverId];
    expect(await taken()).toHaveLength(1);
    await tick();
    const [retried] = await service.db.$client`
      select count(*)::int as n from backups where account_id = ${failing}`;
    expect(retried.n).toBe(1);
  });

  test('of the future, which a clock that was set back leaves, delays the next one by nothing', async () => {
    await schedule(24);
    await tick();
    await pass(-3);
    await tick();
    expect(await taken()).toHaveLength(2);
    await tick();
    expect(await taken()).toHaveLength(2);
  });
});

describe('beside the release before', () => {
  test('a schedule that it changed is due by its new interval', async () => {
    await schedule(168);
    await tick();
    await pass(30);
    await oldRelease.schedule(24);
    await tick();
    expect(await taken()).toHaveLength(2);
  });

  test('a schedule that it switched on is due at once', async () => {
    await oldRelease.schedule(24);
    await tick();
    expect(await taken()).toHaveLength(1);
  });

  test('a backup that it took is not taken twice, and is looked up once', async () => {
    await schedule(24);
    await tick();
    await pass(24);
    await oldRelease.backUp();
    await tick();
    expect(await taken()).toHaveLength(2);
    const stored = await storedTurn();
    const [newest] = await service.db.$client`
      select max(created_at) as at from backups where server_id = ${serverId}`;
    expect(stored).toEqual(newest.at);
  });

  test('a backup that it deleted is made up for by the next turn at the latest', async () => {
    await schedule(24);
    await tick();
    const [only = ''] = await taken();
    await oldRelease.delete(only);
    await pass(24);
    await tick();
    expect(await taken()).toHaveLength(1);
  });

  test('what it took before the upgrade counts, though nothing was stored of it', async () => {
    await oldRelease.schedule(24);
    await oldRelease.backUp();
    expect(await storedTurn()).toBeNull();
    await tick();
    expect(await taken()).toHaveLength(1);
    expect(await storedTurn()).not.toBeNull();
  });
});

test('all servers are looked up once after the upgrade, and then read only when they are due', async () => {
  const { db } = service;
  const { $client: sql } = db;
  // More than two runs through what is taken at a time.
  await sql`
    with added as (
      insert into servers (id, account_id, custom_bot_id, platform_guild_id, name, backup_schedule)
      select gen_random_uuid(), account_id, custom_bot_id, gen_random_uuid()::text, 'x',
        '{"everyHours": 24}'
      from servers, generate_series(1, 2500) where id = ${serverId}
      returning id, account_id
    )
    insert into backups (id, account_id, server_id, name, kind, components, messages_per_channel)
    select gen_random_uuid(), account_id, id, 'old', 'SCHEDULED', '[]', 0 from added`;
  const notLookedUp = async () => {
    const [row] = await sql`
      select count(*)::int as n from servers
      where account_id = ${tenant.accountId} and backup_schedule is not null
        and last_scheduled_at is null`;
    return row.n;
  };
  expect(await notLookedUp()).toBe(2500);
  await tick();
  expect(await notLookedUp()).toBe(0);
  await sql`vacuum analyze servers`;
  const readBySession = async (tx: Transaction): Promise<number> => {
    const [row] = await tx.execute(sqlText`
      select idx_tup_fetch::int + seq_tup_read::int as n from pg_stat_xact_user_tables
      where relname = 'servers'`);
    return Number(row?.n);
  };
  const read = await db.transaction(async (tx) => {
    const before = await readBySession(tx);
    expect(await listDueServers(tx, { after: undefined, most: 1000 })).toEqual([]);
    return (await readBySession(tx)) - before;
  });
  expect(read).toBe(0);
});
