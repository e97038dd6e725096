import type { Job, PgBoss, WorkOptions } from 'pg-boss';

type Crew = {
  boss: PgBoss;
  queue: string;
  /** How many jobs are run at once. */
  count: number;
  options: Omit<WorkOptions, 'pollingIntervalSeconds' | 'localConcurrency' | 'batchSize'>;
};

type Run = (taken: Job) => Promise<void>;
export type Runners = {
  wake(): void;
  /** Nobody looks for new jobs any more. */
  rest(): void;
};
type Runner = { id: string; isBusy: boolean };

/** How long a job of another process can lie in the queue before somebody looks. */
const lookEveryMs = 500;
/** Never waited for in full: whoever rests is woken long before. */
const restSeconds = 60;

/**
 * Runs so many jobs of one kind at once, while one runner at a time looks for the next: if each of a
 * hundred asked twice a second, an idle worker would keep the database busy. Whoever finds a job wakes
 * another to see whether there are more, and looks again itself when it is through.
 */
export const beginRunners = async (crew: Crew, run: Run): Promise<Runners> => {
  const runners: Runner[] = [];
  const wakeOne = () => {
    const idle = runners.find(({ isBusy }) => !isBusy);
    if (idle) crew.boss.notifyWorker(idle.id);
  };
  for (let begun = 0; begun < crew.count; begun++) {
    const runner = { id: '', isBusy: false };
    runner.id = await beginRunner(crew, async (taken) => {
      runner.isBusy = true;
      wakeOne();
      try {
        await run(taken);
      } finally {
        runner.isBusy = false;
        crew.boss.notifyWorker(runner.id);
      }
    });
    runners.push(runner);
  }
  const looking = setInterval(wakeOne, lookEveryMs);
  return { wake: wakeOne, rest: () => clearInterval(looking) };
};

const beginRunner = ({ boss, queue, options }: Crew, run: Run): Promise<string> =>
  boss.work<object>(
    queue,
    { ...options, batchSize: 1, pollingIntervalSeconds: restSeconds },
    async ([taken]) => {
      if (taken) await run(taken);
    },
  );
