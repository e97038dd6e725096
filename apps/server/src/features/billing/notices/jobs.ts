import { z } from 'zod';
import type { Database } from '../../../db/connect.ts';
import { headerText, type Mailer } from '../../../integrations/mailer.ts';
import { type Job, ofAccountIfKnown } from '../../../queue/job.ts';
import { findNotice, markSent } from '../queries/notices.ts';
import { periodEndingMail } from './mail-text.ts';

export const sendNotice = {
  name: 'billing.send-notice',
  payload: z.object({ noticeId: z.guid(), accountId: z.guid().optional() }),
  groupOf: ofAccountIfKnown,
  concurrency: 4,
};

type SendNoticeDependencies = { db: Database; mailer: Mailer; baseUrl: string };

/** A crash between the last two steps sends the mail again, under the same id. */
export const sendNoticeJob = ({
  db,
  mailer,
  baseUrl,
}: SendNoticeDependencies): Job<z.output<typeof sendNotice.payload>> => ({
  ...sendNotice,
  async run({ noticeId }) {
    const notice = await findNotice(db, noticeId);
    if (!notice || notice.sentAt !== null || notice.email === null) return;
    const { facts, email } = notice;
    // A failed payment, of which an alert tells.
    if (facts.prepaidUntil === undefined) return;
    const name = headerText(notice.displayName ?? notice.username);
    const plan = facts.plan?.name ?? 'FREE';
    const until = new Date(facts.prepaidUntil * 1000);
    const mail = periodEndingMail({ name, plan, until, baseUrl });
    await mailer.send({ id: noticeId, to: email, ...mail });
    await markSent(db, noticeId);
  },
});
