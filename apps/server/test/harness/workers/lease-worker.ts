import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { connectDatabase, type Database } from '../../../src/db/connect.ts';
import { mayStillAct } from '../../../src/kernel/deadline.ts';
import { createLog } from '../../../src/kernel/log.ts';
import { createMetrics } from '../../../src/kernel/metrics.ts';
import type { LeasedJob } from '../../../src/queue/job.ts';
import type { Lease } from '../../../src/queue/lease/lease.ts';
import { startQueue } from '../../../src/queue/queue.ts';

/** A worker as a process of its own, to be killed and stopped. It does one kind of long job. */
export const stepsJob = {
  name: 'test.steps',
  payload: z.object({
    id: z.string(),
    steps: z.number(),
    /** Goes on although it is asked to stop, to show what then keeps it from doing harm. */
    isStubborn: z.boolean().default(false),
    /** How long each transaction stays open after the lease was asked for. */
    openMs: z.number().default(0),
  }),
  groupOf: () => 'account',
  concurrency: 16,
};

type Steps = z.output<typeof stepsJob.payload>;

const say = (words: object) => process.stdout.write(`${JSON.stringify(words)}\n`);

const createStepsJob = (db: Database, workerId: string): LeasedJob<Steps> => ({
  ...stepsJob,
  subjectOf: ({ id }) => `steps:${id}`,
  async run(payload, signal, lease) {
    const [done] = await db.execute(
      sql`select count(*)::int as steps from journal where id = ${payload.id}`,
    );
    for (let step = Number(done?.steps); step < payload.steps; step++) {
      if (!payload.isStubborn) signal.throwIfAborted();
      // Asked first: nothing but the clock can know so soon after a wake-up.
      const before = { mayAct: mayStillAct(signal), isHeld: lease.isHeld() };
      const failure = await writeStep(db, workerId, { payload, step, lease });
      say({ workerId, step, ...before, isAborted: signal.aborted, failure });
      await Bun.sleep(200);
    }
  },
});

const writeStep = (
  db: Database,
  workerId: string,
  { payload, step, lease }: { payload: Steps; step: number; lease: Lease },
): Promise<string | null> =>
  lease
    .transaction(db, async (tx) => {
      if (payload.openMs > 0) say({ workerId, step, isOpen: true });
      await Bun.sleep(payload.openMs);
      await tx.execute(
        sql`insert into journal (id, step, fence, worker)
            values (${payload.id}, ${step}, ${lease.fence}, ${workerId})`,
      );
      return null;
    })
    .catch((error) => (error instanceof Error ? error.name : String(error)));

if (import.meta.main) {
  const { DATABASE_URL: url = '', WORKER_ID: workerId = '', LEASE_TIMES = '{}' } = process.env;
  const db = connectDatabase(url, { name: 'holdfast-test-worker' });
  const log = createLog({ write: (line) => process.stderr.write(line) });
  const tools = { url, isWorker: true, log, metrics: createMetrics(), workerId };
  const queue = await startQueue([stepsJob], { ...tools, leaseTimes: JSON.parse(LEASE_TIMES) });
  await queue.work([createStepsJob(db, workerId)]);
  say({ workerId, isReady: true });
}
