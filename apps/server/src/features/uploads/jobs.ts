import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import { handleDueRows } from '../../db/due-rows.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Job } from '../../queue/job.ts';
import type { Queue } from '../../queue/queue.ts';
import { recordAudit } from '../audit/queries.ts';
import { systemActor } from '../audit/rules.ts';
import { releaseStorage } from '../backups/objects/jobs.ts';
import { releaseHolds } from '../backups/objects/queries.ts';
import { deleteExpiredUpload, listExpiredUploads } from './queries.ts';

const hourMs = 60 * 60 * 1000;
const unusedMs = 24 * hourMs;
/** Longer than a request that may still be storing it. */
const pendingMs = hourMs;

type ExpiryDependencies = { db: Database; log: Log; clock: Clock; queue: Pick<Queue, 'enqueue'> };

/** Deletes uploads that nothing has used for a day, and those whose request was never committed. */
export const expireUploads = { name: 'uploads.expire', payload: z.object({}) };

export const expireUploadsJob = (dependencies: ExpiryDependencies): Job => ({
  ...expireUploads,
  cron: '27 * * * *',
  runsAtStart: true,
  run: (_, signal) => expireUnusedUploads(dependencies, signal),
});

export const expireUnusedUploads = (
  { db, log, clock, queue }: ExpiryDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const now = clock.now().getTime();
  const times = {
    unusedBefore: new Date(now - unusedMs),
    pendingBefore: new Date(now - pendingMs),
  };
  return handleDueRows(
    { db, log, signal },
    {
      action: 'delete an unused upload',
      list: (db, limit) => listExpiredUploads(db, times, limit),
      async handle(tx, upload) {
        if (!(await deleteExpiredUpload(tx, upload, times))) return;
        const { id, accountId, storedAt } = upload;
        await releaseHolds(tx, id);
        await queue.enqueue(tx, releaseStorage, { accountId });
        if (!storedAt) return;
        const subject = { type: 'upload', id };
        await recordAudit(tx, {
          ...{ accountId, actor: systemActor, action: 'upload.expire', subject, changes: {} },
        });
      },
    },
  );
};
