import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import type { Job } from '../../queue/job.ts';
import { eraseDeletedServer, isMarkedDeleted } from './queries.ts';

/** Deletes at most `most` rows of a server and says how many there were; 0 when all are gone. */
export type ServerPurger = (db: Database, serverId: string, most: number) => Promise<number>;

const rowsAtATime = 1000;
/** Leaves the disk and the locks to others between two chunks. */
const pauseMs = 30;

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
      while ((await purge(db, serverId, rowsAtATime)) > 0) {
        signal.throwIfAborted();
        await Bun.sleep(pauseMs);
      }
    }
    await eraseDeletedServer(db, serverId);
  },
});
