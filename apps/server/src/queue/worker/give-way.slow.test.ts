import { afterEach, beforeEach, expect, test } from 'bun:test';
import { z } from 'zod';
import { expectBelow } from '../../../test/harness/bounds.ts';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import type { LeasedJob } from '../job.ts';
import { type Queue, startQueue } from '../queue.ts';

const long = {
  name: 'test.long',
  payload: z.object({ accountId: z.string(), n: z.number() }),
  groupOf: ({ accountId }: { accountId: string }) => accountId,
  concurrency: 8,
};
type Long = z.output<typeof long.payload>;

let db: Database;
let queue: Queue;
let isOver: boolean;
const begun: string[] = [];
beforeEach(async () => {
  isOver = false;
  begun.length = 0;
  const url = await freshDatabase();
  db = connectDatabase(url, { name: 'holdfast-test' });
  const log = createLog({ write: () => undefined });
  const leaseTimes = { givesWayAfterMs: 2000 };
  const options = { url, isWorker: true, log, metrics: createMetrics(), leaseTimes };
  queue = await startQueue([long], options);
});
afterEach(async () => {
  isOver = true;
  await queue.stop();
  await closeDatabase(db);
});

/** Runs until it is interrupted. */
const job = (givesWay: boolean): LeasedJob<Long> => ({
  ...long,
  subjectOf: ({ accountId, n }) => `${accountId}:${n}`,
  givesWay,
  async run({ accountId }, signal) {
    begun.push(accountId);
    while (!isOver && !signal.aborted) await Bun.sleep(20);
    signal.throwIfAborted();
  },
});

const enqueue = (accountId: string, count = 1) =>
  db.transaction(async (tx) => {
    for (let n = 0; n < count; n++) await queue.enqueue(tx, long, { accountId, n });
  });

/** Eight accounts have a runner each, and more work. */
const fillRunners = async (givesWay: boolean) => {
  await queue.work([job(givesWay)]);
  for (let account = 0; account < 8; account++) await enqueue(`busy-${account}`, 3);
  await eventually(10_000, () => expect(begun).toHaveLength(8));
};

test('long runs that hold all runners give way to another account, and continue after it', async () => {
  await fillRunners(true);
  await Bun.sleep(3000);
  // Those that wait are of accounts that have their share.
  expect(begun).toHaveLength(8);
  const askedAt = performance.now();
  await enqueue('another');
  await eventually(20_000, () => expect(begun).toContain('another'));
  expectBelow(performance.now() - askedAt, 5000);
  // The run that was interrupted waits for a runner as well, and one gives way to it in turn.
  await eventually(30_000, () => expect(begun.length).toBeGreaterThanOrEqual(10));
  const [row] = await db.$client`
    select max(retry_count) as retries from pgboss.job where name = ${long.name}`;
  expect(row.retries).toBe(0);
});

test('a run that would begin anew is not interrupted', async () => {
  await fillRunners(false);
  await enqueue('another');
  await Bun.sleep(5000);
  expect(begun).toHaveLength(8);
});

test('of short jobs, one of an account that has no runner is the next, however many others wait', async () => {
  const runs: string[] = [];
  const run = async ({ accountId }: Long) => {
    runs.push(accountId);
    await Bun.sleep(200);
  };
  await queue.work([{ ...long, run }]);
  for (let account = 0; account < 8; account++) await enqueue(`busy-${account}`, 100);
  await eventually(10_000, () => expect(runs.length).toBeGreaterThan(8));
  await enqueue('another');
  await eventually(20_000, () => expect(runs).toContain('another'));
  expect(runs.length).toBeLessThan(200);
});
