/** Runs at most `limit` works at once; the others wait in the order they came. */
export const createSemaphore = (limit: number) => {
  let free = limit;
  const waiting: (() => void)[] = [];
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The slot goes straight to the next one, without becoming free for a newcomer in between.
      if (next) next();
      else free += 1;
    }
  };
};

/** Whoever asks gets an answer of a read that begins after that; all who wait for one share it. */
export const shareReads = <Answer>(read: () => Promise<Answer>): (() => Promise<Answer>) => {
  let running: Promise<Answer> | undefined;
  let next: Promise<Answer> | undefined;
  const begin = async () => {
    await Promise.allSettled([running]);
    next = undefined;
    running = read();
    return running;
  };
  return () => {
    next ??= begin();
    return next;
  };
};

/** Maps with at most `limit` calls under way; results keep the order. After a failure none is started. */
export const inParallel = async <Item, Result>(
  limit: number,
  items: readonly Item[],
  map: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> => {
  const results = new Array<Result>(items.length);
  const entries = items.entries();
  let isFailed = false;
  const work = async () => {
    for (const [index, item] of entries) {
      if (isFailed) return;
      results[index] = await map(item, index).catch((error: unknown) => {
        isFailed = true;
        throw error;
      });
    }
  };
  await awaitAll(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
};

/** Like `Promise.all`, but nothing is left running when it throws. */
export const awaitAll = async (works: readonly unknown[]): Promise<void> => {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
};

/** Computes a value at the first call and returns it from then on. */
export const once = <Value>(make: () => Value): (() => Value) => {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** Resolves after `ms`, or as soon as the signal is aborted. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish);
  });

/** Calls that come while the work is under way wait for its result instead of starting it again. */
export const sharedWhileUnderWay = <Result>(
  work: () => Promise<Result>,
): (() => Promise<Result>) => {
  let underWay: Promise<Result> | undefined;
  return () => {
    underWay ??= work().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
};
