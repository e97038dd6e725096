import type { Transaction } from '../../../db/connect.ts';
import type { Queue } from '../../../queue/queue.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import { type BackupOwner, lockTested, updateBackup } from '../../backups/queries.ts';

type TestResult = {
  restorable: boolean;
  losses: string[];
  provedAt: Date;
  verifiedAt?: Date;
  /** What was tested: a backup that was redacted meanwhile is tested again. */
  checksum?: string;
};

/** Raises an alert where the backup was not known to be unrestorable. */
export const recordTestResult = async (
  tx: Transaction,
  dependencies: { queue: Pick<Queue, 'enqueue'> },
  owner: BackupOwner,
  { checksum, ...result }: TestResult,
): Promise<void> => {
  const backup = await lockTested(tx, owner);
  if (!backup || (checksum !== undefined && backup.checksum !== checksum)) return;
  await updateBackup(tx, owner, result);
  if (result.restorable || backup.restorable === false) return;
  const { accountId, backupId } = owner;
  const { serverId } = backup;
  const facts = { backupId };
  await raiseAlert(tx, dependencies, { accountId, serverId, kind: 'BACKUP_UNPROVED', facts });
};
