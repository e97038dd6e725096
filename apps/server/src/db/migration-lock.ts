import type { Database } from './connect.ts';
import { findMigrationLockHolder, type LockHolder, tryMigrationLock } from './queries.ts';

export type OnWaiting = (message: string) => void;

type Times = { checkEveryMs: number; reportEveryMs: number; stuckAfterSeconds: number };

const defaultTimes: Times = { checkEveryMs: 300, reportEveryMs: 15_000, stuckAfterSeconds: 60 };

/**
 * Waits as long as another session migrates, and reports it now and then. A session that holds the lock
 * and is idle has lost its process or will never finish: then this fails with a message that names it.
 */
export const waitForMigrationLock = async (
  db: Database,
  onWaiting: OnWaiting,
  { checkEveryMs, reportEveryMs, stuckAfterSeconds }: Times = defaultTimes,
): Promise<void> => {
  let reportedAt = Number.NEGATIVE_INFINITY;
  while (!(await tryMigrationLock(db))) {
    const holder = await findMigrationLockHolder(db);
    if (holder && (holder.idleSeconds ?? 0) > stuckAfterSeconds) throw stuckError(holder);
    if (performance.now() - reportedAt >= reportEveryMs) {
      onWaiting(
        `Waiting for another process that migrates the database${holder ? nameOf(holder) : ''}`,
      );
      reportedAt = performance.now();
    }
    await Bun.sleep(checkEveryMs);
  }
};

const nameOf = ({ pid, name, address }: LockHolder): string =>
  `: session ${pid}, ${name || 'without a name'}, from ${address ?? 'this machine'}`;

const stuckError = (holder: LockHolder): Error =>
  new Error(
    `Another session holds the lock of migrations and has done nothing for ${Math.floor(holder.idleSeconds ?? 0)} s${nameOf(holder)}. If its process is gone, end it with "select pg_terminate_backend(${holder.pid})" and start again.`,
  );
