import type { Transaction } from '../../../db/connect.ts';
import type { Queue } from '../../../queue/queue.ts';
import { findEmail } from '../../accounts/queries.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { insertNotice, type NewNotice } from '../queries/notices.ts';
import type { Facts, Standing } from '../rules.ts';
import { sendNotice } from './jobs.ts';

type NotifyDependencies = { queue: Pick<Queue, 'enqueue'> };

/** Sends one mail per subject. An account without an address gets an audit entry instead. */
export const notify = async (
  tx: Transaction,
  { queue }: NotifyDependencies,
  notice: NewNotice,
): Promise<AuditedChange[]> => {
  const noticeId = await insertNotice(tx, notice);
  if (noticeId === undefined) return [];
  const { accountId, subscriptionId, kind } = notice;
  if ((await findEmail(tx, accountId)) !== null) {
    await queue.enqueue(tx, sendNotice, { noticeId });
    return [];
  }
  return [
    {
      ...{ accountId, actor: systemActor, action: 'billing.mail_skipped' },
      subject: { type: 'subscription', id: subscriptionId },
      changes: { notice: kind, reason: 'The account has no e-mail address' },
    },
  ];
};

type PastDue = Pick<Standing, 'status'> & { id: string; accountId: string; facts: Facts };

/** At most one mail per unpaid invoice; of several invoices the newest counts. */
export const notifyPaymentFailed = async (
  tx: Transaction,
  dependencies: NotifyDependencies,
  { id: subscriptionId, accountId, status, facts }: PastDue,
): Promise<AuditedChange[]> => {
  if (status !== 'PAST_DUE') return [];
  const subject = facts.failures?.findLast((failure) => failure.invoiceId !== null)?.invoiceId;
  if (!subject) return [];
  const notice = { kind: 'PAYMENT_FAILED', subject, accountId, subscriptionId } as const;
  return notify(tx, dependencies, notice);
};
