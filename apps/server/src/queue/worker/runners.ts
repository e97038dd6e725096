import type { Job, PgBoss, WorkOptions } from 'pg-boss';

type RunnersOptions = {
  boss: PgBoss;
  queue: string;
  /** How many jobs are run at once. */
  count: number;
  workOptions: Omit<WorkOptions, 'pollingIntervalSeconds' | 'localConcurrency' | 'batchSize'>;
  onError(error: unknown): void;
};

type Run = (job: Job) => Promise<void>;
export type Runners = {
  /** There may be a job: an idle runner fetches it. */
  wake(): void;
};
type Runner = { id: string | undefined; isBusy: boolean };

/** No runner polls by itself: `poll.ts` polls for all queues and wakes the runners of those with a job. */
const neverSeconds = 24 * 60 * 60;

/**
 * Runs up to `count` jobs of one queue at once. A runner that gets a job wakes another one to look for
 * more, and looks again itself when it has finished: a backlog is processed without a pause. Runners are
 * started when they are first needed: most queues never need more than one.
 */
export const startRunners = (options: RunnersOptions, run: Run): Runners => {
  const runners: Runner[] = [];

  const wake = () => {
    const idle = runners.find(({ id, isBusy }) => id !== undefined && !isBusy);
    if (idle?.id) return options.boss.notifyWorker(idle.id);
    // A runner that is starting looks for a job anyway.
    if (runners.some(({ id }) => id === undefined)) return;
    if (runners.length < options.count) start().catch(options.onError);
  };

  const start = async () => {
    const runner: Runner = { id: undefined, isBusy: false };
    runners.push(runner);
    try {
      runner.id = await startRunner(options, async (job) => {
        runner.isBusy = true;
        wake();
        try {
          await run(job);
        } finally {
          runner.isBusy = false;
          if (runner.id) options.boss.notifyWorker(runner.id);
        }
      });
    } catch (error) {
      runners.splice(runners.indexOf(runner), 1);
      throw error;
    }
  };

  return { wake };
};

/** Looks for a job at once, and then whenever it is notified. */
const startRunner = ({ boss, queue, workOptions }: RunnersOptions, run: Run): Promise<string> =>
  boss.work<object>(
    queue,
    { ...workOptions, batchSize: 1, pollingIntervalSeconds: neverSeconds },
    async ([job]) => {
      if (job) await run(job);
    },
  );
