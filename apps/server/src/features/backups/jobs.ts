import { z } from 'zod';
import { type LeasedJob, ofAccount } from '../../queue/job.ts';
import type { Queue } from '../../queue/queue.ts';
import type { ServerPurger } from '../servers/jobs.ts';
import { type BackupDependencies, executeBackup } from './capture/execute-backup.ts';
import { releaseStorage } from './objects/jobs.ts';
import { type BackupOwner, deleteSomeBackups } from './queries.ts';

export const runBackup = {
  name: 'backups.run',
  payload: z.object({ backupId: z.guid(), accountId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 64,
};

/** A backup mostly waits for the platform, so one worker can run many. */
export const runBackupJob = (dependencies: BackupDependencies): LeasedJob<BackupOwner> => ({
  ...runBackup,
  subjectOf: ({ backupId }) => `backup:${backupId}`,
  run: (payload, signal, lease) => executeBackup(dependencies, payload, { signal, lease }),
});

export const purgeBackups =
  (queue: Pick<Queue, 'enqueue'>): ServerPurger =>
  async (tx, serverId) => {
    const deleted = await deleteSomeBackups(tx, serverId);
    const [owner] = deleted;
    if (owner) await queue.enqueue(tx, releaseStorage, { accountId: owner.accountId });
    return deleted.length;
  };
