import { afterEach, beforeEach, expect, test } from 'bun:test';
import { z } from 'zod';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { type Queue, startQueue } from '../queue.ts';

const name = { name: 'test.many', payload: z.object({}) };
const owned = {
  name: 'test.owned',
  payload: z.object({ accountId: z.string() }),
  groupOf: ({ accountId }: { accountId: string }) => accountId,
  concurrency: 16,
};

let db: Database;
let worker: Queue;
let begun: number;
let isOver: boolean;

beforeEach(async () => {
  const url = await freshDatabase();
  db = connectDatabase(url, { name: 'holdfast-test' });
  begun = 0;
  isOver = false;
  const log = createLog({ write: () => undefined });
  worker = await startQueue([name, owned], { url, isWorker: true, log, metrics: createMetrics() });
});

afterEach(async () => {
  isOver = true;
  await worker.stop();
  await closeDatabase(db);
});

const enqueue = (count: number) =>
  db.transaction(async (tx) => {
    for (let sent = 0; sent < count; sent++) await worker.enqueue(tx, name, {});
  });

const work = (concurrency: number, run: () => Promise<void>) =>
  worker.work([{ ...name, concurrency, run }]);

test('a worker starts as many jobs at once as it may run', async () => {
  await work(40, async () => {
    begun++;
    while (!isOver) await Bun.sleep(50);
  });
  await Bun.sleep(1000);
  await enqueue(60);
  await eventually(10_000, () => expect(begun).toBe(40));
  await Bun.sleep(1500);
  expect(begun).toBe(40);
});

test('an account has an eighth of the runners at most, whatever it has queued', async () => {
  const started: string[] = [];
  const run = async ({ accountId }: { accountId: string }) => {
    started.push(accountId);
    while (!isOver) await Bun.sleep(50);
  };
  await worker.work([{ ...owned, run }]);
  const enqueueFor = (accountId: string, count: number) =>
    db.transaction(async (tx) => {
      for (let sent = 0; sent < count; sent++) await worker.enqueue(tx, owned, { accountId });
    });
  await enqueueFor('busy', 40);
  await eventually(30_000, () => expect(started).toContain('busy'));
  await enqueueFor('other', 1);
  await eventually(30_000, () => expect(started.toSorted()).toEqual(['busy', 'busy', 'other']));
});

test('a worker that runs one job at a time processes a hundred without pauses', async () => {
  await work(1, async () => {
    begun++;
  });
  await enqueue(100);
  // Had it looked only twice a second, that would take 50 seconds.
  await eventually(20_000, () => expect(begun).toBe(100), 1);
});
