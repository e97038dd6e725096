import { z } from 'zod';
import { BlobBroken } from '../../integrations/blobs/blob-store.ts';
import { type Job, type LeasedJob, ofAccount } from '../../queue/job.ts';
import { failureMessage } from '../backups/capture/failure-message.ts';
import { verifyObjects } from '../backups/objects/read-objects.ts';
import {
  type BackupOwner,
  findBackup,
  listBackupsToTestRestore,
  savedAtOf,
} from '../backups/queries.ts';
import { modeFor } from '../backups/snapshot/large.ts';
import type { RestoreOwner } from './queries/restores.ts';
import { restorable } from './rules.ts';
import { executeRestore } from './run/execute.ts';
import {
  type RestoreDependencies,
  readSourceSnapshot,
  type SnapshotSource,
} from './run/restore-run.ts';
import { recordTestResult } from './verify/record-test-result.ts';
import { testRestoreTask } from './verify/test-restore-task.ts';

export const runRestore = {
  name: 'restores.run',
  payload: z.object({ restoreId: z.guid(), accountId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 64,
};

/**
 * A repair after an attack has runners of its own, so that it waits for no other restore. The version before
 * this one queues it as any restore.
 */
export const runRepair = {
  name: 'restores.repair',
  payload: runRestore.payload,
  groupOf: ofAccount,
  concurrency: 64,
};

const restoreJob =
  (definition: typeof runRestore) =>
  (dependencies: RestoreDependencies): LeasedJob<RestoreOwner> => ({
    ...definition,
    subjectOf: ({ restoreId }) => `restore:${restoreId}`,
    givesWay: true,
    run: (owner, signal, lease) =>
      executeRestore(dependencies, owner, {
        ...{ signal, lease },
        runAgain: (tx, options) => dependencies.queue.enqueue(tx, definition, owner, options),
      }),
  });

export const runRestoreJob = restoreJob(runRestore);
export const runRepairJob = restoreJob(runRepair);

/** Reads a backup through and restores it into a guild in memory. */
export const testBackup = {
  name: 'restores.test-backup',
  payload: z.object({ backupId: z.guid(), accountId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 2,
};

type TestDependencies = Pick<
  RestoreDependencies,
  'db' | 'ring' | 'blobs' | 'aside' | 'queue' | 'clock' | 'log'
>;

export const testBackupJob = (dependencies: TestDependencies): Job<BackupOwner> => ({
  ...testBackup,
  async run(owner, signal) {
    const { db, clock } = dependencies;
    const backup = await findBackup(db, owner);
    if (backup?.status !== 'completed' || backup.checksum === null) return;
    const { checksum, kind } = backup;
    const components = restorable(backup.components);
    const source = { ...owner, checksum, kind, savedAt: savedAtOf(backup), components };
    const result = await testStored(dependencies, source, signal);
    if (!result) return;
    const tested = { ...result, checksum, provedAt: clock.now() };
    await db.transaction((tx) => recordTestResult(tx, dependencies, owner, tested));
  },
});

/** Undefined for a backup that is deleted meanwhile, and its objects with it. */
const testStored = async (
  dependencies: TestDependencies,
  source: SnapshotSource & BackupOwner,
  signal: AbortSignal,
): Promise<{ restorable: boolean; losses: string[]; verifiedAt?: Date } | undefined> => {
  const { db, blobs, clock, log } = dependencies;
  try {
    await verifyObjects(db, blobs, source, signal);
    const verifiedAt = clock.now();
    const snapshot = await readSourceSnapshot(dependencies, source);
    const by = { accountId: source.accountId, mode: modeFor(snapshot), waits: 'job' } as const;
    const tested = await dependencies.aside.run(testRestoreTask, { snapshot }, null, by);
    const { losses, differences, ...result } = tested;
    return { ...result, losses: [...losses, ...differences], verifiedAt };
  } catch (error) {
    if (!(error instanceof BlobBroken)) throw error;
    if ((await findBackup(db, source))?.status !== 'completed') return undefined;
    const { accountId, backupId } = source;
    log.error({ err: error, accountId, backupId }, 'a backup is broken');
    return { restorable: false, losses: [failureMessage(error)] };
  }
};

const testEveryMs = 7 * 24 * 60 * 60 * 1000;
const backupsPerRun = 200;

/** Enqueues a test of every backup that was not tested for a week. */
export const testBackups = { name: 'restores.test-backups', payload: z.object({}) };

export const testBackupsJob = ({ db, queue, clock }: TestDependencies): Job => ({
  ...testBackups,
  cron: '29 * * * *',
  async run() {
    const before = new Date(clock.now().getTime() - testEveryMs);
    for (const owner of await listBackupsToTestRestore(db, before, backupsPerRun)) {
      await db.transaction((tx) => queue.enqueue(tx, testBackup, owner));
    }
  },
});
