import { afterAll, beforeAll, expect, test } from 'bun:test';
import { defaultPlans } from '@holdfast/contract';
import { letHoursPass } from '../../../../test/harness/backups/let-hours-pass.ts';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import { whileItWaits } from '../../../../test/harness/database-faults/while-it-waits.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { createPlanTable } from '../../plans/rules.ts';
import { applyRetention } from './apply-retention.ts';
import { createDueBackups } from './jobs.ts';

const maxBackups = 5;
const plans = {
  ...defaultPlans,
  FREE: { ...defaultPlans.FREE, maxBackups },
  PREMIUM: { ...defaultPlans.PREMIUM, maxBackups: 30 },
};
const retention = { daily: 7, weekly: 4, monthly: 3 };
const { signal } = new AbortController();

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

type Row = Record<'id' | 'status' | 'health' | 'kind', string> & {
  suspicious: boolean;
  error: string | null;
};
type Outcome = 'good' | 'suspicious' | 'damaged' | 'unrestorable' | 'failed';

/** A server whose days pass one by one; the test decides how each backup ends, instead of a worker. */
const startDays = async (plan: 'FREE' | 'PREMIUM' = 'FREE') => {
  const { db, queue, log } = service;
  const sql = db.$client;
  const tenant = await service.newTenant({ plan });
  const serverId = await createServer(tenant);
  const body = { backupSchedule: { everyHours: 24 }, retention };
  expect((await tenant.call('PUT', `/api/v1/servers/${serverId}`, { body })).status).toBe(200);
  const dependencies = {
    ...{ db, queue, log, clock: systemClock },
    limitsOf: createPlanTable(plans).limitsOf,
  };
  const server = { serverId, accountId: tenant.accountId };

  const rows = async (): Promise<Row[]> =>
    await sql`select id, status, suspicious, health, kind, error from backups
              where server_id = ${serverId} order by created_at, id`;
  const age = () => letHoursPass(sql, serverId, 24);

  const end = async (id: string, outcome: Outcome) => {
    await sql`update backups set status = ${outcome === 'failed' ? 'failed' : 'completed'},
      suspicious = ${outcome === 'suspicious'},
      health = ${outcome === 'damaged' ? 'DAMAGED' : 'GOOD'},
      restorable = ${outcome === 'unrestorable' ? false : null} where id = ${id}`;
    if (outcome !== 'failed') await applyRetention(dependencies, server);
  };

  return {
    ...{ tenant, rows, age, server },
    tick: () => createDueBackups(dependencies, signal),
    retain: () => applyRetention(dependencies, server),
    /** A day later its turn is taken; gives the backup that it began. */
    async passDay(outcome: Outcome): Promise<Row> {
      await age();
      await createDueBackups(dependencies, signal);
      const begun = (await rows()).at(-1);
      if (!begun) throw new Error('No turn was taken');
      if (begun.status === 'queued') await end(begun.id, outcome);
      return begun;
    },
    charged: async () => (await rows()).filter(({ status }) => status !== 'failed'),
    good: async () =>
      (await rows()).filter(
        ({ status, suspicious, health }) =>
          status === 'completed' && !suspicious && health === 'GOOD',
      ),
  };
};

type Days = Awaited<ReturnType<typeof startDays>>;

const addManual = async (tenant: OwnTenant, days: Days, count: number) => {
  const { serverId, accountId } = days.server;
  await service.db.$client`
    insert into backups (id, account_id, server_id, name, kind, status, components, messages_per_channel)
    select gen_random_uuid(), ${accountId}, ${serverId}, 'by hand', 'MANUAL', 'completed', '[]', 0
    from generate_series(1, ${count})`;
  expect(tenant.accountId).toBe(accountId);
};

test.each<Outcome>(['suspicious', 'damaged'])(
  'a guild that is never repaired, so that its backups are %s, stops the schedule on none of sixty days, and costs no good backup',
  async (outcome) => {
    const days = await startDays();
    for (let day = 0; day < 10; day++)
      expect(await days.passDay('good')).toMatchObject({ status: 'queued' });
    const before = (await days.good()).map(({ id }) => id);
    expect(before).toHaveLength(maxBackups);
    for (let day = 0; day < 40; day++) {
      expect(await days.passDay(outcome)).toMatchObject({ status: 'queued', error: null });
      expect((await days.good()).map(({ id }) => id)).toEqual(before);
      // The newest, and no more than that one over the plan.
      expect((await days.charged()).length).toBe(maxBackups + 1);
    }
    for (let day = 0; day < 10; day++) {
      expect(await days.passDay('good')).toMatchObject({ status: 'queued', error: null });
      expect((await days.charged()).length).toBeLessThanOrEqual(maxBackups);
    }
    expect(await days.good()).toHaveLength(maxBackups);
  },
);

