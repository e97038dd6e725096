import { afterEach, beforeEach, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { z } from 'zod';
import { expectBelow } from '../../../test/harness/bounds.ts';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import type { Job, LeasedJob } from '../job.ts';
import { type EnqueueOptions, type Queue, startQueue } from '../queue.ts';

const quick = { retryHeldSeconds: 1 };
const long = {
  name: 'test.long',
  payload: z.object({ id: z.string() }),
  groupOf: ({ id }: { id: string }) => /^\w+(?=-)/.exec(id)?.[0],
  concurrency: 16,
};
type Payload = z.output<typeof long.payload>;

let url: string;
let db: Database;
let sql: SQL;
let client: Queue;
let logLines: string[];
let toStop: Queue[];

beforeEach(async () => {
  url = await freshDatabase();
  db = connectDatabase(url, { name: 'holdfast-test' });
  sql = new SQL(url, { max: 1 });
  logLines = [];
  toStop = [];
  client = await start(false, {});
});

afterEach(async () => {
  await Promise.all(toStop.map((queue) => queue.stop()));
  await Promise.all([closeDatabase(db), sql.close()]);
});

const start = async (isWorker: boolean, leaseTimes: object): Promise<Queue> => {
  const log = createLog({ write: (line) => logLines.push(line) });
  const options = { url, isWorker, log, metrics: createMetrics(), leaseTimes };
  const queue = await startQueue([long], options);
  toStop.push(queue);
  return queue;
};

const startWorker = async (job: Job<Payload>): Promise<Queue> => {
  const worker = await start(true, quick);
  await worker.work([job]);
  return worker;
};

const longJob = (run: LeasedJob<Payload>['run']): LeasedJob<Payload> => ({
  ...long,
  subjectOf: ({ id }) => `long:${id}`,
  run,
});

const enqueue = (id: string, options?: EnqueueOptions) =>
  db.transaction((tx) => client.enqueue(tx, long, { id }, options));

const leases = () => sql`select subject, fence from job_leases`;
const openEntries = () =>
  sql`select id from pgboss.job where name = ${long.name} and state < 'completed'`;

test('of two entries of one job, in one worker or in two, one runs while the other waits', async () => {
  let atOnce = 0;
  let most = 0;
  let runs = 0;
  const job = longJob(async () => {
    most = Math.max(most, ++atOnce);
    await Bun.sleep(2500);
    atOnce--;
    runs++;
  });
  for (let copy = 0; copy < 4; copy++) await enqueue('one');
  await Promise.all([startWorker(job), startWorker(job)]);
  await eventually(25_000, async () => {
    expect(runs).toBeGreaterThanOrEqual(2);
    expect(await openEntries()).toHaveLength(0);
  });
  expect(most).toBe(1);
  expect(await leases()).toHaveLength(0);
  expect(logLines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test('a job is not lost when its own entry is delivered to another worker while the first is only slow', async () => {
  const begun: string[] = [];
  const { promise: fails, reject: fail } = Promise.withResolvers<void>();
  await enqueue('one');
  await startWorker(
    longJob(async () => {
      begun.push('slow');
      if (begun.length === 1) await fails;
    }),
  );
  await eventually(5000, () => expect(begun).toEqual(['slow']));
  await startWorker(longJob(async () => void begun.push('other')));
  // As the queue does with an entry whose heartbeat it missed.
  await sql`update pgboss.job set state = 'retry', start_after = now(), heartbeat_on = null
            where name = ${long.name} and state = 'active'`;
  const finished = () =>
    sql`select id from pgboss.job where name = ${long.name} and state = 'completed'`;
  await eventually(5000, async () => expect((await finished()).length).toBeGreaterThan(0));
  expect(begun).toEqual(['slow']);
  fail(new Error('the slow one fails after all'));
  await eventually(10_000, () => expect(begun).toHaveLength(2));
  await eventually(5000, async () => expect(await openEntries()).toHaveLength(0));
  expect(await leases()).toHaveLength(0);
});

test('a run that failed is tried again soon, under another fence', async () => {
  const fences: number[] = [];
  await startWorker(
    longJob(async (_payload, _signal, lease) => {
      fences.push(lease.fence);
      if (fences.length === 1) throw new Error('the first one fails');
    }),
  );
  await enqueue('one');
  await eventually(10_000, () => expect(fences).toHaveLength(2));
  // The row was deleted in between: a number that began anew would let the first pass for the second.
  expect(fences[1]).not.toBe(fences[0]);
  await eventually(5000, async () => expect(await leases()).toHaveLength(0));
});

test('the long job of a worker that stops continues on another at once', async () => {
  const begun: string[] = [];
  const untilAborted = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  await enqueue('account-one');
  const first = await startWorker(
    longJob(async (_, signal) => {
      begun.push('first');
      await untilAborted(signal);
    }),
  );
  await eventually(5000, () => expect(begun).toEqual(['first']));
  await startWorker(longJob(async () => void begun.push('second')));
  const stoppedAt = performance.now();
  await first.stop();
  await eventually(5000, () => expect(begun).toEqual(['first', 'second']));
  expectBelow(performance.now() - stoppedAt, 5000);
  await eventually(5000, async () => expect(await leases()).toHaveLength(0));
});

test('twenty jobs of one account do not delay those of another', async () => {
  const begun: string[] = [];
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  for (let job = 0; job < 20; job++) await enqueue(`greedy-${job}`);
  await startWorker(
    longJob(async ({ id }) => {
      begun.push(id);
      await done;
    }),
  );
  await eventually(5000, () => expect(begun.length).toBeGreaterThanOrEqual(2));
  await enqueue('modest-one');
  const enqueuedAt = performance.now();
  await eventually(5000, () => expect(begun).toContain('modest-one'));
  expectBelow(performance.now() - enqueuedAt, 3000);
  // Two takers who look at the same moment may both find the last place free.
  expect(begun.filter((id) => id.startsWith('greedy')).length).toBeLessThanOrEqual(3);
  finish();
});

test('a job can be queued for later', async () => {
  let begunAt = 0;
  await startWorker(
    longJob(async () => {
      begunAt = performance.now();
    }),
  );
  const enqueuedAt = performance.now();
  await enqueue('one', { startAfterSeconds: 2 });
  await eventually(8000, () => expect(begunAt).toBeGreaterThan(0));
  expect(begunAt - enqueuedAt).toBeGreaterThan(1900);
});
