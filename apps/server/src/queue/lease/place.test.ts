import { afterEach, beforeEach, expect, test } from 'bun:test';
import { z } from 'zod';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { newId } from '../../kernel/ids.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import type { LeasedJob } from '../job.ts';
import { acquireLease } from '../queries.ts';
import { type Queue, startQueue } from '../queue.ts';

const visit = {
  name: 'test.visit',
  payload: z.object({ id: z.string(), place: z.string() }),
  groupOf: ({ place }: { place: string }) => place,
};
type Payload = z.output<typeof visit.payload>;

let url: string;
let db: Database;
let client: Queue;
let toStop: Queue[];
/** Who went where, in the order in which they came. */
let visits: { worker: string; place: string }[];
let release: () => void;
let released: Promise<void>;

beforeEach(async () => {
  url = await freshDatabase();
  db = connectDatabase(url, { name: 'holdfast-test' });
  [toStop, visits] = [[], []];
  ({ promise: released, resolve: release } = Promise.withResolvers<void>());
  client = await start(false);
});
afterEach(async () => {
  await Promise.all(toStop.map((queue) => queue.stop()));
  await closeDatabase(db);
});

const start = async (isWorker: boolean): Promise<Queue> => {
  const log = createLog({ write: () => undefined });
  const leaseTimes = { retryHeldSeconds: 1 };
  const options = { url, isWorker, log, metrics: createMetrics(), leaseTimes };
  const queue = await startQueue([visit], options);
  toStop.push(queue);
  return queue;
};

const visitAs = (worker: string): LeasedJob<Payload> => ({
  ...visit,
  concurrency: 64,
  subjectOf: ({ id }) => `visit:${id}`,
  placeOf: ({ place }) => place,
  async run({ place }, signal) {
    visits.push({ worker, place });
    const { promise: interrupted, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve());
    await Promise.race([released, interrupted]);
  },
});

const enqueue = (place: string) =>
  db.transaction((tx) => client.enqueue(tx, visit, { id: newId(), place }));

test('all jobs of one place run on the worker that is there, and none gets lost', async () => {
  const [first, second] = [await start(true), await start(true)];
  await first.work([visitAs('first')]);
  await enqueue('harbour');
  await eventually(10_000, () => expect(visits).toHaveLength(1));
  await second.work([visitAs('second')]);
  for (let left = 5; left > 0; left--) await enqueue('harbour');
  // Those that the second worker finds come back to the queue until the first takes them.
  await eventually(60_000, () => expect(visits).toHaveLength(6));
  expect(new Set(visits.map(({ worker }) => worker))).toEqual(new Set(['first']));
  release();
}, 240_000);

const entries = async (): Promise<string[]> => {
  const rows = await db.$client`
    select state, group_id from pgboss.job where name = ${visit.name} order by created_on`;
  return rows.map(({ state, group_id }: Record<string, string>) => `${state} of ${group_id}`);
};

test('a job that comes back to the queue stays in its group', async () => {
  const first = await start(true);
  await first.work([visitAs('first')]);
  await enqueue('harbour');
  await eventually(10_000, () => expect(visits).toHaveLength(1));
  await first.stop();
  expect(await entries()).toEqual(['cancelled of harbour', 'created of harbour']);

  const holder = { queue: visit.name, payload: {}, groupId: null, jobId: newId() };
  const elsewhere = { ...holder, subject: newId(), workerId: 'elsewhere', place: 'island' };
  await db.transaction((tx) => acquireLease(tx, elsewhere, 60_000));
  const second = await start(true);
  await second.work([visitAs('second')]);
  await enqueue('island');
  await eventually(10_000, async () => {
    const later = (await entries()).slice(2);
    expect(later.length).toBeGreaterThan(1);
    expect(later.filter((entry) => !entry.endsWith(' of island'))).toEqual([]);
  });
});

test('a place is free for its own worker, and for others once that one’s lease expires', async () => {
  const take = (workerId: string, leaseMs: number, place = 'one') => {
    const entry = { queue: visit.name, payload: {}, groupId: null, jobId: newId() };
    const holder = { ...entry, subject: newId(), workerId, place };
    return db.transaction((tx) => acquireLease(tx, holder, leaseMs));
  };
  expect(await take('first', 1500)).toBeNumber();
  expect(await take('second', 1500)).toBeUndefined();
  expect(await take('second', 1500, 'two')).toBeNumber();
  expect(await take('first', 500)).toBeNumber();
  await Bun.sleep(1600);
  expect(await take('second', 1500)).toBeNumber();
  expect(await take('first', 1500)).toBeUndefined();
});

test('of two workers that start at one place at once only one gets it', async () => {
  for (let round = 0; round < 20; round++) {
    const taken = await Promise.all(
      ['first', 'second'].map((workerId) => {
        const entry = { queue: visit.name, payload: {}, groupId: null, jobId: newId() };
        const holder = { ...entry, subject: newId(), workerId, place: `place ${round}` };
        return db.transaction((tx) => acquireLease(tx, holder, 5000));
      }),
    );
    expect(taken.filter((fence) => fence !== undefined)).toHaveLength(1);
  }
});
