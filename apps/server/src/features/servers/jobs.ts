import { z } from 'zod';
import type { Database, Transaction } from '../../db/connect.ts';
import { commitWithoutWaiting } from '../../db/queries.ts';
import type { Job } from '../../queue/job.ts';
import { eraseDeletedServer, isMarkedDeleted } from './queries.ts';

/** Deletes at most `most` rows of a server and says how many there were; 0 when all are gone. */
export type ServerPurger = (tx: Transaction, serverId: string, most: number) => Promise<number>;

/** A few milliseconds of work, then a longer rest: nobody else should feel a purge. */
const rowsAtATime = 250;
const restMs = 20;

export const purgeServer = {
  name: 'servers.purge',
  payload: z.object({ serverId: z.guid() }),
};

/** Erases all that belonged to a deleted server, in chunks, then the server itself. */
export const purgeServerJob = (
  db: Database,
  purgers: readonly ServerPurger[],
): Job<{ serverId: string }> => ({
  ...purgeServer,
  async run({ serverId }, signal) {
    if (!(await isMarkedDeleted(db, serverId))) return;
    for (const purge of purgers) {
      while ((await purgeSome(db, purge, serverId)) > 0) {
        signal.throwIfAborted();
        await Bun.sleep(restMs);
      }
    }
    await eraseDeletedServer(db, serverId);
  },
});

const purgeSome = (db: Database, purge: ServerPurger, serverId: string): Promise<number> =>
  db.transaction(async (tx) => {
    // What a crash brings back is purged again: no need to wait for the disk.
    await commitWithoutWaiting(tx);
    return purge(tx, serverId, rowsAtATime);
  });
