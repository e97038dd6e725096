/** Where processes add up their refusals. An account of `undefined` stands for calls without one. */
export type RefusalStore = {
  /** Adds this process's new refusals; returns those of all processes within the window. */
  exchange(own: readonly Refusals[]): Promise<readonly Refusals[]>;
};

/** `urgent` were drawn from the reserve. */
export type Refusals = { accountId: string | undefined; usual: number; urgent: number };

export type SharedCount = {
  of(accountId: string): number;
  total(): number;
  /** Sent at once, so that the other processes see it at their next call. */
  add(accountId: string | undefined): void;
};

const exchangeEveryMs = 1000;

/** The refusals of all processes; without a store, or while it fails, those not yet sent. */
export const createSharedCounts = (
  store: RefusalStore | undefined,
  onFailure: ((error: unknown) => void) | undefined,
) => {
  let exchangedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  let isFailing = false;
  const usual = createCounts();
  const urgent = createCounts();

  const exchange = async (to: RefusalStore): Promise<void> => {
    const sent = rowsOf(usual.unsent, urgent.unsent);
    try {
      const stored = await to.exchange(sent);
      for (const [counts, part] of [
        [usual, 'usual'],
        [urgent, 'urgent'],
      ] as const) {
        counts.stored = new Map(stored.map((row) => [row.accountId, row[part]]));
        for (const row of sent) addTo(counts.unsent, row.accountId, -row[part]);
      }
      isFailing = false;
    } catch (error) {
      if (!isFailing) onFailure?.(error);
      isFailing = true;
    }
    exchangedAt = performance.now();
  };

  const start = (to: RefusalStore): Promise<void> => {
    running ??= exchange(to).finally(() => {
      running = undefined;
      // Refusals of meanwhile; while the store fails, the next call tries again.
      if (usual.unsent.size + urgent.unsent.size > 0 && !isFailing) void start(to);
    });
    return running;
  };

  const sharedCount = (counts: Counts): SharedCount => ({
    of: (accountId) => (counts.stored.get(accountId) ?? 0) + (counts.unsent.get(accountId) ?? 0),
    total: () => sumOf(counts.stored) + sumOf(counts.unsent),
    add(accountId) {
      if (!store) return;
      addTo(counts.unsent, accountId, 1);
      void start(store);
    },
  });

  return {
    usual: sharedCount(usual),
    urgent: sharedCount(urgent),
    /** At most once a second, and only while there are calls to make. */
    async refresh(): Promise<void> {
      if (store && performance.now() - exchangedAt > exchangeEveryMs) await start(store);
    },
  };
};

type ByAccount = Map<string | undefined, number>;
type Counts = { stored: ByAccount /** Or being sent. */; unsent: ByAccount };

const createCounts = (): Counts => ({ stored: new Map(), unsent: new Map() });

const rowsOf = (usual: ByAccount, urgent: ByAccount): Refusals[] =>
  [...new Set([...usual.keys(), ...urgent.keys()])].map((accountId) => ({
    accountId,
    usual: usual.get(accountId) ?? 0,
    urgent: urgent.get(accountId) ?? 0,
  }));

const sumOf = (counts: ByAccount): number => {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
};

export const addTo = <Name>(counts: Map<Name, number>, name: Name, change: number): void => {
  const count = (counts.get(name) ?? 0) + change;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
};
