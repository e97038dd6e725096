const windowMs = 10 * 60 * 1000;
const bucketMs = 10 * 1000;

export type RefusalWindow = { add(): void; total(): number };

/** Refusals within ten minutes, counted in buckets of ten seconds: sixty numbers, however many calls. */
export const createRefusalWindow = (now: () => number): RefusalWindow => {
  const counts = new Map<number, number>();
  let total = 0;

  const dropOldBuckets = () => {
    const oldest = Math.floor((now() - windowMs) / bucketMs);
    for (const [bucket, count] of counts) {
      if (bucket > oldest) break;
      counts.delete(bucket);
      total -= count;
    }
  };

  return {
    add(): void {
      const bucket = Math.floor(now() / bucketMs);
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
      total += 1;
    },
    total(): number {
      dropOldBuckets();
      return total;
    },
  };
};
