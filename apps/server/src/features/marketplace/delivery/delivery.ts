import type { Plan, PlanName } from '@holdfast/contract';
import type { Database, Transaction } from '../../../db/connect.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { Log } from '../../../kernel/log.ts';
import { type AuditedChange, recordAudits } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import type { BackupDependencies } from '../../backups/capture/execute-backup.ts';
import { releaseStorage } from '../../backups/objects/jobs.ts';
import { deleteReferences } from '../../backups/objects/queries.ts';
import { endBackup } from '../../backups/queries.ts';
import type { SettleDependencies } from '../orders/settle.ts';
import type { StoredOrder } from '../queries/orders.ts';
import type { findTemplate } from '../queries/templates.ts';

export type DeliveryDependencies = SettleDependencies & {
  db: Database;
  blobs: SealedBlobs;
  log: Log;
  onCompleted: BackupDependencies['onCompleted'];
  limitsOf(plan: PlanName): Plan;
};

export type Template = NonNullable<Awaited<ReturnType<typeof findTemplate>>> & { manifest: string };

export type Delivery = { order: StoredOrder; template: Template; backupId: string };

/** The order cannot be delivered. The message is for its buyer. */
export class Undeliverable extends Error {
  override name = 'Undeliverable';
}

export const deletedMessage = 'The backup was deleted while it was delivered, or its server was';

/** Fails the backup of an order that is not delivered after all, and releases its storage. */
export const failBackup = async (
  tx: Transaction,
  { queue }: Pick<SettleDependencies, 'queue'>,
  { buyerId: accountId, backupId }: StoredOrder,
  error: string,
): Promise<AuditedChange[]> => {
  if (backupId === null) return [];
  const owner = { accountId, backupId };
  if (!(await endBackup(tx, owner, { status: 'failed', error }))) return [];
  await deleteReferences(tx, owner);
  await queue.enqueue(tx, releaseStorage, { accountId });
  return [
    {
      ...{ accountId, actor: systemActor, action: 'backup.fail' },
      subject: { type: 'backup', id: backupId },
      changes: { error },
    },
  ];
};

/** The order has ended while it was delivered, so only the begun backup must fail. */
export const discardDelivery = async (
  tx: Transaction,
  dependencies: Pick<SettleDependencies, 'queue'>,
  order: StoredOrder,
): Promise<void> => {
  const entries = await failBackup(tx, dependencies, order, `The order is ${order.status}`);
  await recordAudits(tx, entries);
};
