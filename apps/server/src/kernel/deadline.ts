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

/** Stops waiting after `ms`, or after `lastMs` once the work asked for the extension. */
export const withinDeadline = <T>(
  { ms, lastMs }: Times,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let isLate = false;
    const giveUp = () => {
      isLate = true;
      reject(new DeadlinePassed(ms));
    };
    let timer = setTimeout(giveUp, ms);
    const tryExtend = () => {
      if (isLate) return false;
      clearTimeout(timer);
      timer = setTimeout(giveUp, startedAt + lastMs - performance.now());
      return true;
    };
    work({ tryExtend, isPassed: () => isLate })
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
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
