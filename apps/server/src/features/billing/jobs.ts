import { z } from 'zod';
import { handleDueRows } from '../../db/due-rows.ts';
import type { Job } from '../../queue/job.ts';
import { recordAudit, recordAudits } from '../audit/queries.ts';
import { systemActor } from '../audit/rules.ts';
import type { BillingDependencies } from './events/process-event.ts';
import { notifyPeriodEnding } from './notices/notify.ts';
import { deletePendingInvoice, listExpiredInvoices } from './queries/invoices.ts';
import {
  listEndingSubscriptions,
  listOverdueSubscriptions,
  lockSubscriptionById,
  storeStanding,
} from './queries/subscriptions.ts';
import { standingOf } from './rules.ts';
import { changeSubscription } from './subscriptions/change-subscription.ts';

const dayMs = 24 * 60 * 60 * 1000;
const remindBeforeMs = 3 * dayMs;
/** By then even a provider that was down for days has reported a late payment. */
const keepExpiredMs = 7 * dayMs;

/** Ends grace times and prepaid months, reminds of months that end soon, and deletes expired invoices. */
export const expireSubscriptions = { name: 'billing.expire-subscriptions', payload: z.object({}) };

type ExpiryDependencies = Omit<BillingDependencies, 'orders'>;

export const expireSubscriptionsJob = (dependencies: ExpiryDependencies): Job => ({
  ...expireSubscriptions,
  cron: '7 * * * *',
  runsAtStart: true,
  run: (_, signal) => expireDueSubscriptions(dependencies, signal),
});

export const expireDueSubscriptions = async (
  dependencies: ExpiryDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const { db, log, clock, billing } = dependencies;
  const context = { db, log, signal };

  await handleDueRows(context, {
    action: 'expire a subscription',
    list: (db, limit) => listOverdueSubscriptions(db, clock.now(), limit),
    async handle(tx, { id }) {
      const subscription = await lockSubscriptionById(tx, id);
      const now = clock.now();
      // Another worker was faster, or it was paid for since.
      if (!subscription?.accountId || !subscription.changesAt || subscription.changesAt > now)
        return;
      const { accountId, facts } = subscription;
      const standing = standingOf(facts, now, billing.graceDays);
      // The operator has lengthened the grace time since `changesAt` was computed.
      if (standing.changesAt !== null) {
        return storeStanding(tx, id, { ...standing, accountId, facts });
      }
      const change = {
        accountId,
        facts,
        actor: systemActor,
        action: 'subscription.lapse',
      } as const;
      await recordAudits(tx, await changeSubscription(tx, dependencies, subscription, change));
    },
  });

  await handleDueRows(context, {
    action: 'remind of a subscription that ends',
    list(db, limit) {
      const from = clock.now();
      const to = new Date(from.getTime() + remindBeforeMs);
      return listEndingSubscriptions(db, { from, to }, limit);
    },
    async handle(tx, { id: subscriptionId, accountId, subject }) {
      const period = { subject, accountId, subscriptionId };
      await recordAudits(tx, await notifyPeriodEnding(tx, dependencies, period));
    },
  });

  await handleDueRows(context, {
    action: 'delete an expired invoice',
    list: (db, limit) =>
      listExpiredInvoices(db, new Date(clock.now().getTime() - keepExpiredMs), limit),
    async handle(tx, { id, accountId }) {
      if (!(await deletePendingInvoice(tx, { id, accountId }))) return;
      const subject = { type: 'invoice', id };
      await recordAudit(tx, { accountId, actor: systemActor, action: 'invoice.remove', subject });
    },
  });
};
