import { connectDatabase, type Database, type Transaction } from '../../../src/db/connect.ts';
import type { BlobStore } from '../../../src/integrations/blobs/blob-store.ts';
import { serviceUrl } from '../pooled-url.ts';

/**
 * A worker that dies at its nth step: steps are before, in and after each transaction and each file. Its
 * connections break, and what it was about to do does not happen.
 */
export const createMortalWorker = (databaseUrl: string, deathAt: number) => {
  const url = serviceUrl(databaseUrl);
  const db = connectDatabase(url, { name: 'holdfast-test-mortal', poolSize: 4 });
  const death = Promise.withResolvers<'dead'>();
  let steps = 0;
  const step = async (): Promise<void> => {
    steps++;
    if (steps === deathAt) {
      await db.$client.close({ timeout: 0 });
      death.resolve('dead');
    }
    if (steps >= deathAt) await new Promise(() => undefined);
  };
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    await step();
    const result = await work();
    await step();
    return result;
  };
  const transaction = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
    around(() =>
      db.transaction(async (tx) => {
        const result = await work(tx);
        await step();
        return result;
      }),
    );
  const mortal: Database = Object.assign(Object.create(db), { transaction });
  return { db: mortal, around, died: death.promise, close: () => db.$client.close() };
};

/** The blob store of such a worker; what it stored stays. */
export const mortalStore = (
  store: BlobStore,
  around: ReturnType<typeof createMortalWorker>['around'],
) => ({
  ...store,
  get: (name: string) => around(() => store.get(name)),
  put: (name: string, bytes: Uint8Array<ArrayBuffer>) => around(() => store.put(name, bytes)),
});
