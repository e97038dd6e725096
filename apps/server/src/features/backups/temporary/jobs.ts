import { temporaryBackupHours } from '@holdfast/contract';
import { z } from 'zod';
import type { Database, Transaction } from '../../../db/connect.ts';
import { violatedConstraint } from '../../../db/failures.ts';
import { type Job, ofAccount } from '../../../queue/job.ts';
import type { Queue } from '../../../queue/queue.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { releaseStorage } from '../objects/jobs.ts';
import type { BackupOwner } from '../queries.ts';
import { deleteTemporary } from './queries.ts';

/** Temporary backups that the program that made them has not deleted, for example because it was killed. */
export const expireTemporary = {
  name: 'backups.expireTemporary',
  payload: z.object({ backupId: z.guid(), accountId: z.guid() }),
  groupOf: ofAccount,
};

type Dependencies = { db: Database; queue: Pick<Queue, 'enqueue'> };

/** In the transaction that makes it, so that a crash leaves nothing behind. */
export const deleteLater = (
  tx: Transaction,
  queue: Pick<Queue, 'enqueue'>,
  owner: BackupOwner,
): Promise<void> =>
  queue.enqueue(tx, expireTemporary, owner, { startAfterSeconds: temporaryBackupHours * 60 * 60 });

export const expireTemporaryJob = (dependencies: Dependencies): Job<BackupOwner> => ({
  ...expireTemporary,
  run: (owner) => expireBackup(dependencies, owner),
});

/** One that a restore reads is looked at again later. */
export const expireBackup = ({ db, queue }: Dependencies, owner: BackupOwner): Promise<void> =>
  db
    .transaction((tx) => expire(tx, queue, owner))
    .catch((error) => {
      if (!violatedConstraint(error)) throw error;
      return db.transaction((tx) => deleteLater(tx, queue, owner));
    });

const expire = async (
  tx: Transaction,
  queue: Pick<Queue, 'enqueue'>,
  owner: BackupOwner,
): Promise<void> => {
  const deleted = await deleteTemporary(tx, owner);
  if (!deleted) return;
  const { accountId, backupId } = owner;
  await queue.enqueue(tx, releaseStorage, { accountId });
  await recordAudit(tx, {
    ...{ accountId, actor: systemActor, action: 'backup.expire' },
    subject: { type: 'backup', id: backupId },
    changes: { serverId: deleted.serverId, reason: 'it was temporary' },
  });
};
