import type { Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { recordAudits } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { measureBackup } from '../../backups/objects/queries.ts';
import { endBackup, insertBackup } from '../../backups/queries.ts';
import { countsOf } from '../../backups/rules.ts';
import { findOwnedServer } from '../../servers/queries.ts';
import { settleCompleted, settleReturned } from '../orders/settle.ts';
import { lockOrder, type StoredOrder } from '../queries/orders.ts';
import { statusAfter } from '../rules.ts';
import {
  type Delivery,
  type DeliveryDependencies,
  deletedMessage,
  discardDelivery,
  failBackup,
  Undeliverable,
} from './delivery.ts';

/** Completes the backup and the order, and pays the seller, in one transaction. */
export const completeDelivery = (
  dependencies: DeliveryDependencies,
  { order: { id: orderId }, template, backupId }: Delivery,
  { lease }: LeasedRun,
): Promise<void> =>
  lease.transaction(dependencies.db, async (tx) => {
    const order = await lockOrder(tx, orderId);
    if (!order) return;
    if (!statusAfter(order.status, 'complete')) {
      return discardDelivery(tx, dependencies, order);
    }
    const { buyerId: accountId, serverId } = order;
    const owner = { accountId, backupId };
    const { manifest: checksum, components, counts } = template;
    const isEnded = await endBackup(tx, owner, {
      ...{ status: 'completed', checksum, components, counts: { ...countsOf({}), ...counts } },
      ...(await measureBackup(tx, owner)),
      ...{ suspicious: false, warnings: [] },
    });
    if (!isEnded || serverId === null) throw new Undeliverable(deletedMessage);
    await dependencies.onCompleted(tx, { ...owner, serverId, kind: 'MARKETPLACE' });
    const { entries } = await settleCompleted(tx, dependencies, order, { actor: systemActor });
    const completed = {
      ...{ accountId, actor: systemActor, action: 'backup.complete' as const },
      subject: { type: 'backup', id: backupId },
      changes: { checksum, suspicious: false },
    };
    await recordAudits(tx, [completed, ...entries]);
  });

/** Returns the buyer's money. The list of backups shows the reason. */
export const failDelivery = (
  dependencies: DeliveryDependencies,
  orderId: string,
  error: string,
  { lease }: LeasedRun,
): Promise<void> =>
  lease.transaction(dependencies.db, async (tx) => {
    const order = await lockOrder(tx, orderId);
    if (!order) return;
    if (!statusAfter(order.status, 'fail')) {
      return discardDelivery(tx, dependencies, order);
    }
    const backupEntries =
      order.backupId === null
        ? await insertFailedBackup(tx, order, error)
        : await failBackup(tx, dependencies, order, error);
    const { entries } = await settleReturned(tx, order, 'fail', { actor: systemActor, error });
    await alertBuyer(tx, dependencies, order, { backupEntries, error });
    await recordAudits(tx, [...backupEntries, ...entries]);
  });

/** Where the server is deleted there is no backup, and nobody who waits for it. */
const alertBuyer = async (
  tx: Transaction,
  dependencies: Pick<DeliveryDependencies, 'queue'>,
  { buyerId: accountId, serverId }: StoredOrder,
  { backupEntries: [failed], error }: { backupEntries: AuditedChange[]; error: string },
): Promise<void> => {
  const backupId = failed?.subject.id;
  if (!backupId || serverId === null) return;
  const facts = { backupId, error };
  await raiseAlert(tx, dependencies, { accountId, serverId, kind: 'BACKUP_FAILED', facts });
};

/** A delivery that could not begin is listed as a failed backup, too. */
const insertFailedBackup = async (
  tx: Transaction,
  { id: orderId, buyerId: accountId, serverId, listingTitle: name }: StoredOrder,
  error: string,
): Promise<AuditedChange[]> => {
  const server = serverId === null ? undefined : await findOwnedServer(tx, { accountId, serverId });
  if (!server) return [];
  const id = newId();
  await insertBackup(tx, {
    ...{ id, accountId, serverId: server.id, name, kind: 'MARKETPLACE', components: [] },
    ...{ messagesPerChannel: 0, status: 'failed', error },
  });
  return [
    {
      ...{ accountId, actor: systemActor, action: 'backup.fail' as const },
      subject: { type: 'backup', id },
      changes: { error, orderId },
    },
  ];
};
