import type { Transaction } from '../../../db/connect.ts';
import type { Queue } from '../../../queue/queue.ts';
import { findEmail } from '../../accounts/queries.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import { withdrawMessages } from '../../alerts/queries/messages.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import type { Mismatch } from '../events/order-payments.ts';
import { insertNotice, type NewNotice } from '../queries/notices.ts';
import { type Facts, graceEnd, type Standing } from '../rules.ts';
import { sendNotice } from './jobs.ts';

type NotifyDependencies = { queue: Pick<Queue, 'enqueue'> };

/** Sends one mail per period that ends. An account without an address gets an audit entry instead. */
export const notifyPeriodEnding = async (
  tx: Transaction,
  { queue }: NotifyDependencies,
  period: Omit<NewNotice, 'kind'>,
): Promise<AuditedChange[]> => {
  const notice = { kind: 'PERIOD_ENDING', ...period } as const;
  const noticeId = await insertNotice(tx, notice);
  if (noticeId === undefined) return [];
  if (!(await hasAddress(tx, notice))) return [skippedMail(notice)];
  await queue.enqueue(tx, sendNotice, { noticeId, accountId: period.accountId });
  return [];
};

type PastDue = Pick<Standing, 'status'> & {
  id: string;
  accountId: string;
  facts: Facts;
  statusBefore: Standing['status'];
};

/**
 * Raises one alert per unpaid invoice; of several invoices the newest counts. The alert's mail is the mail
 * about the failed payment, and is not sent once the payment has succeeded.
 */
export const notifyPaymentFailed = async (
  tx: Transaction,
  dependencies: NotifyDependencies & { billing: { graceDays: number } },
  { id: subscriptionId, accountId, status, statusBefore, facts }: PastDue,
): Promise<AuditedChange[]> => {
  if (status !== 'PAST_DUE') {
    const isOver = statusBefore === 'PAST_DUE';
    // Of a payment that was not accepted its payer still has to hear.
    if (isOver) await withdrawMessages(tx, { accountId, kind: 'PAYMENT_FAILED', fact: 'until' });
    return [];
  }
  const subject = facts.failures?.findLast((failure) => failure.invoiceId !== null)?.invoiceId;
  if (!subject) return [];
  const notice = { kind: 'PAYMENT_FAILED', subject, accountId, subscriptionId } as const;
  if ((await insertNotice(tx, notice)) === undefined) return [];
  const until = graceEnd(facts, dependencies.billing.graceDays).toISOString();
  await raiseAlert(tx, dependencies, {
    ...{ accountId, serverId: null, kind: 'PAYMENT_FAILED' },
    facts: { plan: facts.plan?.name ?? 'FREE', until },
  });
  return (await hasAddress(tx, notice)) ? [] : [skippedMail(notice)];
};

/** A payment was not accepted. Its invoice or order can still be paid. */
export const alertOfMismatch = (
  tx: Transaction,
  dependencies: NotifyDependencies,
  { accountId, mismatch }: { accountId: string; mismatch: Mismatch },
): Promise<void> => {
  const { orderId, amountCents, currency } = mismatch;
  const facts = { mismatchedOrderId: orderId, amountCents, currency };
  return raiseAlert(tx, dependencies, {
    ...{ accountId, serverId: null, kind: 'PAYMENT_FAILED', facts },
  });
};

const hasAddress = async (tx: Transaction, { accountId }: NewNotice): Promise<boolean> =>
  (await findEmail(tx, accountId)) !== null;

const skippedMail = ({ accountId, subscriptionId, kind }: NewNotice): AuditedChange => ({
  ...{ accountId, actor: systemActor, action: 'billing.mail_skipped' },
  subject: { type: 'subscription', id: subscriptionId },
  changes: { notice: kind, reason: 'The account has no e-mail address' },
});