test('days on which every backup fails leave the good ones, and a week of failures', async () => {
  const days = await startDays();
  for (let day = 0; day < 8; day++) await days.passDay('good');
  const before = (await days.good()).map(({ id }) => id);
  for (let day = 0; day < 20; day++) {
    expect(await days.passDay('failed')).toMatchObject({ status: 'queued' });
  }
  const failed = (await days.rows()).filter(({ status }) => status === 'failed');
  expect(failed.length).toBeOneOf([7, 8]);
  expect((await days.good()).map(({ id }) => id)).toEqual(before);
  expect(await days.passDay('good')).toMatchObject({ status: 'queued' });
});

test('after a change to a smaller plan the schedule continues, and is within it by the next good backup', async () => {
  const days = await startDays('PREMIUM');
  for (let day = 0; day < 20; day++) await days.passDay('good');
  expect((await days.charged()).length).toBeGreaterThan(maxBackups);
  await days.passDay('suspicious');
  await service.db.$client`update accounts set plan = 'FREE' where id = ${days.server.accountId}`;
  const most = (await days.charged()).length;
  for (let day = 0; day < 3; day++) {
    expect(await days.passDay('suspicious')).toMatchObject({ status: 'queued' });
    expect((await days.charged()).length).toBeLessThanOrEqual(most);
  }
  expect(await days.passDay('good')).toMatchObject({ status: 'queued' });
  expect((await days.charged()).length).toBe(maxBackups);
});

test('backups by hand that fill the plan leave the last good scheduled one, and its schedule', async () => {
  const days = await startDays();
  await days.passDay('good');
  await addManual(days.tenant, days, maxBackups + 3);
  for (let day = 0; day < 5; day++) {
    const begun = await days.passDay('good');
    expect(begun).toMatchObject({ status: 'queued' });
    const scheduled = (await days.good()).filter(({ kind }) => kind === 'SCHEDULED');
    expect(scheduled.map(({ id }) => id)).toEqual([begun.id]);
  }
  await days.passDay('unrestorable');
  const left = (await days.good()).filter(({ kind }) => kind === 'SCHEDULED');
  expect(left).toHaveLength(2);
});

test.each<Outcome>(['good', 'unrestorable'])(
  'the last good backup stays, however old and %s it is and whatever the plan allows',
  async (outcome) => {
    const days = await startDays();
    const lastGood = await days.passDay(outcome);
    for (let day = 0; day < 20; day++) await days.passDay('damaged');
    await service.db.$client`update servers set retention = ${{ daily: 0, weekly: 0, monthly: 0 }}
      where id = ${days.server.serverId}`;
    // Not suspicious and restorable: only their health tells that they are not good.
    for (let day = 0; day < 10; day++) await days.passDay('damaged');
    const left = (await days.rows()).map(({ id }) => id);
    expect(left).toContain(lastGood.id);
    expect(left.length).toBeLessThan(10);
  },
);

test('the last good backup stays also where it becomes that at this moment, because its owner deletes a later one', async () => {
  const days = await startDays('PREMIUM');
  const [older, later] = [await days.passDay('unrestorable'), await days.passDay('good')];
  for (let day = 0; day < 4; day++) await days.passDay('damaged');
  const { $client } = service.db;
  const { serverId } = days.server;
  await $client`update backups set kind = 'MANUAL' where id = ${later.id}`;
  await $client`update servers set retention = ${{ daily: 0, weekly: 0, monthly: 0 }}
    where id = ${serverId}`;
  await whileItWaits(service.db, {
    lock: (sql) => sql`select 1 from servers where id = ${serverId} for no key update`,
    work: () => days.retain(),
    change: (sql) => sql`delete from backups where id = ${later.id}`,
  });
  expect((await days.good()).map(({ id }) => id)).toEqual([older.id]);
});

test('a full plan gets no second backup while the first is still under way', async () => {
  const days = await startDays();
  for (let day = 0; day < 6; day++) await days.passDay('good');
  await days.age();
  await days.tick();
  expect((await days.rows()).at(-1)).toMatchObject({ status: 'queued' });
  await days.age();
  await days.tick();
  expect((await days.rows()).at(-1)).toMatchObject({ status: 'failed' });
});
