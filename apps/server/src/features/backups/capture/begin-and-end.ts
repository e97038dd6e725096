import type { Database, Transaction } from '../../../db/connect.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import type { Queue } from '../../../queue/queue.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { releaseStorage } from '../objects/jobs.ts';
import { deleteReferences } from '../objects/queries.ts';
import { type BackupOwner, beginBackup, endBackup, findBackup } from '../queries.ts';

type StoredBackup = NonNullable<Awaited<ReturnType<typeof findBackup>>>;

/**
 * Under the lease: a worker that was suspended must not delete the references of a backup that another
 * worker has completed.
 */
export const begin = (db: Database, owner: BackupOwner, { lease }: LeasedRun) =>
  lease.transaction(db, async (tx) => {
    if (!(await beginBackup(tx, owner))) return undefined;
    await deleteReferences(tx, owner);
    return findBackup(tx, owner);
  });

export const fail = (
  { db, queue }: { db: Database; queue: Pick<Queue, 'enqueue'> },
  backup: StoredBackup,
  error: string,
  { lease }: LeasedRun,
): Promise<void> =>
  lease.transaction(db, async (tx) => {
    const owner = { accountId: backup.accountId, backupId: backup.id };
    if (!(await endBackup(tx, owner, { status: 'failed', error }))) return;
    await deleteReferences(tx, owner);
    await queue.enqueue(tx, releaseStorage, { accountId: backup.accountId });
    // A restore that cannot take its safety backup ends, and that raises an alert of its own. Who asked for a
    // temporary one waits for it.
    if (backup.kind !== 'PRE_RESTORE' && !backup.isTemporary) {
      const { accountId, serverId } = backup;
      const facts = { backupId: backup.id, error };
      await raiseAlert(tx, { queue }, { accountId, serverId, kind: 'BACKUP_FAILED', facts });
    }
    await recordEnd(tx, backup, 'backup.fail', { error });
  });

export const recordEnd = (
  tx: Transaction,
  backup: StoredBackup,
  action: 'backup.complete' | 'backup.fail',
  changes: Record<string, unknown>,
) =>
  recordAudit(tx, {
    accountId: backup.accountId,
    actor: systemActor,
    action,
    subject: { type: 'backup', id: backup.id },
    changes: { serverId: backup.serverId, name: backup.name, ...changes },
  });
