import { closeDatabase, connectDatabase } from './connect.ts';
import { ping } from './queries.ts';

export type DatabaseHealth = { isReachable(): boolean; stop(): Promise<void> };

const pingEveryMs = 500;
const pingDeadlineMs = 2000;

/**
 * Asks the database once and again over a connection of its own. While it does not answer, requests
 * are refused at once instead of each waiting out its time and filling the memory.
 */
export const watchDatabase = (url: string): DatabaseHealth => {
  const connect = () => connectDatabase(url, { name: 'holdfast-health', poolSize: 1 });
  let db = connect();
  let reachable = true;
  let stopped = false;

  const watch = async () => {
    while (!stopped) {
      reachable = await answersInTime(ping(db));
      if (!reachable) {
        // The connection itself may be what is lost: a network that swallowed it says nothing.
        const lost = db;
        db = connect();
        await Promise.allSettled([lost.$client.close({ timeout: 0 })]);
      }
      await Bun.sleep(pingEveryMs);
    }
  };
  const watching = watch();

  return {
    isReachable: () => reachable,
    async stop() {
      stopped = true;
      await watching;
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
