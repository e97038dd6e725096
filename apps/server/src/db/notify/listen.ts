import { succeedsWithin } from '../../kernel/deadline.ts';
import { newId } from '../../kernel/ids.ts';
import type { Log } from '../../kernel/log.ts';
import { closeDatabase, connectDatabase, type Database } from '../connect.ts';
import { notify } from '../queries.ts';

export type ListenTimes = typeof defaultListenTimes;

export const defaultListenTimes = {
  /** How often the listener checks with an echo that notifications arrive. */
  echoEveryMs: 20_000,
  echoWithinMs: 8000,
};

type ListenDependencies = {
  url: string;
  /** Sends the echoes; the listener has a connection of its own. */
  db: Database;
  channel: string;
  times: ListenTimes;
  log: Log;
  /** What is logged when notifications stop to arrive, and when they arrive again. */
  sentences: { lost: string; back: string };
  onMessage(text: string): void;
  /** Notifications may have been missed: at the start and after every reconnection. */
  onMissed(): void;
  onLost?(): void;
};

export type Listening = {
  /** Whether notifications arrive, as far as the last echo shows. */
  isAlive(): boolean;
  stop(): Promise<void>;
};

const echoPrefix = 'echo ';
const stopWithinMs = 2000;

/**
 * Listens on a channel (LISTEN/NOTIFY) over a connection of its own. Every `echoEveryMs` it sends itself
 * an echo over another connection:
 *
 *   alive        the echo arrived.
 *   not alive    it did not: the connection no longer answers, or a pooler drops notifications. The
 *                connection is closed, and the next check opens a new one.
 *
 * A connection that was reset is reopened by the driver, which then calls `onMissed`. Only changes of
 * the state are logged.
 */
export const startListening = (dependencies: ListenDependencies): Listening => {
  const { url, db, channel, times, log, sentences, onMessage, onMissed } = dependencies;
  let isAlive = false;
  let isLossLogged = false;
  let isStopped = false;
  let connection: Database | undefined;
  let onEcho: (id: string) => void = () => undefined;
  const stopped = Promise.withResolvers<void>();
  let wake: () => void = () => undefined;

  const onNotification = (text: string) => {
    if (text.startsWith(echoPrefix)) onEcho(text.slice(echoPrefix.length));
    else onMessage(text);
  };

  const connect = async () => {
    const fresh = connectDatabase(url, {
      ...{ name: 'holdfast-listen', poolSize: 1 },
      // Notifications of the new primary arrive only on a connection to it.
      onReplaced: () => disconnect().then(wake),
    });
    connection = fresh;
    await fresh.$client.listen(channel, onNotification, onMissed);
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
    await notify(db, channel, `${echoPrefix}${id}`);
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
      if (!isAlive) {
        dependencies.onLost?.();
        await disconnect();
      }
      if (!isAlive && !isLossLogged) log.warn({}, sentences.lost);
      if (isAlive && isLossLogged) log.info({}, sentences.back);
      isLossLogged = !isAlive;
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([Bun.sleep(times.echoEveryMs), stopped.promise, woken]);
    }
  };
  const watching = watch();

  return {
    isAlive: () => isAlive,
    async stop() {
      isStopped = true;
      stopped.resolve();
      // A check that waits for a silent connection is left to itself.
      await succeedsWithin(stopWithinMs, watching);
      if (connection) await closeDatabase(connection);
    },
  };
};
