import { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import type { Queue } from '../../../queue/queue.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { findEmail } from '../../accounts/queries.ts';
import type { Facts, Standing } from '../rules.ts';
import type { HeldSubscription } from '../subscriptions/queries.ts';
import { insertNotice, type NewNotice } from './queries.ts';

export const sendNotice = {
  name: 'billing.send-notice',
  payload: z.object({ noticeId: z.guid() }),
};

type Tools = { queue: Pick<Queue, 'enqueue'> };

/** One mail, however often it is asked for; where there is no address, that is to be recorded instead. */
export const notify = async (
  tx: Transaction,
  { queue }: Tools,
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
      ...{ accountId, actor: { type: 'SYSTEM', id: null }, action: 'billing.mail_skipped' },
      subject: { type: 'subscription', id: subscriptionId },
      changes: { notice: kind, reason: 'The account has no e-mail address' },
    },
  ];
};

/** Of several invoices that were not paid the newest is told about; one mail for each at most. */
export const notifyOfFailure = async (
  tx: Transaction,
  tools: Tools,
  { id, accountId }: Pick<HeldSubscription, 'id'> & { accountId: string },
  { status, facts }: Pick<Standing, 'status'> & { facts: Facts },
): Promise<AuditedChange[]> => {
  if (status !== 'PAST_DUE') return [];
  const invoiceId = facts.failures?.findLast((failure) => failure.invoiceId !== null)?.invoiceId;
  if (!invoiceId) return [];
  const notice = {
    kind: 'PAYMENT_FAILED',
    subject: invoiceId,
    accountId,
    subscriptionId: id,
  } as const;
  return notify(tx, tools, notice);
};
