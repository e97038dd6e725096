const windowMs = 10 * 60 * 1000;
const bucketMs = 10 * 1000;

/**
 * How many refusals this process got within ten minutes, in all and by account. Counts in buckets of
 * ten seconds: sixty numbers for each account that was refused lately, however many calls there are.
 */
export const createRefusalWindows = (now: () => number) => {
  const all = createWindow(now);
  const byAccount = new Map<string, ReturnType<typeof createWindow>>();

  return {
    add(accountId: string | undefined): void {
      all.add();
      if (accountId === undefined) return;
      const window = byAccount.get(accountId) ?? createWindow(now);
      byAccount.set(accountId, window);
      window.add();
    },
    total: () => all.total(),
    of(accountId: string): number {
      const total = byAccount.get(accountId)?.total() ?? 0;
      if (total === 0) byAccount.delete(accountId);
      return total;
    },
  };
};

const createWindow = (now: () => number) => {
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
    add(): void {
      const bucket = Math.floor(now() / bucketMs);
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
      total += 1;
    },
    total(): number {
      forgetOld();
      return total;
    },
  };
};
