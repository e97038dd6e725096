import type { Transaction } from '../../../db/connect.ts';
import { recordAudits } from '../../audit/record-audits.ts';
import { addBackup } from '../../backups/add-backup.ts';
import { listBlobsOfHolder } from '../../backups/objects/queries.ts';
import { beginBackup } from '../../backups/queries.ts';
import { findOwnedServer } from '../../servers/queries.ts';
import { findPlan } from '../../accounts/queries.ts';
import { bothEntries } from '../orders/entries.ts';
import { lockOrder, type StoredOrder, updateOrder } from '../orders/queries.ts';
import { statusAfter } from '../rules.ts';
import { findTemplate } from '../template/queries.ts';
import { system } from '../tools.ts';
import {
  type Delivery,
  type FulfilTools,
  type Run,
  type Template,
  Undeliverable,
} from './delivery.ts';
import { dropDelivery } from './drop-delivery.ts';

/**
 * The backup is there before its first object is, and the order knows it: whoever takes over goes on with
 * the same one. Undefined where there is nothing to deliver any more.
 */
export const beginDelivery = (
  tools: FulfilTools,
  orderId: string,
  { lease }: Run,
): Promise<Delivery | undefined> =>
  tools.db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    const order = await lockOrder(tx, orderId);
    // A disputed charge may be lost: it is delivered once that is decided.
    if (!order || order.isDisputed) return undefined;
    const status = statusAfter(order.status, 'deliver');
    if (!status) {
      await dropDelivery(tx, tools, order, `The order is ${order.status}`);
      return undefined;
    }
    const template = await requireTemplate(tx, order);
    if (order.backupId !== null) return { order, template, backupId: order.backupId };
    const backup = await createBackup(tx, tools, order, template);
    const holder = { accountId: template.accountId, holderId: template.id };
    const objectsTotal = (await listBlobsOfHolder(tx, holder)).length;
    const begun = await updateOrder(tx, order, { status, backupId: backup.id, objectsTotal });
    const changes = { status: { from: order.status, to: status } };
    const { name, components, serverId } = backup;
    await recordAudits(tx, [
      {
        ...{ accountId: order.buyerId, actor: system, action: 'backup.create' },
        subject: { type: 'backup', id: backup.id },
        changes: { serverId, name, components, orderId },
      },
      ...bothEntries(begun, { actor: system }, { action: 'order.deliver', changes }),
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
  { limitsOf }: FulfilTools,
  { buyerId: accountId, serverId, listingTitle: name }: StoredOrder,
  { components }: Template,
) => {
  const server = serverId === null ? undefined : await findOwnedServer(tx, { accountId, serverId });
  if (!server) throw new Undeliverable('The server that it was ordered for is gone');
  const plan = (await findPlan(tx, accountId)) ?? 'FREE';
  const account = { accountId, plan, limits: limitsOf(plan) };
  const backup = await addBackup(tx, { account, server, kind: 'MARKETPLACE', name, components });
  await beginBackup(tx, { accountId, backupId: backup.id });
  return backup;
};
