export class DeadlinePassed extends Error {
  constructor(ms: number) {
    super(`No result within ${ms} ms`);
    this.name = 'DeadlinePassed';
  }
}

export type Deadline = {
  /** Before a step that cannot be taken back: false when it is too late, else a little more time. */
  isKept(): boolean;
  /** Before a step that is of no use any more once nobody waits; asking gives no more time. */
  isPassed(): boolean;
};

type Times = { ms: number /** Counted from the start as well. */; lastMs: number };

/** Stops waiting after `ms`, or after `lastMs` once the work asked whether it may still finish. */
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
    const isKept = () => {
      if (isLate) return false;
      clearTimeout(timer);
      timer = setTimeout(giveUp, startedAt + lastMs - performance.now());
      return true;
    };
    work({ isKept, isPassed: () => isLate })
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
