import { afterEach, expect, test } from 'bun:test';
import { z } from 'zod';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { type Queue, startQueue } from '../queue.ts';

const old = {
  name: 'test.old',
  payload: z.object({ id: z.string() }),
  groupOf: () => undefined,
};
const changed = { ...old, payload: z.object({ id: z.string(), note: z.string().optional() }) };
const added = { name: 'test.added', payload: z.object({}) };

let queues: Queue[] = [];
let db: Database;
afterEach(async () => {
  await Promise.all(queues.map((queue) => queue.stop()));
  queues = [];
  await closeDatabase(db);
});

test('a worker leaves jobs that only the next release knows to its workers, and reads past fields that only it writes', async () => {
  const url = await freshDatabase();
  db = connectDatabase(url, { name: 'holdfast-test', poolSize: 2 });
  const lines: string[] = [];
  const tools = { url, log: createLog({ write: (line) => lines.push(line) }) };
  const start = async (jobs: (typeof old | typeof added)[], isWorker: boolean) => {
    const queue = await startQueue(jobs, { ...tools, isWorker, metrics: createMetrics() });
    queues.push(queue);
    return queue;
  };
  const ran: unknown[] = [];
  const run = async (payload: object) => {
    ran.push(payload);
  };
  const oldWorker = await start([old], true);
  await oldWorker.work([{ ...old, run }]);
  const next = await start([changed, added], false);
  await db.transaction(async (tx) => {
    await next.enqueue(tx, added, {});
    await next.enqueue(tx, changed, { id: '1', note: 'new' });
  });
  await eventually(10_000, () => expect(ran).toEqual([{ id: '1' }]));
  const rows =
    await db.$client`select state, retry_count from pgboss.job where name = 'test.added'`;
  expect([...rows]).toEqual([{ state: 'created', retry_count: 0 }]);

  const nextWorker = await start([changed, added], true);
  await nextWorker.work([
    { ...changed, run },
    { ...added, run },
  ]);
  await eventually(10_000, () => expect(ran).toEqual([{ id: '1' }, {}]));
  expect(lines.filter((line) => !line.includes('"level":"info"'))).toEqual([]);
});
