import type { Transaction } from '../../../db/connect.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { recordAudits } from '../../audit/record-audits.ts';
import { freeAccount } from '../../backups/free-account.ts';
import { dropReferences } from '../../backups/objects/queries.ts';
import { endBackup } from '../../backups/queries.ts';
import type { StoredOrder } from '../orders/queries.ts';
import { type MarketTools, system } from '../tools.ts';

type Tools = Pick<MarketTools, 'queue'>;

/** Ends the backup of an order that is not delivered after all, and gives its storage back. */
export const abandonBackup = async (
  tx: Transaction,
  { queue }: Tools,
  { buyerId: accountId, backupId }: StoredOrder,
  error: string,
): Promise<AuditedChange[]> => {
  if (backupId === null) return [];
  const owner = { accountId, backupId };
  if (!(await endBackup(tx, owner, { status: 'failed', error }))) return [];
  await dropReferences(tx, owner);
  await queue.enqueue(tx, freeAccount, { accountId });
  return [
    {
      ...{ accountId, actor: system, action: 'backup.fail' },
      subject: { type: 'backup', id: backupId },
      changes: { error },
    },
  ];
};

/** The order has ended otherwise: only what was begun of it has to go. */
export const dropDelivery = async (
  tx: Transaction,
  tools: Tools,
  order: StoredOrder,
  error: string,
): Promise<void> => recordAudits(tx, await abandonBackup(tx, tools, order, error));
