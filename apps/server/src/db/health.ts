import { succeedsWithin } from '../kernel/deadline.ts';
import { closeDatabase, connectDatabase } from './connect.ts';
import { ping } from './queries.ts';

type DatabaseHealth = {
  isReachable(): boolean;
  /** The database has just answered somebody else, so it need not be asked for a moment. */
  noteAnswer(): void;
  /**
   * During an outage: checks now instead of at the next interval, and waits up to 100 ms for the answer.
   * Does not wait for a check that is already older than that.
   */
  recheck(): Promise<void>;
  stop(): Promise<void>;
};

const pingEveryMs = 1000;
const pingDeadlineMs = 2000;
const promptAnswerMs = 100;

/**
 * Pings the database over a connection of its own, a second after its last answer. While it does not
 * answer, requests fail at once instead of each waiting for its time-out and filling the memory.
 */
export const watchDatabase = (
  url: string,
  onChange: (isReachable: boolean) => void = () => undefined,
): DatabaseHealth => {
  const connect = () => connectDatabase(url, { name: 'holdfast-health', poolSize: 1 });
  let db = connect();
  let reachable = true;
  let stopped = false;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let asked: { at: number; answer: Promise<void> } | undefined;

  const noteAnswer = () => {
    answeredAt = performance.now();
  };
  const ask = async (): Promise<void> => {
    const isAnswered = await succeedsWithin(pingDeadlineMs, ping(db));
    if (isAnswered !== reachable && !stopped) {
      reachable = isAnswered;
      onChange(reachable);
    }
    if (isAnswered) return noteAnswer();
    // The connection itself may be lost without a reset: the next ping gets a new one.
    const lost = db;
    db = connect();
    await Promise.allSettled([lost.$client.close({ timeout: 0 })]);
  };
  const askOnce = () => {
    asked ??= {
      at: performance.now(),
      answer: ask().finally(() => {
        asked = undefined;
      }),
    };
    return asked;
  };
  const restMs = () => Math.max(0, answeredAt + pingEveryMs - performance.now());
  const watch = async () => {
    while (!stopped) {
      if (!reachable || restMs() === 0) await askOnce().answer;
      await Bun.sleep(reachable ? restMs() : pingEveryMs);
    }
  };
  const watching = watch();

  return {
    isReachable: () => reachable,
    noteAnswer,
    async recheck() {
      if (reachable || stopped) return;
      const { at, answer } = askOnce();
      const leftMs = promptAnswerMs - (performance.now() - at);
      if (leftMs > 0) await Promise.race([answer, Bun.sleep(leftMs)]);
    },
    async stop() {
      stopped = true;
      await watching;
      await asked?.answer;
      await closeDatabase(db);
    },
  };
};
