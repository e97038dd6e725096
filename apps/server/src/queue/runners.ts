import type { Job, PgBoss, WorkOptions } from 'pg-boss';

type Crew = {
  boss: PgBoss;
  queue: string;
  /** How many jobs are run at once. */
  count: number;
  options: Omit<WorkOptions, 'pollingIntervalSeconds' | 'localConcurrency' | 'batchSize'>;
  onError(error: unknown): void;
};

type Run = (taken: Job) => Promise<void>;
export type Runners = {
  /** There may be a job: one that is not busy looks. */
  wake(): void;
};
type Runner = { id: string | undefined; isBusy: boolean };

/** No runner asks by itself: `poll.ts` asks once for all queues, and wakes where there is a job. */
const neverSeconds = 24 * 60 * 60;

/**
 * Runs so many jobs of one kind at once. A runner that finds a job wakes another to see whether there
 * are more, and looks again itself when it is through: a backlog is worked off without a pause. Runners
 * are made when they are first needed: most queues never need more than one.
 */
export const beginRunners = (crew: Crew, run: Run): Runners => {
  const runners: Runner[] = [];

  const wake = () => {
    const idle = runners.find(({ id, isBusy }) => id !== undefined && !isBusy);
    if (idle?.id) return crew.boss.notifyWorker(idle.id);
    // One whose start is under way looks anyway.
    if (runners.some(({ id }) => id === undefined)) return;
    if (runners.length < crew.count) begin().catch(crew.onError);
  };

  const begin = async () => {
    const runner: Runner = { id: undefined, isBusy: false };
    runners.push(runner);
    try {
      runner.id = await beginRunner(crew, async (taken) => {
        runner.isBusy = true;
        wake();
        try {
          await run(taken);
        } finally {
          runner.isBusy = false;
          if (runner.id) crew.boss.notifyWorker(runner.id);
        }
      });
    } catch (error) {
      runners.splice(runners.indexOf(runner), 1);
      throw error;
    }
  };

  return { wake };
};

/** Looks for a job at once, and from then on whenever it is notified. */
const beginRunner = ({ boss, queue, options }: Crew, run: Run): Promise<string> =>
  boss.work<object>(
    queue,
    { ...options, batchSize: 1, pollingIntervalSeconds: neverSeconds },
    async ([taken]) => {
      if (taken) await run(taken);
    },
  );
