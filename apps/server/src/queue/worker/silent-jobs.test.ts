import { afterEach, beforeEach, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { z } from 'zod';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { type Queue, startQueue } from '../queue.ts';

const job = { name: 'test.short', payload: z.object({}) };

let sql: SQL;
let worker: Queue;
let runs: number;

beforeEach(async () => {
  const url = await freshDatabase();
  sql = new SQL(url, { max: 1 });
  const log = createLog({ write: () => undefined });
  const tools = { url, log, metrics: createMetrics(), pollTimes: { silentMs: 200 } };
  worker = await startQueue([job], { ...tools, isWorker: true });
  runs = 0;
});

afterEach(async () => {
  await worker.stop();
  await sql.close();
});

const work = () =>
  worker.work([
    {
      ...job,
      async run() {
        runs++;
      },
    },
  ]);

/** As a worker leaves it that began it and sent its last heartbeat so long ago. */
const insertBegun = (secondsAgo: number) => sql`
  insert into pgboss.job (name, data, state, started_on, heartbeat_on, heartbeat_seconds, retry_limit)
  values (${job.name}, '{}', 'active', now() - interval '1 minute',
    now() - ${secondsAgo}::int * interval '1 second', 20, 3)`;

test('a short job whose worker died is run by another soon after its last heartbeat', async () => {
  await insertBegun(25);
  await work();
  await eventually(15_000, () => expect(runs).toBe(1));
});

test('a short job whose worker still sends heartbeats is left to it', async () => {
  await insertBegun(5);
  await insertBegun(25);
  await work();
  await eventually(15_000, async () => {
    const [row] = await sql`
      select count(*) filter (where state = 'active')::int as begun,
        count(*) filter (where state = 'completed')::int as completed
      from pgboss.job where name = ${job.name}`;
    expect({ ...row }).toEqual({ begun: 1, completed: 1 });
  });
  expect(runs).toBe(1);
});
