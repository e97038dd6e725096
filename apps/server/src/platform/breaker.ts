import { PlatformFailure } from './failures.ts';
import { createRefusalWindows } from './refusal-windows.ts';

/**
 * The platform bans an address that collects 10,000 answers of 401, 403 or 429 within ten minutes, and
 * all accounts share ours. So each account has a share of what we tolerate, and is stopped alone when
 * that is used up. Well before the ban, and as a last resort, nobody calls any more until enough
 * refusals are old.
 */
export type Breaker = {
  /** Whether calls for this account are stopped, as far as this process knows. */
  isOpen(accountId: string | undefined): boolean;
  /**
   * Sends one call and counts its answer. Throws `breakerOpen` instead where the account, or everybody,
   * has no refusals left: a call that is under way counts as a refusal until it is answered, so that
   * many at once cannot pass the share either.
   */
  admit(accountId: string | undefined, send: () => Promise<Response>): Promise<Response>;
};

/** Where processes add up what each of them was refused. `undefined` stands for no account. */
export type RefusalStore = {
  /** Adds this process's new refusals; gives those of all processes within the window. */
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
  /** Told once, until the store answers again. */
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
    async admit(accountId, send) {
      await shared.refresh();
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

/** What all processes know together; without a store, or while it fails, what this one has to tell. */
const createSharedCounts = (
  store: RefusalStore | undefined,
  onFailure: Options['onStoreFailure'],
) => {
  let known: Counts = new Map();
  /** Not told yet, or on its way. */
  const untold = new Map<string | undefined, number>();
  let exchangedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  let isFailing = false;

  const exchange = async (told: Counts, to: RefusalStore): Promise<void> => {
    try {
      known = await to.exchange(told);
      for (const [accountId, count] of told) addTo(untold, accountId, -count);
      isFailing = false;
    } catch (error) {
      if (!isFailing) onFailure?.(error);
      isFailing = true;
    }
    exchangedAt = performance.now();
  };

  const begin = (to: RefusalStore): Promise<void> => {
    running ??= exchange(new Map(untold), to).finally(() => {
      running = undefined;
      // What was refused meanwhile; while the store fails, the next call tries again.
      if (untold.size > 0 && !isFailing) void begin(to);
    });
    return running;
  };

  return {
    of: (accountId: string) => (known.get(accountId) ?? 0) + (untold.get(accountId) ?? 0),
    total: () => sumOf(known) + sumOf(untold),
    /** At most once a second, and only while there are calls to make. */
    async refresh(): Promise<void> {
      if (store && performance.now() - exchangedAt > exchangeEveryMs) await begin(store);
    },
    /** Told at once, so that the other processes hear of it at their next call. */
    add(accountId: string | undefined): void {
      if (!store) return;
      addTo(untold, accountId, 1);
      void begin(store);
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
