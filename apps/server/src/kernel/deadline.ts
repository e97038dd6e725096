export class DeadlinePassed extends Error {
  constructor(ms: number) {
    super(`No result within ${ms} ms`);
    this.name = 'DeadlinePassed';
  }
}

/** Stops waiting after `ms`. The work itself goes on; `isLate` tells it that nobody waits. */
export const withinDeadline = <T>(
  ms: number,
  work: (isLate: () => boolean) => Promise<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      reject(new DeadlinePassed(ms));
    }, ms);
    work(() => late)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
