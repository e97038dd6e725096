import type { Health } from '@holdfast/contract';
import { isRunning } from '../../labels/status.ts';
import type { Incident, PullRecord, RestoreRecord } from '../../queries/records.ts';

/**
 * Where a recovery is, by what the service knows: nothing of it is kept in the page, so that it goes on
 * after a reload, in another browser, or when somebody comes back hours later.
 *
 *   choose     where to, which backup, what it does; `last` is the try before, where it did not help, and
 *              `attackId` an attack since.
 *   restoring  a restore runs.
 *   members    the restore has ended, and nobody was brought back since.
 *   bringing   a pull runs.
 *   done       members were brought back after the restore.
 */
export type RecoveryStage =
  | { name: 'choose'; last: RestoreRecord | undefined; attackId?: string }
  | { name: 'restoring'; restore: RestoreRecord }
  | { name: 'members'; restore: RestoreRecord }
  | { name: 'bringing'; pull: PullRecord }
  | { name: 'done'; restore: RestoreRecord; pull: PullRecord };

type Known = {
  health: Health;
  /** The newest of each. */
  restore: RestoreRecord | undefined;
  pull: PullRecord | undefined;
  /** Incidents of the server, newest first. */
  incidents: Pick<Incident, 'id' | 'kind' | 'createdAt' | 'endedAt'>[];
  /** The restore after which the owner begins again. */
  ignoredRestoreId: string | null;
  /** The restore with which the owner goes on to the members, although the server is still damaged. */
  acceptedRestoreId: string | null;
  now: number;
};

const hourMs = 3_600_000;
/** A restore that ended earlier belongs to another day. */
const recentMs = 12 * hourMs;
/** The health follows the end of a restore within seconds. */
const settledMs = 15_000;

export const recoveryStageOf = (known: Known): RecoveryStage => {
  const { health, restore, pull, ignoredRestoreId, acceptedRestoreId, now } = known;
  if (restore && isRunning(restore)) return { name: 'restoring', restore };
  if (pull && isRunning(pull)) return { name: 'bringing', pull };
  const endedMs = restore ? now - Date.parse(restore.completedAt ?? restore.createdAt) : 0;
  if (!restore || restore.id === ignoredRestoreId || endedMs > recentMs) {
    return { name: 'choose', last: undefined };
  }
  if (restore.status === 'failed' || restore.status === 'cancelled') {
    return { name: 'choose', last: restore };
  }
  if (health === 'LOST') return { name: 'choose', last: undefined };
  const attackId = attackSince(known, restore);
  if (attackId !== undefined && restore.id !== acceptedRestoreId) {
    return { name: 'choose', last: undefined, attackId };
  }
  if (health === 'DAMAGED' && endedMs > settledMs && restore.id !== acceptedRestoreId) {
    return { name: 'choose', last: restore };
  }
  const isAfter = pull && Date.parse(pull.createdAt) > Date.parse(restore.createdAt);
  return isAfter ? { name: 'done', restore, pull } : { name: 'members', restore };
};

/** The newest attack that is open and began after the restore: nothing is as it was restored. */
const attackSince = ({ incidents }: Known, restore: RestoreRecord): string | undefined => {
  const restoredMs = Date.parse(restore.completedAt ?? restore.createdAt);
  return incidents.find(
    ({ kind, createdAt, endedAt }) =>
      kind === 'NUKE' && endedAt === null && Date.parse(createdAt) > restoredMs,
  )?.id;
};

type StepState = 'done' | 'current' | 'ahead';

const stepLabels = ['Choose', 'Restore', 'Members', 'Done'];
const placeOf: Record<RecoveryStage['name'], number> = {
  ...{ choose: 0, restoring: 1, members: 2, bringing: 2, done: 4 },
};

export const recoverySteps = ({ name }: RecoveryStage): { label: string; state: StepState }[] =>
  stepLabels.map((label, place) => {
    const ahead = place === placeOf[name] ? 'current' : 'ahead';
    return { label, state: place < placeOf[name] ? 'done' : ahead };
  });
