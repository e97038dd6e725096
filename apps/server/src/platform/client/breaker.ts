import { AsyncLocalStorage } from 'node:async_hooks';
import { PlatformFailure } from '../failures.ts';

/**
 * The platform bans an IP address that collects 10,000 answers of 401, 403 or 429 (refusals) within ten
 * minutes, and all accounts share ours. So each account has a share of a lower limit, and only its calls
 * are stopped when it is used up. As a last resort, at the limit of all accounts together, every call
 * is stopped until enough refusals are older than ten minutes.
 */
export type Breaker = {
  /** Whether calls for this account are stopped, as far as this process knows. */
  isOpen(accountId: string | undefined): boolean;
  /**
   * Sends one call and counts its answer. Throws `breakerOpen` instead where the account, or all together,
   * have no refusals left. A call under way counts as a refusal until it is answered, so that many
   * parallel calls cannot exceed the share either. An urgent call goes by what is known already.
   */
  admit(
    accountId: string | undefined,
    send: () => Promise<Response>,
    options?: { isUrgent?: boolean },
  ): Promise<Response>;
};

/** Where processes add up their refusals. `undefined` stands for calls without an account. */
export type RefusalStore = {
  /** Adds this process's new refusals; returns those of all processes within the window. */
  exchange(own: Counts): Promise<Counts>;
};
type Counts = ReadonlyMap<string | undefined, number>;

type Options = {
  now?: () => number;
  /** How many refusals all accounts together may collect. */
  limit?: number;
  store?: RefusalStore;
  /** What one account may collect, and what it may once half of all is used up. */
  accountShare?: number;
  strainedShare?: number;
  /** Called once per outage of the store. */
  onStoreFailure?(error: unknown): void;
};

const tolerated = 5000;
const invalidStatuses = new Set([401, 403, 429]);
const exchangeEveryMs = 1000;

export const createBreaker = ({
  now = () => performance.now(),
  limit = tolerated,
  accountShare = limit / 10,
  strainedShare = limit / 100,
  store,
  onStoreFailure,
}: Options = {}): Breaker => {
  const own = createRefusalWindows(now);
  const shared = createSharedCounts(store, onStoreFailure);
  const underWay = new Map<string | undefined, number>();

  const isOpen = (accountId: string | undefined): boolean => {
    const total = Math.max(own.total(), shared.total());
    if (total + sumOf(underWay) >= limit) return true;
    if (accountId === undefined) return false;
    const used = Math.max(own.of(accountId), shared.of(accountId));
    const share = total < limit / 2 ? accountShare : strainedShare;
    return used + (underWay.get(accountId) ?? 0) >= Math.max(1, share);
  };

  return {
    isOpen,
    async admit(accountId, send, { isUrgent = false } = {}) {
      const refreshing = shared.refresh();
      if (!isUrgent) await refreshing;
      if (isOpen(accountId)) throw new PlatformFailure('breakerOpen');
      addTo(underWay, accountId, 1);
      try {
        const response = await send();
        if (invalidStatuses.has(response.status)) {
          own.add(accountId);
          shared.add(accountId);
        }
        return response;
      } finally {
        addTo(underWay, accountId, -1);
      }
    },
  };
};

/** The refusals of all processes; without a store, or while it fails, those not yet sent. */
const createSharedCounts = (
  store: RefusalStore | undefined,
  onFailure: Options['onStoreFailure'],
) => {
  let total: Counts = new Map();
  /** Not sent yet, or being sent. */
  const unsent = new Map<string | undefined, number>();
  let exchangedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  let isFailing = false;

  const exchange = async (sent: Counts, to: RefusalStore): Promise<void> => {
    try {
      total = await to.exchange(sent);
      for (const [accountId, count] of sent) addTo(unsent, accountId, -count);
      isFailing = false;
    } catch (error) {
      if (!isFailing) onFailure?.(error);
      isFailing = true;
    }
    exchangedAt = performance.now();
  };

  const start = (to: RefusalStore): Promise<void> => {
    running ??= exchange(new Map(unsent), to).finally(() => {
      running = undefined;
      // Refusals of meanwhile; while the store fails, the next call tries again.
      if (unsent.size > 0 && !isFailing) void start(to);
    });
    return running;
  };

  return {
    of: (accountId: string) => (total.get(accountId) ?? 0) + (unsent.get(accountId) ?? 0),
    total: () => sumOf(total) + sumOf(unsent),
    /** At most once a second, and only while there are calls to make. */
    async refresh(): Promise<void> {
      if (store && performance.now() - exchangedAt > exchangeEveryMs) await start(store);
    },
    /** Sent at once, so that the other processes see it at their next call. */
    add(accountId: string | undefined): void {
      if (!store) return;
      addTo(unsent, accountId, 1);
      void start(store);
    },
  };
};

const sumOf = (counts: Counts): number => {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
};

const addTo = (
  counts: Map<string | undefined, number>,
  accountId: string | undefined,
  change: number,
): void => {
  const count = (counts.get(accountId) ?? 0) + change;
  if (count === 0) counts.delete(accountId);
  else counts.set(accountId, count);
};

const accounts = new AsyncLocalStorage<string>();

/**
 * The platform calls of `work` are counted for this account. Calls without an account, such as those of
 * people who sign in, count in the total only.
 */
export const onBehalfOf = <Outcome>(
  accountId: string,
  work: () => Promise<Outcome>,
): Promise<Outcome> => accounts.run(accountId, work);

export const actingAccount = (): string | undefined => accounts.getStore();

const windowMs = 10 * 60 * 1000;
const bucketMs = 10 * 1000;

/**
 * The refusals of this process within ten minutes, in all and by account, counted in buckets of ten
 * seconds: sixty numbers per account with recent refusals, however many calls there are.
 */
const createRefusalWindows = (now: () => number) => {
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
