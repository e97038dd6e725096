import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import type { Job } from '../../queue/job.ts';
import { deleteExpiredSessions } from './queries.ts';

/** Deletes sessions and sign-ins that have expired. */
export const expireSessions = { name: 'sessions.expire', payload: z.object({}) };

export const expireSessionsJob = ({ db }: { db: Database }): Job => ({
  ...expireSessions,
  cron: '4-59/10 * * * *',
  run: () => deleteExpiredSessions(db),
});
