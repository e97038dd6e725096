import type { Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { recordAudits } from '../../audit/record-audits.ts';
import { measureBackup } from '../../backups/objects/queries.ts';
import { endBackup, insertBackup } from '../../backups/queries.ts';
import { countsOf } from '../../backups/rules.ts';
import { findOwnedServer } from '../../servers/queries.ts';
import { lockOrder, type StoredOrder } from '../orders/queries.ts';
import { settleCompleted, settleReturned } from '../orders/settle.ts';
import { statusAfter } from '../rules.ts';
import { system } from '../tools.ts';
import { type Delivery, type FulfilTools, goneWords, type Run, Undeliverable } from './delivery.ts';
import { abandonBackup, dropDelivery } from './drop-delivery.ts';

/** The backup, the order, the seller's money and all audit entries: together or not at all. */
export const completeDelivery = (
  tools: FulfilTools,
  { order: { id: orderId }, template, backupId }: Delivery,
  { lease }: Run,
): Promise<void> =>
  tools.db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    const order = await lockOrder(tx, orderId);
    if (!order) return;
    if (!statusAfter(order.status, 'complete')) {
      return dropDelivery(tx, tools, order, `The order is ${order.status}`);
    }
    const { buyerId: accountId, serverId } = order;
    const owner = { accountId, backupId };
    const { manifest: checksum, components, counts } = template;
    const isEnded = await endBackup(tx, owner, {
      ...{ status: 'completed', checksum, components, counts: { ...countsOf({}), ...counts } },
      ...(await measureBackup(tx, owner)),
      ...{ suspicious: false, warnings: [] },
    });
    if (!isEnded || serverId === null) throw new Undeliverable(goneWords);
    await tools.onCompleted(tx, { ...owner, serverId, kind: 'MARKETPLACE' });
    const { entries } = await settleCompleted(tx, tools, order, { actor: system });
    const completed = {
      ...{ accountId, actor: system, action: 'backup.complete' },
      subject: { type: 'backup', id: backupId },
      changes: { checksum, suspicious: false },
    };
    await recordAudits(tx, [completed, ...entries]);
  });

/** The buyer gets the money back, and reads why in the list of backups. */
export const failDelivery = (
  tools: FulfilTools,
  orderId: string,
  error: string,
  { lease }: Run,
): Promise<void> =>
  tools.db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    const order = await lockOrder(tx, orderId);
    if (!order) return;
    if (!statusAfter(order.status, 'fail')) {
      return dropDelivery(tx, tools, order, `The order is ${order.status}`);
    }
    const told =
      order.backupId === null
        ? await tellInList(tx, order, error)
        : await abandonBackup(tx, tools, order, error);
    const { entries } = await settleReturned(tx, order, 'fail', { actor: system, error });
    await recordAudits(tx, [...told, ...entries]);
  });

/** One that could not even begin is listed as failed all the same. */
const tellInList = async (
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
      ...{ accountId, actor: system, action: 'backup.fail' },
      subject: { type: 'backup', id },
      changes: { error, orderId },
    },
  ];
};
