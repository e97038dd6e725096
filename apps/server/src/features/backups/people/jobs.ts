import type { Log } from '../../../kernel/log.ts';
import { BlobBroken } from '../../../integrations/blobs/blob-broken.ts';
import type { Job, LeasedJob } from '../../../queue/job.ts';
import { findBackup } from '../queries.ts';
import { indexBackups } from './index-backups.ts';
import { indexPeople, redactAccount, redactAccounts } from './job-names.ts';
import { listAccountsWithErasures, listBackupsOfErased } from './queries.ts';
import { type RedactTools, redactBackup } from './redact-backup.ts';

type Tools = RedactTools & {
  log: Log;
  /** What other features keep of people beside backups, such as the journals of restores. */
  redactElsewhere(accountId: string, signal: AbortSignal): Promise<void>;
};

/** Safe to run twice: what is redacted already is not found again. */
export const redactAccountJob = (tools: Tools): LeasedJob<{ accountId: string }> => ({
  ...redactAccount,
  concurrency: 2,
  subjectOf: ({ accountId }) => `redact:${accountId}`,
  async run({ accountId }, signal, lease) {
    for (const backupId of await listBackupsOfErased(tools.db, accountId)) {
      signal.throwIfAborted();
      const owner = { accountId, backupId };
      await redactBackup(tools, owner, { signal, lease }).catch(async (err) => {
        // Deleted while it was rewritten: nothing could refer to it any more.
        if (!(await findBackup(tools.db, owner))) return;
        // It cannot be read, so it brings nobody back either; the others are still to be done.
        if (!(err instanceof BlobBroken)) throw err;
        tools.log.error({ err, accountId, backupId }, 'a broken backup cannot be redacted');
      });
    }
    await tools.redactElsewhere(accountId, signal);
  },
});

/** What waited for a restore, and whatever else was left, is found within the hour. */
export const redactAccountsJob = ({ db, queue }: Tools): Job => ({
  ...redactAccounts,
  cron: '11 * * * *',
  runsAtStart: true,
  async run(_, signal) {
    for (const accountId of await listAccountsWithErasures(db)) {
      signal.throwIfAborted();
      const open = await listBackupsOfErased(db, accountId);
      if (open.length === 0) continue;
      await db.transaction((tx) => queue.enqueue(tx, redactAccount, { accountId }, { group: accountId }));
    }
  },
});

export const indexPeopleJob = (tools: Tools): Job => ({
  ...indexPeople,
  cron: '51 * * * *',
  runsAtStart: true,
  run: (_, signal) => indexBackups(tools, signal),
});
