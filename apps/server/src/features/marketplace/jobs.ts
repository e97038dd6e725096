import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import { handleDueRows } from '../../db/due-rows.ts';
import type { Log } from '../../kernel/log.ts';
import type { Job } from '../../queue/job.ts';
import { recordAudits } from '../audit/queries.ts';
import { systemActor } from '../audit/rules.ts';
import { releaseStorage } from '../backups/objects/jobs.ts';
import { releaseHolds } from '../backups/objects/queries.ts';
import { type SettleDependencies, settleCompleted, settleUnpaid } from './orders/settle.ts';
import { type ReturnPaymentDependencies, returnPayment } from './payments/return-payment.ts';
import { listReturningPayments } from './queries/order-payments.ts';
import { listUnconfirmed, listUnpaid, lockOrder } from './queries/orders.ts';
import { listChangedSince, setSearchText } from './queries/search-texts.ts';
import { deleteUnusedTemplate, listUnusedTemplates } from './queries/templates.ts';
import { listingSearchText, statusAfter } from './rules.ts';

const minuteMs = 60 * 1000;
/** A payment that was made in the last moment arrives a little later. */
const expireAfterMs = 15 * minuteMs;
const confirmAfterMs = 14 * 24 * 60 * minuteMs;
/** Longer than a request that may still be making the template. */
const unusedAfterMs = 60 * minuteMs;
/** Longer than the attempts of the payment's own job: the provider was down, or the payment is disputed. */
const retryReturnAfterMs = 2 * 60 * minuteMs;
const maxRetries = 200;
/** Longer than between two runs of the job. */
const foldedAgainMs = 30 * minuteMs;
const maxFolded = 1000;

/**
 * Expires unpaid orders, confirms delivered ones, deletes unused templates, retries refunds and lets what
 * older versions saved be found.
 */
export const expireOrders = { name: 'marketplace.expire-orders', payload: z.object({}) };

type ExpiryDependencies = SettleDependencies & { db: Database; log: Log };

export const expireOrdersJob = (
  dependencies: ExpiryDependencies & ReturnPaymentDependencies,
): Job => ({
  ...expireOrders,
  cron: '2-59/5 * * * *',
  runsAtStart: true,
  async run(_, signal) {
    await expireDueOrders(dependencies, signal);
    await retryReturns(dependencies, signal);
    await foldChangedListings(dependencies);
  },
});

export const expireDueOrders = async (dependencies: ExpiryDependencies, signal: AbortSignal) => {
  const { db, log, clock, queue } = dependencies;
  const context = { db, log, signal };
  const before = (ms: number) => new Date(clock.now().getTime() - ms);

  const expireBefore = before(expireAfterMs);
  await handleDueRows(context, {
    action: 'expire an order',
    list: (db, limit) => listUnpaid(db, expireBefore, limit),
    async handle(tx, { id }) {
      const order = await lockOrder(tx, id);
      // Paid or cancelled in the meantime.
      if (!order || !statusAfter(order.status, 'expire')) return;
      const { entries } = await settleUnpaid(tx, order, 'expire', { actor: systemActor });
      await recordAudits(tx, entries);
    },
  });

  const confirmBefore = before(confirmAfterMs);
  await handleDueRows(context, {
    action: 'confirm an order',
    list: (db, limit) => listUnconfirmed(db, confirmBefore, limit),
    async handle(tx, { id }) {
      const order = await lockOrder(tx, id);
      if (!order || !statusAfter(order.status, 'complete')) return;
      const { entries } = await settleCompleted(tx, { clock }, order, { actor: systemActor });
      await recordAudits(tx, entries);
    },
  });

  const unusedBefore = before(unusedAfterMs);
  await handleDueRows(context, {
    action: 'delete an unused template',
    list: (db, limit) => listUnusedTemplates(db, unusedBefore, limit),
    async handle(tx, { id, accountId }) {
      if (!(await deleteUnusedTemplate(tx, id))) return;
      await releaseHolds(tx, id);
      await queue.enqueue(tx, releaseStorage, { accountId });
    },
  });
};

/** During an update a process of the version before saves listings without what they are found by. */
export const foldChangedListings = async ({
  db,
  clock,
}: Pick<ExpiryDependencies, 'db' | 'clock'>): Promise<void> => {
  const since = new Date(clock.now().getTime() - foldedAgainMs);
  for (const listing of await listChangedSince(db, since, maxFolded)) {
    const searchText = listingSearchText(listing.title, listing.description);
    if (searchText !== listing.searchText) await setSearchText(db, { ...listing, searchText });
  }
};

/** Late payments that were not refunded within the attempts of their own job. */
const retryReturns = async (
  dependencies: ExpiryDependencies & ReturnPaymentDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const { db, log, clock } = dependencies;
  const before = new Date(clock.now().getTime() - retryReturnAfterMs);
  for (const { id } of await listReturningPayments(db, before, maxRetries)) {
    signal.throwIfAborted();
    await returnPayment(dependencies, id).catch((err) =>
      log.warn({ err, id }, 'a late payment could not be refunded yet'),
    );
  }
};
