/** How many days, weeks and months are kept, of each the newest backup. */
export type Retention = { daily: number; weekly: number; monthly: number };

type Kept = { id: string; createdAt: Date; suspicious: boolean };

/** These stay whatever their day: a wreck that nobody noticed yet must not replace its predecessors. */
const newestKept = 4;

/**
 * Which scheduled backups have had their time. Suspicious ones are counted for themselves: they
 * never take the place of a good one.
 */
export const outdated = (backups: readonly Kept[], retention: Retention): string[] => {
  const kept = new Set(
    [true, false].flatMap((suspicious) =>
      idsToKeep(
        backups.filter((backup) => backup.suspicious === suspicious),
        retention,
      ),
    ),
  );
  return backups.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
};

/**
 * Which can go where the plan is full, the first to go first: suspicious ones that a newer one came
 * after, then the oldest good ones. A suspicious newest one pushes no good one out, and the last good
 * one stays in any case.
 */
export const superseded = (oldestFirst: readonly Kept[]): string[] => {
  const newest = oldestFirst.at(-1);
  const suspicious = oldestFirst.filter((backup) => backup.suspicious && backup !== newest);
  const good = newest?.suspicious ? [] : oldestFirst.filter((backup) => !backup.suspicious);
  return [...suspicious, ...good.slice(0, -1)].map(({ id }) => id);
};

const idsToKeep = (backups: readonly Kept[], { daily, weekly, monthly }: Retention): string[] => {
  const newestFirst = backups.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  return [
    ...newestFirst.slice(0, newestKept),
    ...newestOfEach(newestFirst, dayOf, daily),
    ...newestOfEach(newestFirst, weekOf, weekly),
    ...newestOfEach(newestFirst, monthOf, monthly),
  ].map(({ id }) => id);
};

const newestOfEach = (
  newestFirst: readonly Kept[],
  periodOf: (date: Date) => string,
  most: number,
): Kept[] => {
  const newest = new Map<string, Kept>();
  for (const backup of newestFirst) {
    const period = periodOf(backup.createdAt);
    if (!newest.has(period)) newest.set(period, backup);
  }
  return [...newest.values()].slice(0, most);
};

const dayMs = 24 * 60 * 60 * 1000;

/** In UTC, so that nobody's summer time takes a backup away. */
const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
const monthOf = (date: Date): string => date.toISOString().slice(0, 7);
/** Weeks begin on Monday; the first day of all was a Thursday. */
const weekOf = (date: Date): string => String(Math.floor((date.getTime() / dayMs + 3) / 7));
