import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import { type Listening, type ListenTimes, startListening } from '../../db/notify/listen.ts';
import { notify } from '../../db/queries.ts';
import { parseJson } from '../../kernel/json.ts';
import type { Log } from '../../kernel/log.ts';

/**
 * Notifies the workers of other processes that a job was queued (LISTEN/NOTIFY). Notifications only save
 * time: polling finds those that a crash or an outage loses.
 *
 * Example: a process commits a job of the queue `backups.take`. Its announcer sends
 * `{ from: <sender>, due: ['backups.take'] }`; every other process calls `onDue('backups.take')`. For a
 * job that starts later it sends `{ from, later: true }`, and the others poll for when it is due.
 */
const channel = 'holdfast_queue';

const notification = z.object({
  /** Identifies the sending process, which ignores its own announcements. */
  from: z.string(),
  /** Queues with a job that can start now. */
  due: z.array(z.string()).optional(),
  /** A job was queued that is due later. */
  later: z.boolean().optional(),
});

const send = (db: Database, content: z.infer<typeof notification>) =>
  notify(db, channel, JSON.stringify(content));

export type Announcer = { announce(queue: string, isLater: boolean): void };

/**
 * Announcements are sent after the commit and not in the job's transaction: a transaction that notifies
 * holds a global lock during its commit. While one is being sent, further ones are collected.
 */
export const createAnnouncer = (db: Database, senderId: string): Announcer => {
  const due = new Set<string>();
  let hasLater = false;
  let isSending = false;

  const sendAll = async () => {
    isSending = true;
    while (due.size > 0 || hasLater) {
      const content = { from: senderId, due: [...due], later: hasLater };
      due.clear();
      hasLater = false;
      await send(db, content).catch(() => undefined);
    }
    isSending = false;
  };

  return {
    announce(queue, isLater) {
      if (isLater) hasLater = true;
      else due.add(queue);
      if (!isSending) sendAll();
    },
  };
};

type ListenDependencies = {
  url: string;
  db: Database;
  log: Log;
  senderId: string;
  times: ListenTimes;
  onDue(queue: string): void;
  /** A job may be due that no notification announced, or will be due later: poll. */
  onUnknown(): void;
};

const sentences = {
  lost: 'notifications of the queue do not arrive; it is polled instead',
  back: 'notifications of the queue arrive again',
};

/** Listens for the announcements of other processes. */
export const listenForJobs = (dependencies: ListenDependencies): Listening => {
  const { senderId, onDue, onUnknown } = dependencies;
  return startListening({
    ...dependencies,
    ...{ channel, sentences, onMissed: onUnknown },
    onMessage(text) {
      const parsed = notification.safeParse(parseJson(text));
      if (!parsed.success || parsed.data.from === senderId) return;
      const { due = [], later } = parsed.data;
      for (const queue of due) onDue(queue);
      if (later) onUnknown();
    },
  });
};
