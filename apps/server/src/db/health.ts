import { closeDatabase, connectDatabase } from './connect.ts';
import { ping } from './queries.ts';

export type DatabaseHealth = {
  isReachable(): boolean;
  /**
   * For whoever comes during an outage: asks at once whether it is over, rather than at the next turn.
   * Waits only for a question that was just asked: one without an answer so far has its answer.
   */
  lookAgain(): Promise<void>;
  stop(): Promise<void>;
};

const pingEveryMs = 500;
const pingDeadlineMs = 2000;
const promptAnswerMs = 100;

/**
 * Asks the database once and again over a connection of its own. While it does not answer, requests
 * are refused at once instead of each waiting out its time and filling the memory.
 */
export const watchDatabase = (
  url: string,
  onChange: (isReachable: boolean) => void = () => undefined,
): DatabaseHealth => {
  const connect = () => connectDatabase(url, { name: 'holdfast-health', poolSize: 1 });
  let db = connect();
  let reachable = true;
  let stopped = false;
  let asked: { at: number; answer: Promise<void> } | undefined;

  const ask = async (): Promise<void> => {
    const isAnswered = await answersInTime(ping(db));
    if (isAnswered !== reachable && !stopped) {
      reachable = isAnswered;
      onChange(reachable);
    }
    if (isAnswered) return;
    // The connection itself may be what is lost: a network that swallowed it says nothing.
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
  const watch = async () => {
    while (!stopped) {
      await askOnce().answer;
      await Bun.sleep(pingEveryMs);
    }
  };
  const watching = watch();

  return {
    isReachable: () => reachable,
    async lookAgain() {
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

const answersInTime = async (answer: Promise<unknown>): Promise<boolean> => {
  const answered = answer.then(
    () => true,
    () => false,
  );
  return Promise.race([answered, Bun.sleep(pingDeadlineMs).then(() => false)]);
};
