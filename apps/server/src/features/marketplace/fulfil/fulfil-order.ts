import { isDatabaseFailure } from '../../../db/failures.ts';
import { Refusal } from '../../../kernel/errors.ts';
import { inParallel } from '../../../kernel/in-parallel.ts';
import { failureSentence } from '../../backups/failure-sentence.ts';
import { addressOf } from '../../backups/objects/address.ts';
import { listBlobsOfHolder } from '../../backups/objects/queries.ts';
import { createObjectSaver } from '../../backups/objects/save-objects.ts';
import { findBackup } from '../../backups/queries.ts';
import { findPlan } from '../../accounts/queries.ts';
import { type StoredOrder, tellObjectsDone } from '../orders/queries.ts';
import { beginDelivery } from './begin-delivery.ts';
import { type Delivery, type FulfilTools, goneWords, type Run, Undeliverable } from './delivery.ts';
import { completeDelivery, failDelivery } from './end-delivery.ts';

/**
 * Delivers a template into the buyer's account, as a backup. A worker that takes over copies again:
 * what is there already is only looked at. It ends, with the money, in one transaction.
 */
export const fulfil = async (tools: FulfilTools, orderId: string, run: Run): Promise<void> => {
  let delivery: Delivery | undefined;
  try {
    delivery = await beginDelivery(tools, orderId, run);
    if (!delivery) return;
    await copyObjects(tools, delivery, run);
    await completeDelivery(tools, delivery, run);
  } catch (error) {
    run.signal.throwIfAborted();
    const isGone = delivery !== undefined && (await isDeleted(tools, delivery));
    if (isDatabaseFailure(error) && !isGone) throw error;
    tools.log.warn({ err: error, orderId }, 'an order could not be delivered');
    await failDelivery(tools, orderId, isGone ? goneWords : wordsFor(error), run);
  }
};

/** With its server, or by itself: nothing could refer to it any more, as the database says. */
const isDeleted = async ({ db }: FulfilTools, { order, backupId }: Delivery): Promise<boolean> =>
  (await findBackup(db, { accountId: order.buyerId, backupId })) === undefined;

const wordsFor = (error: unknown): string =>
  error instanceof Undeliverable || error instanceof Refusal
    ? error.message
    : failureSentence(error);

const objectsAtOnce = 8;

/** Sealed for the seller as they are, they are opened and sealed anew for the buyer. */
const copyObjects = async (
  tools: FulfilTools,
  { order, template, backupId }: Delivery,
  { signal, lease }: Run,
): Promise<void> => {
  const { db, blobs, limitsOf } = tools;
  const accountId = order.buyerId;
  const limitBytes = limitsOf((await findPlan(db, accountId)) ?? 'FREE').maxStorageBytes;
  const save = createObjectSaver({ db, blobs, lease, accountId, backupId, limitBytes });
  const advance = createTeller(tools, order);
  const objects = await listBlobsOfHolder(db, { accountId: template.accountId, holderId: template.id });
  await inParallel(objectsAtOnce, objects, async (object) => {
    signal.throwIfAborted();
    await save(await blobs.read(addressOf(object)));
    advance();
  });
};

const tellEveryMs = 250;

const createTeller = ({ db, log }: FulfilTools, order: StoredOrder) => {
  let done = 0;
  let toldAt = 0;
  return (): void => {
    done++;
    if (performance.now() - toldAt < tellEveryMs) return;
    toldAt = performance.now();
    tellObjectsDone(db, order, done).catch((err) =>
      log.warn({ err, orderId: order.id }, 'progress could not be told'),
    );
  };
};
