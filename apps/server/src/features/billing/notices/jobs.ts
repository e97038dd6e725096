import { z } from 'zod';
import type { Database } from '../../../db/connect.ts';
import { headerText, type Mailer } from '../../../integrations/mailer.ts';
import type { Job } from '../../../queue/job.ts';
import { findNotice, markSent } from '../queries/notices.ts';
import { type Facts, graceEnd } from '../rules.ts';
import { noticeMail } from './mail-text.ts';

export const sendNotice = {
  name: 'billing.send-notice',
  payload: z.object({ noticeId: z.guid() }),
};

type SendNoticeDependencies = {
  db: Database;
  mailer: Mailer;
  baseUrl: string;
  billing: { graceDays: number };
};

/** A crash between the last two steps sends the mail again, under the same id. */
export const sendNoticeJob = ({
  db,
  mailer,
  baseUrl,
  billing,
}: SendNoticeDependencies): Job<z.output<typeof sendNotice.payload>> => ({
  ...sendNotice,
  concurrency: 2,
  async run({ noticeId }) {
    const notice = await findNotice(db, noticeId);
    if (!notice || notice.sentAt !== null || notice.email === null) return;
    const { kind, status, facts, email } = notice;
    // The payment succeeded while the mail waited.
    if (kind === 'PAYMENT_FAILED' && status !== 'PAST_DUE') return;
    const name = headerText(notice.displayName ?? notice.username);
    const plan = facts.plan?.name ?? 'FREE';
    const until = endOf(facts, billing.graceDays);
    const mail = noticeMail(kind, { name, plan, until, baseUrl });
    await mailer.send({ id: noticeId, to: { name, address: email }, ...mail });
    await markSent(db, noticeId);
  },
});

const endOf = (facts: Facts, graceDays: number): Date =>
  facts.prepaidUntil === undefined
    ? graceEnd(facts, graceDays)
    : new Date(facts.prepaidUntil * 1000);
