import { z } from 'zod';
import type { Job, LeasedJob } from '../../queue/job.ts';
import { freeAccount } from './free-account.ts';
import { freeObjects, sweepStorage } from './objects/free-objects.ts';
import type { BackupOwner } from './queries.ts';
import { type BackupTools, takeBackup } from './take-backup.ts';

const owner = z.object({ backupId: z.guid(), accountId: z.guid() });

export const runBackup = { name: 'backups.run', payload: owner };
export const sweepObjects = { name: 'backups.sweep', payload: z.object({}) };

/** Mostly waiting for the platform, so many of them are no burden. */
export const runBackupJob = (tools: BackupTools): LeasedJob<BackupOwner> => ({
  ...runBackup,
  concurrency: 64,
  groupConcurrency: 60,
  subjectOf: ({ backupId }) => `backup:${backupId}`,
  run: (payload, signal, lease) => takeBackup(tools, payload, { signal, lease }),
});

type FreeingTools = Pick<BackupTools, 'db' | 'blobs' | 'log'>;

export const freeAccountJob = ({ db, blobs }: FreeingTools): Job<{ accountId: string }> => ({
  ...freeAccount,
  run: ({ accountId }, signal) => freeObjects(db, blobs, accountId, signal),
});

/** Finds what a crash left behind: objects without a reference, files without an object. */
export const sweepObjectsJob = ({ db, blobs, log }: FreeingTools): Job => ({
  ...sweepObjects,
  cron: '41 * * * *',
  runsAtStart: true,
  async run(_, signal) {
    const swept = await sweepStorage(db, blobs, signal);
    if (swept > 0) log.info({ swept }, 'files that nothing referred to are deleted');
  },
});
