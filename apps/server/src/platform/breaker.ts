/**
 * The platform bans an address that collects 10,000 answers of 401, 403 or 429 within ten minutes, and
 * all accounts share ours. Well before that we stop calling at all, until enough of them are old.
 */
export type Breaker = { isOpen(): boolean; note(status: number): void };

const windowMs = 10 * 60 * 1000;
const bucketMs = 10 * 1000;
const tolerated = 5000;
const invalidStatuses = new Set([401, 403, 429]);

/** Counts in buckets of ten seconds: sixty numbers, however many calls there are. */
export const createBreaker = (now: () => number = Date.now, limit = tolerated): Breaker => {
  const counts = new Map<number, number>();
  let total = 0;

  const forgetOld = () => {
    const oldest = Math.floor((now() - windowMs) / bucketMs);
    for (const [bucket, count] of counts) {
      if (bucket > oldest) break;
      counts.delete(bucket);
      total -= count;
    }
  };

  return {
    isOpen() {
      forgetOld();
      return total >= limit;
    },
    note(status) {
      if (!invalidStatuses.has(status)) return;
      const bucket = Math.floor(now() / bucketMs);
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
      total += 1;
    },
  };
};
