import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import type { Job } from '../../queue/job.ts';
import { deleteExpiredAuthorizations } from './queries.ts';

/** Deletes what programs asked for, some minutes after it has expired. */
export const expireAuthorizations = { name: 'device-login.expire', payload: z.object({}) };

export const expireAuthorizationsJob = ({ db }: { db: Database }): Job => ({
  ...expireAuthorizations,
  cron: '8-59/10 * * * *',
  run: () => deleteExpiredAuthorizations(db),
});
