import type { Database } from './connect.ts';
import { findMigrationLockHolder, type LockHolder, tryMigrationLock } from './queries.ts';

export type TellWaiting = (sentence: string) => void;

type Times = { lookEveryMs: number; tellEveryMs: number; stuckAfterSeconds: number };

const usualTimes: Times = { lookEveryMs: 300, tellEveryMs: 15_000, stuckAfterSeconds: 60 };

/**
 * Waits for as long as another session migrates, and says so. One that holds the lock and does nothing
 * has lost its process, or will never end by itself: then it ends with a sentence that names it.
 */
export const waitForMigrationLock = async (
  db: Database,
  tell: TellWaiting,
  { lookEveryMs, tellEveryMs, stuckAfterSeconds }: Times = usualTimes,
): Promise<void> => {
  let toldAt = Number.NEGATIVE_INFINITY;
  while (!(await tryMigrationLock(db))) {
    const holder = await findMigrationLockHolder(db);
    if (holder && (holder.idleSeconds ?? 0) > stuckAfterSeconds)
      throw new Error(stuckWords(holder));
    if (performance.now() - toldAt >= tellEveryMs) {
      tell(`Waiting for another process that migrates the database${holder ? nameOf(holder) : ''}`);
      toldAt = performance.now();
    }
    await Bun.sleep(lookEveryMs);
  }
};

const nameOf = ({ pid, name, address }: LockHolder): string =>
  `: session ${pid}, ${name || 'without a name'}, from ${address ?? 'this machine'}`;

const stuckWords = (holder: LockHolder): string =>
  `Another session holds the lock of migrations and has done nothing for ${Math.floor(holder.idleSeconds ?? 0)} s${nameOf(holder)}. If its process is gone, end it with "select pg_terminate_backend(${holder.pid})" and start again.`;
