import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { type Queue, startQueue } from '../queue.ts';

const job = { name: 'test.failing', payload: z.object({}) };
const canary = 'canary-of-the-hold';

let db: Database;
let queue: Queue;
beforeAll(async () => {
  const url = await freshDatabase();
  db = connectDatabase(url, { name: 'holdfast-test' });
  const log = createLog({ write: () => undefined });
  queue = await startQueue([job], { url, isWorker: true, log, metrics: createMetrics() });
});
afterAll(async () => {
  await queue.stop();
  await closeDatabase(db);
});

test('the queue stores no value of a failed statement with the failed run', async () => {
  const run = async () => {
    await db.execute(sql`select ${canary}::text::uuid`);
  };
  await queue.work([{ ...job, run }]);
  await db.transaction((tx) => queue.enqueue(tx, job, {}));
  const kept = await eventually(10_000, async () => {
    const [row] = await db.$client`
      select output::text from pgboss.job where name = ${job.name} and output is not null`;
    expect(row).toBeDefined();
    return String(row.output);
  });
  expect(kept).not.toContain(canary);
  expect(kept).toContain('Failed query');
});
