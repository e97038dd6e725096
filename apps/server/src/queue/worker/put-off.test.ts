import { afterEach, beforeEach, expect, test } from 'bun:test';
import { z } from 'zod';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { longestWaitMs } from '../../kernel/patience.ts';
import { PlatformFailure } from '../../platform/failures.ts';
import { type Queue, startQueue } from '../queue.ts';

const errand = {
  name: 'test.errand',
  payload: z.object({ accountId: z.string(), n: z.number() }),
  groupOf: ({ accountId }: { accountId: string }) => accountId,
  concurrency: 8,
};
const long = { ...errand, name: 'test.long' };
const brief = { ...errand, name: 'test.brief' };
type Errand = z.output<typeof errand.payload>;

let db: Database;
let queue: Queue;
let logLines: string[];
beforeEach(async () => {
  const url = await freshDatabase();
  db = connectDatabase(url, { name: 'holdfast-test' });
  logLines = [];
  const log = createLog({ write: (line) => logLines.push(line) });
  const jobs = [errand, long, brief];
  queue = await startQueue(jobs, { url, isWorker: true, log, metrics: createMetrics() });
});
afterEach(async () => {
  await queue.stop();
  await closeDatabase(db);
});

const enqueue = (accountId: string, n = 1) =>
  db.transaction((tx) => queue.enqueue(tx, errand, { accountId, n }));

const rows = () => db.$client`
  select state, retry_count, group_id, extract(epoch from start_after - created_on)::float8 as after_s
  from pgboss.job where name = ${errand.name} order by created_on`;

const early = (retryAfterMs: number) => new PlatformFailure('rateLimited', { retryAfterMs });

test('a job that is too early goes back to the queue until then, and that counts as no attempt', async () => {
  const ranAt: number[] = [];
  const run = async () => {
    ranAt.push(performance.now());
    if (ranAt.length <= 2) throw early(1500);
  };
  await queue.work([{ ...errand, run }]);
  await enqueue('one');
  await eventually(20_000, async () => {
    expect(ranAt).toHaveLength(3);
    expect([...(await rows())]).toMatchObject([
      { state: 'completed', retry_count: 0, group_id: 'one' },
    ]);
  });
  expect(Number(ranAt[1]) - Number(ranAt[0])).toBeGreaterThan(1400);
  expect(logLines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test('a wait of hours is not waited for by a runner, and one that is absurd is cut', async () => {
  const run = async ({ n: hours }: Errand) => {
    throw early(hours * 3_600_000);
  };
  await queue.work([{ ...errand, run }]);
  await enqueue('one', 2);
  await enqueue('one', 1_000_000);
  await eventually(20_000, async () => {
    const [two, absurd] = await rows();
    expect([two, absurd]).toMatchObject([
      { state: 'created', retry_count: 0 },
      { state: 'created', retry_count: 0 },
    ]);
    expect(two.after_s).toBeWithin(7199, 7300);
    expect(absurd.after_s).toBeWithin(21_599, 21_700);
  });
});

test('jobs of many that wait for their turn leave the runners to another', async () => {
  const ran: string[] = [];
  const run = async ({ accountId }: Errand) => {
    ran.push(accountId);
    if (accountId !== 'other') throw early(60_000);
  };
  await queue.work([{ ...errand, run }]);
  await db.transaction(async (tx) => {
    for (let n = 0; n < 64; n++) {
      await queue.enqueue(tx, errand, { accountId: `busy-${n % 8}`, n });
    }
  });
  await enqueue('other');
  await eventually(20_000, () => expect(ran).toContain('other'));
});

test('another failure is tried again as ever', async () => {
  let runs = 0;
  const run = async () => {
    runs++;
    if (runs === 1) throw new PlatformFailure('unreachable');
  };
  await queue.work([{ ...errand, run }]);
  await enqueue('one');
  await eventually(20_000, async () =>
    expect([...(await rows())]).toMatchObject([{ state: 'completed', retry_count: 1 }]),
  );
});

test('a short job waits for a second at most, a long one as long as it takes, unless it says otherwise', async () => {
  const waits: number[] = [];
  const run = async () => {
    waits.push(longestWaitMs());
  };
  const subjectOf = ({ n }: Errand) => `errand:${n}`;
  await queue.work([
    { ...errand, run },
    { ...long, subjectOf, run },
    { ...brief, subjectOf, patienceMs: 500, run },
  ]);
  await db.transaction(async (tx) => {
    for (const kind of [errand, long, brief])
      await queue.enqueue(tx, kind, { accountId: 'one', n: 1 });
  });
  await eventually(20_000, () => expect(waits).toHaveLength(3));
  expect(waits.toSorted((one, other) => one - other)).toEqual([
    500,
    1000,
    Number.POSITIVE_INFINITY,
  ]);
});
