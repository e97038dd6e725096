import { join } from 'node:path';
import { SQL } from 'bun';
import { connectDatabase } from '../../../src/db/connect.ts';
import { createLog } from '../../../src/kernel/log.ts';
import { createMetrics } from '../../../src/kernel/metrics.ts';
import { startQueue } from '../../../src/queue/queue.ts';
import { freshDatabase } from '../database.ts';
import { stepsJob } from './lease-worker.ts';

type LeaseWorker = {
  /** What it said so far, a line each. */
  said(): Record<string, unknown>[];
  log(): string;
  kill(signal: NodeJS.Signals): void;
};

type Step = { step: number; fence: number; worker: string };

/** A database with a journal, and workers of their own on it, which all end with the test. */
export const createLeaseFixture = async (leaseTimes: object = {}) => {
  const url = await freshDatabase();
  const sql = new SQL(url, { max: 2 });
  await sql`create table journal (id text, step int, fence int, worker text)`;
  const db = connectDatabase(url, { name: 'holdfast-test' });
  const tools = { url, isWorker: false, log: createLog({ write: () => undefined }) };
  const queue = await startQueue([stepsJob], { ...tools, metrics: createMetrics() });
  const children: ReturnType<typeof spawnWorker>[] = [];

  return {
    sql,
    enqueue: (id: string, steps: number, more: { isStubborn?: boolean; openMs?: number } = {}) =>
      db.transaction((tx) =>
        queue.enqueue(tx, stepsJob, stepsJob.payload.parse({ id, steps, ...more })),
      ),
    async steps(id: string): Promise<Step[]> {
      return await sql`select step, fence, worker from journal where id = ${id} order by step`;
    },
    async leases(): Promise<{ subject: string; workerId: string | null; fence: string }[]> {
      return await sql`select subject, worker_id as "workerId", fence from job_leases`;
    },
    startWorker(workerId: string): LeaseWorker {
      const child = spawnWorker(url, workerId, leaseTimes);
      children.push(child);
      return child;
    },
    async close() {
      for (const child of children) child.kill('SIGKILL');
      await queue.stop();
      await Promise.all([sql.close(), db.$client.close()]);
    },
  };
};

const spawnWorker = (url: string, workerId: string, leaseTimes: object): LeaseWorker => {
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', join(import.meta.dir, 'lease-worker.ts')],
    {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: url,
        WORKER_ID: workerId,
        LEASE_TIMES: JSON.stringify(leaseTimes),
      },
      stdout: 'pipe',
      stderr: 'pipe',
    },
  );
  const written = { stdout: '', stderr: '' };
  const collect = async (name: keyof typeof written) => {
    for await (const chunk of child[name]) written[name] += new TextDecoder().decode(chunk);
  };
  collect('stdout');
  collect('stderr');
  return {
    said: () =>
      written.stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    log: () => written.stderr,
    kill: (signal) => child.kill(signal),
  };
};
