import { z } from 'zod';
import { BlobBroken } from '../../../integrations/blobs/blob-store.ts';
import type { Log } from '../../../kernel/log.ts';
import { type Job, type LeasedJob, ofAccount } from '../../../queue/job.ts';
import { findBackup } from '../queries.ts';
import { indexBackups } from './index-backups.ts';
import { listAccountsWithErasures, listBackupsToRedact } from './queries.ts';
import { type RedactionDependencies, redactBackup } from './redact-backup.ts';

type Dependencies = RedactionDependencies & {
  log: Log;
  /** Redacts what other features store about people, such as the journals of restores. */
  redactElsewhere(accountId: string, signal: AbortSignal): Promise<void>;
};

/** Redacts all backups of an account. A second run finds nothing left to redact. */
export const redactAccount = {
  name: 'backups.redact',
  payload: z.object({ accountId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 2,
};

export const redactAccountJob = (dependencies: Dependencies): LeasedJob<{ accountId: string }> => ({
  ...redactAccount,
  subjectOf: ({ accountId }) => `redact:${accountId}`,
  async run({ accountId }, signal, lease) {
    for (const backupId of await listBackupsToRedact(dependencies.db, accountId)) {
      signal.throwIfAborted();
      const owner = { accountId, backupId };
      await redactBackup(dependencies, owner, { signal, lease }).catch(async (err) => {
        // It was deleted while it was being rewritten.
        if (!(await findBackup(dependencies.db, owner))) return;
        // What cannot be read cannot be restored either; the other backups are still to be redacted.
        if (!(err instanceof BlobBroken)) throw err;
        dependencies.log.error({ err, accountId, backupId }, 'a broken backup cannot be redacted');
      });
    }
    await dependencies.redactElsewhere(accountId, signal);
  },
});

/** Enqueues the accounts whose redaction is not complete, such as one that waited for a restore. */
export const redactAccounts = { name: 'backups.redact-all', payload: z.object({}) };

export const redactAccountsJob = ({ db, queue }: Dependencies): Job => ({
  ...redactAccounts,
  cron: '11 * * * *',
  runsAtStart: true,
  async run(_, signal) {
    for (const accountId of await listAccountsWithErasures(db)) {
      signal.throwIfAborted();
      if ((await listBackupsToRedact(db, accountId)).length === 0) continue;
      await db.transaction((tx) => queue.enqueue(tx, redactAccount, { accountId }));
    }
  },
});

/** Indexes who is in the objects that were stored before there was an index. */
export const indexPeople = { name: 'backups.index-people', payload: z.object({}) };

export const indexPeopleJob = (dependencies: Dependencies): Job => ({
  ...indexPeople,
  cron: '51 * * * *',
  runsAtStart: true,
  run: (_, signal) => indexBackups(dependencies, signal),
});
