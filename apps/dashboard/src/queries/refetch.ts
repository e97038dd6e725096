/** How often what is on the screen is read again while no stream tells of changes, in milliseconds. */
export const refetchMs = {
  /** While a job runs, or an order is being delivered. */
  running: 2000,
  /** Lists in which somebody waits for a line to appear. */
  live: 5000,
  usual: 10_000,
  slow: 15_000,
  rare: 30_000,
} as const;

let isLive = false;

/** Whether a stream tells of changes now. Timers follow when their query is read the next time. */
export const setLive = (isOpen: boolean): void => {
  isLive = isOpen;
};

/** The interval of a query whose changes are told (`changed-keys.ts`). */
export const unlessLive = (ms: number | false): number | false => (isLive ? false : ms);

/** How long an answer is used without asking again, where the default of two seconds is too short. */
export const staleMs = { account: 15_000, guild: 30_000, rarelyChanged: 60_000 } as const;

type Previous = { queryKey: readonly unknown[] };

/**
 * Keeps showing the previous page until the next one is there, but only within the same server or
 * record: its id is the second part of the key.
 */
export const keepWithin =
  (id: string) =>
  <Data>(data: Data | undefined, previous: Previous | undefined): Data | undefined =>
    previous?.queryKey[1] === id ? data : undefined;
