// Runs alone: it is about time, memory or the machine.
import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { z } from 'zod';
import { freshDatabase } from '../../../test/harness/database.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { startQueue } from '../queue.ts';

const name = { name: 'test.many', payload: z.object({}) };

const countTransactions = async (sql: SQL): Promise<number> => {
  const [row] = await sql`
    select (xact_commit + xact_rollback)::float8 as seen
    from pg_stat_database where datname = current_database()`;
  return row.seen;
};

test('a worker that could run a hundred jobs hardly uses the database while there are none', async () => {
  const url = await freshDatabase();
  const sql = new SQL(url, { max: 1 });
  const log = createLog({ write: () => undefined });
  const worker = await startQueue([name], { url, isWorker: true, log, metrics: createMetrics() });
  await worker.work([{ ...name, concurrency: 100, run: async () => undefined }]);
  await Bun.sleep(3000);
  const before = await countTransactions(sql);
  await Bun.sleep(5000);
  const perSecond = ((await countTransactions(sql)) - before) / 5;
  expect(perSecond).toBeGreaterThan(0);
  expect(perSecond).toBeLessThan(5);
  await worker.stop();
  await sql.close();
});
