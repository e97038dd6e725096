/** For how many days, weeks and months the newest backup of each is kept. */
export type Retention = { daily: number; weekly: number; monthly: number };

type ScheduledBackup = { id: string; createdAt: Date; suspicious: boolean };

/** Kept in any case: backups of a damaged guild must not replace their predecessors at once. */
const newestKept = 4;

/** Backups that the retention does not keep. Suspicious ones are counted apart: they replace no good one. */
export const findOutdated = (
  backups: readonly ScheduledBackup[],
  retention: Retention,
): string[] => {
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
 * Backups that can be deleted where the plan is full, in this order: suspicious ones that are not the
 * newest, then the oldest good ones. A suspicious newest one replaces no good one, and the last good
 * one always stays.
 */
export const findSuperseded = (oldestFirst: readonly ScheduledBackup[]): string[] => {
  const newest = oldestFirst.at(-1);
  const suspicious = oldestFirst.filter((backup) => backup.suspicious && backup !== newest);
  const good = newest?.suspicious ? [] : oldestFirst.filter((backup) => !backup.suspicious);
  return [...suspicious, ...good.slice(0, -1)].map(({ id }) => id);
};

const idsToKeep = (
  backups: readonly ScheduledBackup[],
  { daily, weekly, monthly }: Retention,
): string[] => {
  const newestFirst = backups.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  return [
    ...newestFirst.slice(0, newestKept),
    ...newestOfEach(newestFirst, dayOf, daily),
    ...newestOfEach(newestFirst, weekOf, weekly),
    ...newestOfEach(newestFirst, monthOf, monthly),
  ].map(({ id }) => id);
};

const newestOfEach = (
  newestFirst: readonly ScheduledBackup[],
  periodOf: (date: Date) => string,
  most: number,
): ScheduledBackup[] => {
  const newest = new Map<string, ScheduledBackup>();
  for (const backup of newestFirst) {
    const period = periodOf(backup.createdAt);
    if (!newest.has(period)) newest.set(period, backup);
  }
  return [...newest.values()].slice(0, most);
};

const dayMs = 24 * 60 * 60 * 1000;

/** In UTC, so that daylight saving time does not shift the periods. */
const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
const monthOf = (date: Date): string => date.toISOString().slice(0, 7);
/** Weeks begin on Monday; 1970-01-01 was a Thursday. */
const weekOf = (date: Date): string => String(Math.floor((date.getTime() / dayMs + 3) / 7));
