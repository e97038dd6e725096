import { z } from 'zod';
import type { Queue } from '../../queue/queue.ts';
import type { ServerPurger } from '../servers/jobs.ts';
import { deleteSomeBackups } from './queries.ts';

/** Gives back the storage of what nothing refers to any more. */
export const freeAccount = {
  name: 'backups.free',
  payload: z.object({ accountId: z.guid() }),
};

export const purgeBackups =
  (queue: Pick<Queue, 'enqueue'>): ServerPurger =>
  async (tx, serverId) => {
    const gone = await deleteSomeBackups(tx, serverId);
    const [owner] = gone;
    if (owner) await queue.enqueue(tx, freeAccount, { accountId: owner.accountId });
    return gone.length;
  };
