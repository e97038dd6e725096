import type { Database } from '../../db/connect.ts';
import type { Log } from '../../kernel/log.ts';
import type { Job } from '../job.ts';
import { putFirst } from '../queries.ts';
import { runnersOf } from './share.ts';

type UnderWay = { sinceMs: number; interrupt: (() => void) | undefined };

/** The runs of this worker, by queue. */
export type RunsUnderWay = {
  /** Call the result when the run has ended. */
  add(queue: string, interrupt?: () => void): () => void;
  of(queue: string): readonly UnderWay[];
};

export const createRunsUnderWay = (): RunsUnderWay => {
  const byQueue = new Map<string, Set<UnderWay>>();
  return {
    add(queue, interrupt) {
      const run = { sinceMs: performance.now(), interrupt };
      const runs = byQueue.get(queue) ?? new Set();
      byQueue.set(queue, runs.add(run));
      return () => void runs.delete(run);
    },
    of: (queue) => [...(byQueue.get(queue) ?? [])],
  };
};

type Options = {
  db: Database;
  log: Log;
  runs: RunsUnderWay;
  /** How long a run goes on while others wait for its runner. */
  afterMs: number;
};

const lookEveryMs = 500;

/**
 * Where all runners of a queue are busy, the oldest job of each group that has none of them goes before all
 * other jobs, however many those groups have queued that fill it. Where runs take minutes the longest are
 * interrupted for it; they continue when it is their turn again.
 */
export const startGivingWay = ({ db, log, runs, afterMs }: Options, jobs: readonly Job[]) => {
  const look = async (job: Job) => {
    const underWay = runs.of(job.name);
    if (underWay.length < runnersOf(job)) return;
    const before = performance.now() - afterMs;
    // In the order in which they began.
    const long = underWay.filter(({ sinceMs }) => sinceMs <= before);
    const most = job.givesWay ? long.length : underWay.length;
    const first = most === 0 ? 0 : await putFirst(db, job.name, most);
    if (job.givesWay) for (const { interrupt } of long.slice(0, first)) interrupt?.();
  };
  const grouped = jobs.filter(({ groupOf }) => groupOf !== undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const lookAtAll = async () => {
    for (const job of grouped) {
      await look(job).catch((err) => log.warn({ err, job: job.name }, 'a turn could not be given'));
    }
    if (timer !== undefined) timer = setTimeout(lookAtAll, lookEveryMs);
  };
  timer = setTimeout(lookAtAll, lookEveryMs);
  return {
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
};
