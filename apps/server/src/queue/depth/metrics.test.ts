import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { freshDatabase } from '../../../test/harness/database.ts';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { type Queue, startQueue } from '../queue.ts';
import { observeQueue } from './metrics.ts';

const job = {
  name: 'sample.work',
  payload: z.object({ n: z.number() }),
  groupOf: () => undefined,
};
const log = createLog({ write: () => undefined });

let url: string;
let db: Database;
let queue: Queue;

beforeAll(async () => {
  url = await freshDatabase();
  db = connectDatabase(url, { name: 'holdfast-test', poolSize: 2 });
  queue = await startQueue([job], { url, isWorker: false, log, metrics: createMetrics() });
});

afterAll(async () => {
  await queue.stop();
  await closeDatabase(db);
});

const readSeries = async (from: Database = db): Promise<Record<string, number>> => {
  const registry = new Registry();
  observeQueue(registry, from, [job.name]);
  const lines = (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#'));
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [series = '', value] = line.split(' ');
      return series === '' ? [] : [[series.replace('holdfast_queue_', ''), Number(value)]];
    }),
  );
};

test('the metrics of a queue count what is due, what runs and what was given up', async () => {
  expect(await readSeries()).toMatchObject({
    'jobs{queue="sample.work",state="ready"}': 0,
    'oldest_seconds{queue="sample.work"}': 0,
    'leases{state="held"}': 0,
  });
  await db.transaction(async (tx) => {
    await queue.enqueue(tx, job, { n: 1 });
    await queue.enqueue(tx, job, { n: 2 });
    await queue.enqueue(tx, job, { n: 3 }, { startAfterSeconds: 600 });
  });
  await db.execute(sql`
    update pgboss.job set start_after = now() - interval '90 seconds' where data ->> 'n' = '1'`);
  await db.execute(sql`
    update pgboss.queue set active_count = 4, failed_count = 5 where name = ${job.name}`);
  await db.execute(sql`update pgboss.version set cron_on = now() - interval '40 seconds'`);
  const until = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`;
  for (const [subject, worker, seconds] of [
    ['a', 'one', 20],
    ['b', 'one', -20],
    ['c', null, 20],
  ] as const) {
    await db.execute(sql`
      insert into job_leases (subject, queue, payload, job_id, worker_id, fence, until)
      values (${subject}, ${job.name}, '{}', gen_random_uuid(), ${worker}, 1, ${until(seconds)})`);
  }
  const series = await readSeries();
  expect(series).toMatchObject({
    'jobs{queue="sample.work",state="ready"}': 2,
    'jobs{queue="sample.work",state="active"}': 4,
    'jobs{queue="sample.work",state="failed"}': 5,
    'leases{state="held"}': 1,
    'leases{state="expired"}': 1,
    'leases{state="waiting"}': 1,
  });
  expect(series['oldest_seconds{queue="sample.work"}']).toBeGreaterThanOrEqual(90);
  expect(series.schedule_age_seconds).toBeGreaterThanOrEqual(40);
});

test('the other metrics are shown while the database gives no answer', async () => {
  const gone = connectDatabase('postgres://nobody@127.0.0.1:1/none', { name: 'none', poolSize: 1 });
  expect(await readSeries(gone)).toEqual({});
  await closeDatabase(gone);
});
