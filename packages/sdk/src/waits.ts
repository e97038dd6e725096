import type { Operations } from './calls.ts';
import type { Output } from './operations.ts';
import { type Done, type Stage, type WaitOptions, waitForEnd } from './wait-for-end.ts';

type Backup = Output<'getBackup'>;
type Restore = Output<'getRestore'>;
type Pull = Output<'getPull'>;

export type Waits = {
  waitForBackup(
    backup: Pick<Backup, 'id' | 'serverId'>,
    options?: WaitOptions<Backup>,
  ): Promise<Done<Backup, typeof backupStages>>;
  waitForRestore(
    restore: Pick<Restore, 'id'>,
    options?: WaitOptions<Restore>,
  ): Promise<Done<Restore, typeof restoreStages>>;
  waitForPull(
    pull: Pick<Pull, 'id'>,
    options?: WaitOptions<Pull>,
  ): Promise<Done<Pull, typeof pullStages>>;
};

// What every status means is said here once, and the compiler asks for each that the contract knows.
const backupStages = {
  queued: 'underWay',
  running: 'underWay',
  completed: 'done',
  failed: 'failed',
} as const satisfies Record<Backup['status'], Stage>;

/** `partial` counts as done: most of it is in place, and the record says what is not. */
const restoreStages = {
  queued: 'underWay',
  snapshotting: 'underWay',
  running: 'underWay',
  completed: 'done',
  partial: 'done',
  failed: 'failed',
  cancelled: 'failed',
} as const satisfies Record<Restore['status'], Stage>;

const pullStages = {
  queued: 'underWay',
  running: 'underWay',
  completed: 'done',
  failed: 'failed',
  cancelled: 'failed',
} as const satisfies Record<Pull['status'], Stage>;

type Reads = Pick<Operations, 'getBackup' | 'getRestore' | 'getPull'>;

export const waitsOf = ({ getBackup, getRestore, getPull }: Reads): Waits => ({
  waitForBackup: ({ id: backupId, serverId }, options = {}) =>
    waitForEnd(
      (limits) => getBackup({ params: { id: serverId, backupId }, ...limits }),
      backupStages,
      options,
    ),
  waitForRestore: ({ id }, options = {}) =>
    waitForEnd((limits) => getRestore({ params: { id }, ...limits }), restoreStages, options),
  waitForPull: ({ id }, options = {}) =>
    waitForEnd((limits) => getPull({ params: { id }, ...limits }), pullStages, options),
});
