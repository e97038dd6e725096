export class DeadlinePassed extends Error {
  constructor(ms: number) {
    super(`No result within ${ms} ms`);
    this.name = 'DeadlinePassed';
  }
}

export type Deadline = {
  /** Before an irreversible step, such as a commit: false when it is too late, else more time. */
  tryExtend(): boolean;
  /** Before a step that is useless once the caller has stopped waiting; grants no time. */
  isPassed(): boolean;
};

/** Both count from the start. `lastMs` holds once the work has called `tryExtend`. */
type Times = { ms: number; lastMs: number };

/** How much later than its time a deadline may end. */
const sweepEveryMs = 50;

type Wait = { endsAt: number; giveUp(): void };

const waits = new Set<Wait>();
let sweeping: ReturnType<typeof setInterval> | undefined;

/** One timer for all deadlines, which runs only while there are any: one for each costs every request. */
const sweep = (): void => {
  const now = performance.now();
  for (const wait of waits) if (wait.endsAt <= now) wait.giveUp();
  if (waits.size > 0) return;
  clearInterval(sweeping);
  sweeping = undefined;
};

/** Stops waiting after `ms`, or after `lastMs` once the work asked for the extension. */
export const withinDeadline = <T>(
  { ms, lastMs }: Times,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let isLate = false;
    const wait: Wait = {
      endsAt: startedAt + ms,
      giveUp() {
        isLate = true;
        waits.delete(wait);
        reject(new DeadlinePassed(ms));
      },
    };
    waits.add(wait);
    sweeping ??= setInterval(sweep, sweepEveryMs);
    const tryExtend = () => {
      if (!isLate) wait.endsAt = startedAt + lastMs;
      return !isLate;
    };
    work({ tryExtend, isPassed: () => isLate })
      .finally(() => waits.delete(wait))
      .then(resolve, reject);
  });

/** The result of `work`, or `fallback` where it fails or takes longer. It is not cancelled. */
export const resultWithin = <Result, Fallback>(
  ms: number,
  work: Promise<Result>,
  fallback: Fallback,
): Promise<Result | Fallback> =>
  Promise.race([work.catch(() => fallback), Bun.sleep(ms).then(() => fallback)]);

/** Whether `work` succeeds in time. */
export const succeedsWithin = (ms: number, work: PromiseLike<unknown>): Promise<boolean> =>
  resultWithin(
    ms,
    Promise.resolve(work).then(() => true),
    false,
  );

const guards = new WeakMap<AbortSignal, () => boolean>();

/**
 * Attaches a check to a signal, for code about to take an irreversible step. A process that was
 * suspended runs on before any of its timers could abort the signal; the check reads the clock.
 */
export const guardSignal = (signal: AbortSignal, mayAct: () => boolean): AbortSignal => {
  guards.set(signal, mayAct);
  return signal;
};

/** Call it right before the step, after every wait. A signal without a guard only has its own state. */
export const mayStillAct = (signal: AbortSignal | undefined): boolean =>
  signal === undefined || (!signal.aborted && (guards.get(signal)?.() ?? true));
