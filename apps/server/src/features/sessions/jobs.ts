import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import type { Job } from '../../queue/job.ts';
import { forgetExpired } from './queries.ts';

export const forgetSessions = { name: 'sessions.forget', payload: z.object({}) };

export const forgetSessionsJob = (db: Database): Job => ({
  ...forgetSessions,
  cron: '*/10 * * * *',
  run: () => forgetExpired(db),
});
