import type { z } from 'zod';
import type { Database } from '../../../db/connect.ts';
import { asHeader, type Mailer } from '../../../integrations/mail/mailer.ts';
import type { Job } from '../../../queue/job.ts';
import { type Facts, graceEnd } from '../rules.ts';
import { sendNotice } from './notify.ts';
import { findNotice, markSent } from './queries.ts';
import { wordsOf } from './words.ts';

type Tools = {
  db: Database;
  mailer: Mailer;
  baseUrl: string;
  billing: { graceDays: number };
};

/** A crash between the two last steps sends the mail again, under the same id. */
export const sendNoticeJob = (tools: Tools): Job<z.output<typeof sendNotice.payload>> => ({
  ...sendNotice,
  concurrency: 2,
  async run({ noticeId }) {
    const notice = await findNotice(tools.db, noticeId);
    if (!notice || notice.sentAt !== null || notice.email === null) return;
    const { kind, status, facts, email } = notice;
    // Paid while the mail waited: there is nothing left to say.
    if (kind === 'PAYMENT_FAILED' && status !== 'PAST_DUE') return;
    const name = asHeader(notice.displayName ?? notice.username);
    const plan = facts.plan?.name ?? 'FREE';
    const until = endOf(facts, tools.billing.graceDays);
    const words = wordsOf(kind, { name, plan, until, baseUrl: tools.baseUrl });
    await tools.mailer.send({ id: noticeId, to: { name, address: email }, ...words });
    await markSent(tools.db, noticeId);
  },
});

const endOf = (facts: Facts, graceDays: number): Date =>
  facts.prepaidUntil === undefined
    ? graceEnd(facts, graceDays)
    : new Date(facts.prepaidUntil * 1000);
