import type { Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Queue } from '../../../queue/queue.ts';
import { recordAudit } from '../../audit/queries.ts';
import { holdBackup } from '../../backups/queries.ts';
import { runRepair } from '../jobs.ts';
import { insertRestore } from '../queries/restores.ts';
import type { UndoScope } from './scope.ts';
import { undoComponents } from './wanted-guild.ts';

type Undo = {
  accountId: string;
  serverId: string;
  incidentId: string;
  /** The last good backup of the server. */
  backupId: string;
  scope: UndoScope;
  actor: Actor;
};

/** Starts a repair of exactly what the scope names; else says why not. */
export const startUndo = async (
  tx: Transaction,
  queue: Pick<Queue, 'enqueue'>,
  { accountId, serverId, incidentId, backupId, scope, actor }: Undo,
) => {
  const backup = await holdBackup(tx, { id: serverId, accountId }, backupId);
  if (backup?.status !== 'completed') return 'noBackup' as const;
  const components = undoComponents(scope);
  const restore = await insertRestore(tx, {
    ...{ id: newId(), accountId, serverId, backupId, heldBackupId: backupId, components },
    ...{ mode: 'REPAIR', incidentId, undo: scope },
  });
  if (!restore) return 'underWay' as const;
  await queue.enqueue(tx, runRepair, { restoreId: restore.id, accountId });
  await recordAudit(tx, {
    ...{ accountId, actor, action: 'restore.create' },
    subject: { type: 'restore', id: restore.id },
    changes: { backupId, serverId, components, mode: 'REPAIR', deleteExtra: false, incidentId },
  });
  return restore;
};
