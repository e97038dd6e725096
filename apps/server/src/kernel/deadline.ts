export class DeadlinePassed extends Error {
  constructor(ms: number) {
    super(`No result within ${ms} ms`);
    this.name = 'DeadlinePassed';
  }
}

/** Stops waiting after `ms`. The work itself goes on; `signal` tells it that nobody waits. */
export const withinDeadline = async <T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const reason = new DeadlinePassed(ms);
    controller.abort(reason);
    late.reject(reason);
  }, ms);
  try {
    return await Promise.race([work(controller.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
};
