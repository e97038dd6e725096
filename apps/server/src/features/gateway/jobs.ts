import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import type { Job } from '../../queue/job.ts';
import { releaseLostBots } from './hold/spread.ts';
import { deleteOldIdentifies } from './queries/identifies.ts';

/** Gateway processes do this too; where the last one died, a worker corrects what the bots show. */
export const releaseLost = { name: 'gateway.release-lost', payload: z.object({}) };

export const releaseLostJob = ({ db }: { db: Database }): Job => ({
  ...releaseLost,
  cron: '*/5 * * * *',
  async run() {
    await db.transaction(releaseLostBots);
    await deleteOldIdentifies(db);
  },
});
