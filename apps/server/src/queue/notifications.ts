import { z } from 'zod';
import { closeDatabase, connectDatabase, type Database } from '../db/connect.ts';
import { newId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import { notify } from './queries.ts';

const channel = 'holdfast_queue';

/** `due`: queues with a job that can be taken now. `later`: a job is due at a time to be asked for. */
const news = z.object({
  from: z.string(),
  due: z.array(z.string()).optional(),
  later: z.boolean().optional(),
  echo: z.string().optional(),
});
type News = z.infer<typeof news>;

export type Announcer = {
  /** Tells the workers of other processes. What a crash or an outage swallows, their polling finds. */
  announce(queue: string, isLater: boolean): void;
};

/**
 * Sent after the commit and not inside the transaction: a transaction that notifies holds a lock over
 * its commit which all others that notify wait for. While one is on its way, what comes is put together.
 */
export const createAnnouncer = (db: Database, ourselves: string): Announcer => {
  const due = new Set<string>();
  let isLater = false;
  let isSending = false;

  const sendAll = async () => {
    isSending = true;
    while (due.size > 0 || isLater) {
      const told = { due: [...due], later: isLater };
      due.clear();
      isLater = false;
      await send(db, { ...told, from: ourselves }).catch(() => undefined);
    }
    isSending = false;
  };

  return {
    announce(queue, isOfLater) {
      if (isOfLater) isLater = true;
      else due.add(queue);
      if (!isSending) sendAll();
    },
  };
};

const send = (db: Database, told: News) => notify(db, channel, JSON.stringify(told));

export type ListenTimes = typeof usualListenTimes;

export const usualListenTimes = {
  /** How often it is tried out whether notifications arrive. */
  echoEveryMs: 20_000,
  echoWithinMs: 8000,
};

type ListenTools = {
  url: string;
  db: Database;
  log: Log;
  /** Tells our own notifications from those of others. */
  ourselves: string;
  times: ListenTimes;
  onDue(queue: string): void;
  /** Something may be due that no notification told of, or will be at a time to be asked for. */
  onUnknown(): void;
};

export type Listening = { isAlive(): boolean; stop(): Promise<void> };

/**
 * Hears what other processes announce, over a connection of its own. A connection that is cut is
 * replaced by the driver. One that fell silent, or a pooler that does not pass notifications on, is
 * noticed because our own echo does not come back: until it does, `isAlive` is false and the queues are
 * polled more often.
 */
export const beginListening = (tools: ListenTools): Listening => {
  const { db, log, ourselves, times, onDue, onUnknown } = tools;
  let isAlive = false;
  let isToldOf = false;
  let isStopped = false;
  let connection: Database | undefined;
  let onEcho: (id: string) => void = () => undefined;
  const wakeUp = Promise.withResolvers<void>();

  const hear = (text: string) => {
    const heard = news.safeParse(parseJson(text));
    if (!heard.success) return;
    const { from, due = [], later, echo } = heard.data;
    if (from === ourselves) {
      if (echo !== undefined) onEcho(echo);
      return;
    }
    for (const queue of due) onDue(queue);
    if (later) onUnknown();
  };

  const connect = async () => {
    const fresh = connectDatabase(tools.url, { name: 'holdfast-listen', poolSize: 1 });
    connection = fresh;
    // Whatever was announced while nobody listened is looked for, now and after every reconnection.
    await fresh.$client.listen(channel, hear, onUnknown);
  };

  const disconnect = async () => {
    const lost = connection;
    connection = undefined;
    await lost?.$client.close({ timeout: 0 }).catch(() => undefined);
  };

  const hearsEcho = async (): Promise<boolean> => {
    const id = newId();
    const heard = new Promise<void>((resolve) => {
      onEcho = (echoed) => echoed === id && resolve();
    });
    await send(db, { from: ourselves, echo: id });
    return within(times.echoWithinMs, heard);
  };

  const check = async () => {
    try {
      if (!connection && !(await within(times.echoWithinMs, connect()))) return false;
      return await hearsEcho();
    } catch {
      return false;
    }
  };

  const watch = async () => {
    while (!isStopped) {
      isAlive = await check();
      if (!isAlive) await disconnect();
      if (!isAlive && !isToldOf) {
        log.warn({}, 'notifications of the queue do not arrive; it is polled instead');
      }
      if (isAlive && isToldOf) log.info({}, 'notifications of the queue arrive again');
      isToldOf = !isAlive;
      await Promise.race([Bun.sleep(times.echoEveryMs), wakeUp.promise]);
    }
  };
  const watching = watch();

  return {
    isAlive: () => isAlive,
    async stop() {
      isStopped = true;
      wakeUp.resolve();
      await watching;
      if (connection) await closeDatabase(connection);
    },
  };
};

const within = (ms: number, work: Promise<unknown>): Promise<boolean> =>
  Promise.race([work.then(() => true), Bun.sleep(ms).then(() => false)]);

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
