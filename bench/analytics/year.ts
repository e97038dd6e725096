import { closeDatabase, connectDatabase, type Database } from '../../apps/server/src/db/connect.ts';
import { rollUp } from '../../apps/server/src/features/analytics/jobs.ts';
import {
  lockRollupMark,
  moveRollupMark,
} from '../../apps/server/src/features/analytics/queries.ts';
import {
  hourAfter,
  hourOf,
  rawKeptSince,
  windowOf,
} from '../../apps/server/src/features/analytics/rules.ts';
import { systemClock } from '../../apps/server/src/kernel/clock.ts';
import type { Bench, Tenant } from '../lib/environment.ts';
import { print, seconds } from '../lib/print.ts';
import {
  allowMemory,
  countSeeded,
  deleteCounts,
  insertAttempts,
  insertCounts,
  refreshStatistics,
} from './queries.ts';

export type AttemptServer = { id: string; owner: Tenant; attempts: number };

/**
 * A year of attempts as the product would hold it: those of the last 30 days one by one, and counted
 * by its own job; of those before only the counts.
 */
export const seedYear = async (bench: Bench, servers: AttemptServer[]): Promise<void> => {
  const noTimeout = { statementTimeoutMs: 0, poolSize: 1 };
  const db = connectDatabase(bench.databaseUrl, { name: 'holdfast-bench', ...noTimeout });
  try {
    const startedAt = performance.now();
    await seed(db, servers);
    const seededAt = performance.now();
    await rollUp({ db, clock: systemClock }, new AbortController().signal);
    const rolledUpAt = performance.now();
    print(`analytics: seeding took ${seconds(seededAt - startedAt)}, \
rolling up the last 30 days ${seconds(rolledUpAt - seededAt)}`);
  } finally {
    await closeDatabase(db);
  }
  await refreshStatistics(bench.sql);
  for (const { id, attempts } of servers) {
    const laid = await countSeeded(bench.sql, id);
    print(`  of ${attempts} attempts ${laid.attempts} are held one by one; all are in counts of \
${laid.hours} hours and ${laid.countries} days of a country`);
  }
  print();
};

/** All at once: the service's own job waits for the mark, and never sees half a year. */
const seed = (db: Database, servers: AttemptServer[]): Promise<void> =>
  db.transaction(async (tx) => {
    const now = systemClock.now();
    const { from } = windowOf('365d', now);
    const keptSince = hourAfter(hourOf(rawKeptSince(now, now)));
    const shareBefore = (keptSince.getTime() - from.getTime()) / (now.getTime() - from.getTime());
    await lockRollupMark(tx);
    await allowMemory(tx);
    await deleteCounts(tx);
    for (const { id, owner, attempts } of servers) {
      const server = { id, accountId: owner.accountId };
      const count = Math.round(attempts * shareBefore);
      await insertCounts(tx, server, { from, to: keptSince, count });
      await insertAttempts(tx, server, { from: keptSince, to: now, count: attempts - count });
    }
    await moveRollupMark(tx, keptSince);
  });
