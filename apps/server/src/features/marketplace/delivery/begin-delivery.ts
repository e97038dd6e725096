import type { Transaction } from '../../../db/connect.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { findPlan } from '../../accounts/queries.ts';
import { recordAudits } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { createBackupWithinPlan } from '../../backups/capture/create-backup.ts';
import { listBlobsOfHolder } from '../../backups/objects/queries.ts';
import { beginBackup } from '../../backups/queries.ts';
import { findOwnedServer } from '../../servers/queries.ts';
import { entriesForBoth } from '../orders/audit-entries.ts';
import { lockOrder, type StoredOrder, updateOrder } from '../queries/orders.ts';
import { findTemplate } from '../queries/templates.ts';
import { statusAfter } from '../rules.ts';
import {
  type Delivery,
  type DeliveryDependencies,
  discardDelivery,
  type Template,
  Undeliverable,
} from './delivery.ts';

/**
 * Creates the backup before its first object is copied and stores its id with the order, so that a worker
 * that takes over continues with the same backup. Undefined where there is nothing left to deliver.
 */
export const beginDelivery = (
  dependencies: DeliveryDependencies,
  orderId: string,
  { lease }: LeasedRun,
): Promise<Delivery | undefined> =>
  lease.transaction(dependencies.db, async (tx) => {
    const order = await lockOrder(tx, orderId);
    // The order is delivered once its dispute is decided in the seller's favour.
    if (!order || order.isDisputed) return undefined;
    const status = statusAfter(order.status, 'deliver');
    if (!status) {
      await discardDelivery(tx, dependencies, order);
      return undefined;
    }
    const template = await requireTemplate(tx, order);
    if (order.backupId !== null) return { order, template, backupId: order.backupId };
    const backup = await createBackup(tx, dependencies, order, template);
    const holder = { accountId: template.accountId, holderId: template.id };
    const objectsTotal = (await listBlobsOfHolder(tx, holder)).length;
    const begun = await updateOrder(tx, order, { status, backupId: backup.id, objectsTotal });
    const changes = { status: { from: order.status, to: status } };
    const { name, components, serverId } = backup;
    await recordAudits(tx, [
      {
        ...{ accountId: order.buyerId, actor: systemActor, action: 'backup.create' },
        subject: { type: 'backup', id: backup.id },
        changes: { serverId, name, components, orderId },
      },
      ...entriesForBoth(begun, { actor: systemActor }, { action: 'order.deliver', changes }),
    ]);
    return { order: begun, template, backupId: backup.id };
  });

const requireTemplate = async (tx: Transaction, { listingId }: StoredOrder): Promise<Template> => {
  const template = await findTemplate(tx, listingId);
  if (!template?.manifest) throw new Undeliverable('The template is not there any more');
  return { ...template, manifest: template.manifest };
};

const createBackup = async (
  tx: Transaction,
  { limitsOf }: DeliveryDependencies,
  { buyerId: accountId, serverId, listingTitle: name }: StoredOrder,
  { components }: Template,
) => {
  const server = serverId === null ? undefined : await findOwnedServer(tx, { accountId, serverId });
  if (!server) throw new Undeliverable('The server that it was ordered for is gone');
  const plan = (await findPlan(tx, accountId)) ?? 'FREE';
  const account = { accountId, plan, limits: limitsOf(plan) };
  const backup = await createBackupWithinPlan(tx, {
    account,
    server,
    kind: 'MARKETPLACE',
    name,
    components,
  });
  await beginBackup(tx, { accountId, backupId: backup.id });
  return backup;
};
