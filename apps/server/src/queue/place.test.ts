import { afterEach, beforeEach, expect, test } from 'bun:test';
import { z } from 'zod';
import { freshDatabase } from '../../test/database.ts';
import { eventually } from '../../test/eventually.ts';
import { closeDatabase, connectDatabase, type Database } from '../db/connect.ts';
import { newId } from '../kernel/ids.ts';
import { createLog } from '../kernel/log.ts';
import { createMetrics } from '../kernel/metrics.ts';
import type { LeasedJob } from './job.ts';
import { takeLease } from './queries.ts';
import { type Queue, startQueue } from './queue.ts';

const visit = { name: 'test.visit', payload: z.object({ id: z.string(), place: z.string() }) };
type Payload = z.output<typeof visit.payload>;

let url: string;
let db: Database;
let client: Queue;
let toStop: Queue[];
/** Who is where at this moment, and every pair that ever was at one place together. */
let present: { worker: string; place: string }[];
let encounters: string[];
let visits: { worker: string; place: string }[];

beforeEach(async () => {
  url = await freshDatabase();
  db = connectDatabase(url, { name: 'holdfast-test' });
  [toStop, present, encounters, visits] = [[], [], [], []];
  client = await start(false);
});
afterEach(async () => {
  await Promise.all(toStop.map((queue) => queue.stop()));
  await closeDatabase(db);
}, 30_000);

const start = async (isWorker: boolean): Promise<Queue> => {
  const log = createLog({ write: () => undefined });
  const leaseTimes = { secondCopySeconds: 1 };
  const tools = { url, isWorker, log, metrics: createMetrics(), leaseTimes };
  const queue = await startQueue([visit], tools);
  toStop.push(queue);
  return queue;
};

const visitAs = (worker: string): LeasedJob<Payload> => ({
  ...visit,
  concurrency: 8,
  subjectOf: ({ id }) => `visit:${id}`,
  placeOf: ({ place }) => place,
  async run({ place }) {
    const here = { worker, place };
    const others = present.filter((other) => other.place === place && other.worker !== worker);
    encounters.push(...others.map((other) => `${worker} met ${other.worker} at ${place}`));
    present.push(here);
    await Bun.sleep(700);
    present.splice(present.indexOf(here), 1);
    visits.push(here);
  },
});

const enqueue = (place: string) =>
  db.transaction((tx) => client.enqueue(tx, visit, { id: newId(), place }));

test('all jobs of one place are in the hands of one worker at a time, and none gets lost', async () => {
  const workers = await Promise.all([start(true), start(true)]);
  await Promise.all(workers.map((worker, index) => worker.work([visitAs(`worker ${index}`)])));
  const places = ['one', 'two', 'three'];
  for (let round = 0; round < 6; round++) {
    await Promise.all(places.map(enqueue));
    await Bun.sleep(200);
  }
  await eventually(40_000, () => expect(visits).toHaveLength(18));
  expect(encounters).toEqual([]);
  expect(new Set(visits.map(({ worker }) => worker)).size).toBe(2);
}, 60_000);

test('a place is free again when its worker is silent, and for its own worker it always is', async () => {
  const take = (workerId: string, leaseMs: number) => {
    const entry = { queue: visit.name, payload: {}, groupId: null, jobId: newId() };
    const holder = { ...entry, subject: newId(), workerId, place: 'one' };
    return db.transaction((tx) => takeLease(tx, holder, leaseMs));
  };
  expect(await take('first', 1500)).toBeNumber();
  expect(await take('second', 1500)).toBeUndefined();
  expect(await take('first', 500)).toBeNumber();
  await Bun.sleep(1600);
  expect(await take('second', 1500)).toBeNumber();
  expect(await take('first', 1500)).toBeUndefined();
});

test('of two workers who come to a place at once only one gets in', async () => {
  for (let round = 0; round < 20; round++) {
    const taken = await Promise.all(
      ['first', 'second'].map((workerId) => {
        const entry = { queue: visit.name, payload: {}, groupId: null, jobId: newId() };
        const holder = { ...entry, subject: newId(), workerId, place: `place ${round}` };
        return db.transaction((tx) => takeLease(tx, holder, 5000));
      }),
    );
    expect(taken.filter((fence) => fence !== undefined)).toHaveLength(1);
  }
});
