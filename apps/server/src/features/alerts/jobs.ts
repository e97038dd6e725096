import { alertKinds } from '@holdfast/contract';
import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import { deleteInBatches } from '../../db/queries/purge-rows.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Job, ofAccount } from '../../queue/job.ts';
import type { Queue } from '../../queue/queue.ts';
import { claimMessage } from './deliver/claim-message.ts';
import { type SendDependencies, sendMail, sendPost } from './deliver/send-message.ts';
import { deleteAlertsBefore } from './queries/alerts.ts';
import type { MessageOwner } from './queries/messages.ts';

/** Enqueued by every alert that is to be told, for each way. */
export const deliverAlerts = {
  name: 'alerts.deliver',
  payload: z.object({
    accountId: z.guid(),
    serverId: z.guid().nullable(),
    kind: z.enum(alertKinds),
    way: z.enum(['email', 'channel']),
    /** It was put off by an earlier one. */
    isFollowUp: z.boolean().default(false),
  }),
  groupOf: ofAccount,
  concurrency: 8,
};

const messagePayload = z.object({ accountId: z.guid(), messageId: z.guid() });
export const sendAlertMail = {
  name: 'alerts.send-mail',
  payload: messagePayload,
  groupOf: ofAccount,
  concurrency: 8,
};
export const postAlert = {
  name: 'alerts.post',
  payload: messagePayload,
  groupOf: ofAccount,
  concurrency: 16,
};

const messageJobs = { email: sendAlertMail, channel: postAlert };

const defaultWindowMs = 10 * 60 * 1000;

type DeliverDependencies = {
  db: Database;
  queue: Pick<Queue, 'enqueue'>;
  /** Replaces the ten minutes in which there is one message, in tests. */
  alertWindowMs?: number;
};

export const deliverAlertsJob = ({
  db,
  queue,
  alertWindowMs: windowMs = defaultWindowMs,
}: DeliverDependencies): Job<z.output<typeof deliverAlerts.payload>> => ({
  ...deliverAlerts,
  run: ({ isFollowUp, ...group }) =>
    db.transaction(async (tx) => {
      const claim = await claimMessage(tx, group, { windowMs, isFollowUp });
      if (!claim) return;
      if ('lookAgainInSeconds' in claim) {
        const startAfterSeconds = claim.lookAgainInSeconds;
        const again = { ...group, isFollowUp: true };
        return queue.enqueue(tx, deliverAlerts, again, { startAfterSeconds });
      }
      const owner = { accountId: group.accountId, messageId: claim.messageId };
      await queue.enqueue(tx, messageJobs[group.way], owner);
    }),
});

export const sendAlertMailJob = (dependencies: SendDependencies): Job<MessageOwner> => ({
  ...sendAlertMail,
  run: (owner) => sendMail(dependencies, owner),
});

export const postAlertJob = (dependencies: SendDependencies): Job<MessageOwner> => ({
  ...postAlert,
  run: (owner) => sendPost(dependencies, owner),
});

const keptDays = 90;
const dayMs = 24 * 60 * 60 * 1000;
const rowsAtATime = 1000;

/** Deletes alerts, read or not, once they are so old. */
export const expireAlerts = { name: 'alerts.expire', payload: z.object({}) };

export const expireAlertsJob = ({ db, clock }: { db: Database; clock: Clock }): Job => ({
  ...expireAlerts,
  cron: '23 * * * *',
  run(_, signal) {
    const before = new Date(clock.now().getTime() - keptDays * dayMs);
    return deleteInBatches({ signal, pauseMs: 20 }, () =>
      deleteAlertsBefore(db, before, rowsAtATime),
    );
  },
});
