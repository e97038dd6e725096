import { z } from 'zod';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { succeedsWithin } from '../../kernel/deadline.ts';
import { newId } from '../../kernel/ids.ts';
import { parseJson } from '../../kernel/json.ts';
import type { Log } from '../../kernel/log.ts';
import { notify } from '../queries.ts';

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
  /** A listener's own check that notifications arrive. */
  echo: z.string().optional(),
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

export type ListenTimes = typeof defaultListenTimes;

export const defaultListenTimes = {
  /** How often the listener checks with an echo that notifications arrive. */
  echoEveryMs: 20_000,
  echoWithinMs: 8000,
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

type Listening = { isAlive(): boolean; stop(): Promise<void> };

/**
 * Listens over a connection of its own. Every `echoEveryMs` it sends itself an echo over another
 * connection:
 *
 *   alive        the echo arrived. Queues are polled rarely.
 *   not alive    it did not: the connection no longer answers, or a pooler drops notifications. The
 *                connection is closed, the next check opens a new one, and queues are polled often.
 *
 * A connection that was reset is reopened by the driver, which then calls `onUnknown`. Only changes of
 * the state are logged.
 */
export const startListening = (dependencies: ListenDependencies): Listening => {
  const { url, db, log, senderId, times, onDue, onUnknown } = dependencies;
  let isAlive = false;
  let isLossLogged = false;
  let isStopped = false;
  let connection: Database | undefined;
  let onEcho: (id: string) => void = () => undefined;
  const stopped = Promise.withResolvers<void>();

  const onNotification = (text: string) => {
    const parsed = notification.safeParse(parseJson(text));
    if (!parsed.success) return;
    const { from, due = [], later, echo } = parsed.data;
    if (from === senderId) {
      if (echo !== undefined) onEcho(echo);
      return;
    }
    for (const queue of due) onDue(queue);
    if (later) onUnknown();
  };

  const connect = async () => {
    const fresh = connectDatabase(url, { name: 'holdfast-listen', poolSize: 1 });
    connection = fresh;
    // `onUnknown` runs now and after every reconnection: announcements may have been missed.
    await fresh.$client.listen(channel, onNotification, onUnknown);
  };

  const disconnect = async () => {
    const lost = connection;
    connection = undefined;
    await lost?.$client.close({ timeout: 0 }).catch(() => undefined);
  };

  const receivesEcho = async (): Promise<boolean> => {
    const id = newId();
    const received = new Promise<void>((resolve) => {
      onEcho = (echoed) => echoed === id && resolve();
    });
    await send(db, { from: senderId, echo: id });
    return succeedsWithin(times.echoWithinMs, received);
  };

  const check = async () => {
    try {
      if (!connection && !(await succeedsWithin(times.echoWithinMs, connect()))) return false;
      return await receivesEcho();
    } catch {
      return false;
    }
  };

  const watch = async () => {
    while (!isStopped) {
      isAlive = await check();
      if (!isAlive) await disconnect();
      if (!isAlive && !isLossLogged) {
        log.warn({}, 'notifications of the queue do not arrive; it is polled instead');
      }
      if (isAlive && isLossLogged) log.info({}, 'notifications of the queue arrive again');
      isLossLogged = !isAlive;
      await Promise.race([Bun.sleep(times.echoEveryMs), stopped.promise]);
    }
  };
  const watching = watch();

  return {
    isAlive: () => isAlive,
    async stop() {
      isStopped = true;
      stopped.resolve();
      await watching;
      if (connection) await closeDatabase(connection);
    },
  };
};
