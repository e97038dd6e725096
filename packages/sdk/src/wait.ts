import {
  HoldfastError,
  HoldfastJobFailed,
  HoldfastNetworkError,
  type JobRecord,
} from './errors.ts';
import type { Operations, Output } from './operations.ts';
import type { Settings } from './settings.ts';

type Backup = Output<'getBackup'>;
type Restore = Output<'getRestore'>;
type Pull = Output<'getPull'>;

export type Waits = {
  /** Polls a backup until it is completed; throws `HoldfastJobFailed` if it failed. */
  waitForBackup(
    backup: Pick<Backup, 'id' | 'serverId'>,
    options?: WaitOptions<Backup>,
  ): Promise<Done<Backup, typeof backupStages>>;
  /** Polls a restore until it is completed or partial; throws `HoldfastJobFailed` otherwise. */
  waitForRestore(
    restore: Pick<Restore, 'id'>,
    options?: WaitOptions<Restore>,
  ): Promise<Done<Restore, typeof restoreStages>>;
  /** Polls a pull until it is completed; throws `HoldfastJobFailed` if it failed or was cancelled. */
  waitForPull(
    pull: Pick<Pull, 'id'>,
    options?: WaitOptions<Pull>,
  ): Promise<Done<Pull, typeof pullStages>>;
};

// The compiler requires an entry for every status of the contract.
const backupStages = {
  queued: 'active',
  running: 'active',
  completed: 'done',
  failed: 'failed',
} as const satisfies Record<Backup['status'], Stage>;

/** `partial` counts as done: most of it is restored, and the record lists what is missing. */
const restoreStages = {
  queued: 'active',
  snapshotting: 'active',
  running: 'active',
  completed: 'done',
  partial: 'done',
  failed: 'failed',
  cancelled: 'failed',
} as const satisfies Record<Restore['status'], Stage>;

const pullStages = {
  queued: 'active',
  running: 'active',
  completed: 'done',
  failed: 'failed',
  cancelled: 'failed',
} as const satisfies Record<Pull['status'], Stage>;

type Reads = Pick<Operations, 'getBackup' | 'getRestore' | 'getPull'>;

export const waitsOf = (
  { pause }: Pick<Settings, 'pause'>,
  { getBackup, getRestore, getPull }: Reads,
): Waits => ({
  waitForBackup({ id: backupId, serverId }, options) {
    const read: Read<Backup> = (limits) =>
      getBackup({ params: { id: serverId, backupId }, ...limits });
    return waitForEnd(read, backupStages, { ...options, pause });
  },
  waitForRestore({ id }, options) {
    const read: Read<Restore> = (limits) => getRestore({ params: { id }, ...limits });
    return waitForEnd(read, restoreStages, { ...options, pause });
  },
  waitForPull({ id }, options) {
    const read: Read<Pull> = (limits) => getPull({ params: { id }, ...limits });
    return waitForEnd(read, pullStages, { ...options, pause });
  },
});

type Read<Job> = (limits: { signal?: AbortSignal }) => Promise<Job>;

/** The progress of a job, derived from its status. */
type Stage = 'active' | 'done' | 'failed';

type StatusDone<Stages> = {
  [Status in keyof Stages]: Stages[Status] extends 'done' ? Status : never;
}[keyof Stages];

/** The record of a job that succeeded. */
type Done<Job, Stages> = Job & { status: StatusDone<Stages> };

export type WaitOptions<Job> = {
  /** Called with the record each time it was read, including the last. */
  onProgress?: (job: Job) => void;
  /** Ends the waiting, not the job. */
  signal?: AbortSignal;
};

const minPauseMs = 500;
const maxPauseMs = 5000;
/** Longer than a restart of the service takes. */
const unreachableMs = 60_000;

/** Polls a job until it has ended; throws `HoldfastJobFailed` if it failed or was cancelled. */
const waitForEnd = async <Job extends JobRecord, Stages extends Record<Job['status'], Stage>>(
  read: Read<Job>,
  stages: Stages,
  { onProgress, signal, pause }: WaitOptions<Job> & Pick<Settings, 'pause'>,
): Promise<Done<Job, Stages>> => {
  let lastReadAt = performance.now();
  for (let pauseMs = minPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    const job = await readIfReachable(() => read({ signal }), lastReadAt + unreachableMs);
    if (job) {
      lastReadAt = performance.now();
      onProgress?.(job);
      const status: Job['status'] = job.status;
      if (stages[status] === 'failed') throw new HoldfastJobFailed(job);
      // The check is what the type says: its status is one of those that are done.
      if (stages[status] === 'done') return job as Done<Job, Stages>;
    }
    await pause(pauseMs, signal);
  }
};

const readIfReachable = async <Job>(read: () => Promise<Job>, until: number) => {
  try {
    return await read();
  } catch (error) {
    if (!isTransient(error) || performance.now() > until) throw error;
    return undefined;
  }
};

const isTransient = (error: unknown): boolean =>
  error instanceof HoldfastNetworkError ||
  (error instanceof HoldfastError && (error.status === 429 || error.status >= 500));
