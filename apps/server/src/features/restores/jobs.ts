import { z } from 'zod';
import type { LeasedJob } from '../../queue/job.ts';
import type { BackupTools } from '../backups/take-backup.ts';
import { executeRestore } from './execute.ts';
import type { RestoreOwner } from './queries.ts';

export const runRestore = {
  name: 'restores.run',
  payload: z.object({ restoreId: z.guid(), accountId: z.guid() }),
};

export const runRestoreJob = (tools: BackupTools): LeasedJob<RestoreOwner> => ({
  ...runRestore,
  concurrency: 32,
  groupConcurrency: 8,
  subjectOf: ({ restoreId }) => `restore:${restoreId}`,
  run: (owner, signal, lease) => executeRestore(tools, owner, { signal, lease }),
});
