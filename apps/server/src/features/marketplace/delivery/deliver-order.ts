import { isDatabaseFailure } from '../../../db/failures.ts';
import { inParallel } from '../../../kernel/concurrency.ts';
import { HttpError } from '../../../kernel/errors.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { findPlan } from '../../accounts/queries.ts';
import { failureMessage } from '../../backups/capture/failure-message.ts';
import { listBlobsOfHolder } from '../../backups/objects/queries.ts';
import { addressOf } from '../../backups/objects/read-objects.ts';
import { createObjectSaver } from '../../backups/objects/save-objects.ts';
import { findBackup } from '../../backups/queries.ts';
import { type StoredOrder, updateObjectsDone } from '../queries/orders.ts';
import { beginDelivery } from './begin-delivery.ts';
import {
  type Delivery,
  type DeliveryDependencies,
  deletedMessage,
  Undeliverable,
} from './delivery.ts';
import { completeDelivery, failDelivery } from './end-delivery.ts';

/**
 * Delivers a template into the buyer's account, as a backup. A worker that takes over starts again: objects
 * that are stored already are skipped. The delivery ends, with the money, in one transaction.
 */
export const runDelivery = async (
  dependencies: DeliveryDependencies,
  orderId: string,
  run: LeasedRun,
): Promise<void> => {
  let delivery: Delivery | undefined;
  try {
    delivery = await beginDelivery(dependencies, orderId, run);
    if (!delivery) return;
    await copyObjects(dependencies, delivery, run);
    await completeDelivery(dependencies, delivery, run);
  } catch (error) {
    run.signal.throwIfAborted();
    const isGone = delivery !== undefined && (await isDeleted(dependencies, delivery));
    if (isDatabaseFailure(error) && !isGone) throw error;
    dependencies.log.warn({ err: error, orderId }, 'an order could not be delivered');
    await failDelivery(dependencies, orderId, isGone ? deletedMessage : messageFor(error), run);
  }
};

/** The backup was deleted, alone or with its server; then the database refuses references to it. */
const isDeleted = async (
  { db }: DeliveryDependencies,
  { order, backupId }: Delivery,
): Promise<boolean> => (await findBackup(db, { accountId: order.buyerId, backupId })) === undefined;

const messageFor = (error: unknown): string =>
  error instanceof Undeliverable || error instanceof HttpError
    ? error.message
    : failureMessage(error);

const objectsAtOnce = 8;

/** The objects are sealed for the seller, so they are opened and sealed again for the buyer. */
const copyObjects = async (
  dependencies: DeliveryDependencies,
  { order, template, backupId }: Delivery,
  { signal, lease }: LeasedRun,
): Promise<void> => {
  const { db, blobs, limitsOf } = dependencies;
  const accountId = order.buyerId;
  const limitBytes = limitsOf((await findPlan(db, accountId)) ?? 'FREE').maxStorageBytes;
  const save = createObjectSaver({ db, blobs, lease, accountId, backupId, limitBytes });
  const reportObject = createProgressReporter(dependencies, order);
  const objects = await listBlobsOfHolder(db, {
    accountId: template.accountId,
    holderId: template.id,
  });
  await inParallel(objectsAtOnce, objects, async (object) => {
    signal.throwIfAborted();
    await save(await blobs.read(addressOf(object)));
    reportObject();
  });
};

const reportEveryMs = 250;

const createProgressReporter = ({ db, log }: DeliveryDependencies, order: StoredOrder) => {
  let done = 0;
  let reportedAt = 0;
  return (): void => {
    done++;
    if (performance.now() - reportedAt < reportEveryMs) return;
    reportedAt = performance.now();
    updateObjectsDone(db, order, done).catch((err) =>
      log.warn({ err, orderId: order.id }, 'the progress of a delivery could not be stored'),
    );
  };
};
