import { z } from 'zod';
import type { Log } from '../../../kernel/log.ts';
import type { Job } from '../../../queue/job.ts';
import { applyRetention, type ScheduleDependencies } from './apply-retention.ts';
import { createScheduledBackup } from './create-scheduled.ts';
import { listDueServers, type ScheduledServer } from './queries.ts';

const serversAtATime = 1000;

/** Creates the backups that are due by their server's schedule. */
export const runSchedule = { name: 'backups.schedule', payload: z.object({}) };

/** Runs after a scheduled backup: deletes those that the retention no longer keeps. */
export const retainBackups = {
  name: 'backups.retain',
  payload: z.object({ serverId: z.guid(), accountId: z.guid() }),
};

type Dependencies = ScheduleDependencies & { log: Log };

export const runScheduleJob = (dependencies: Dependencies): Job => ({
  ...runSchedule,
  cron: '* * * * *',
  run: (_, signal) => createDueBackups(dependencies, signal),
});

export const createDueBackups = async (dependencies: Dependencies, signal: AbortSignal) => {
  for (const server of await listDueServers(dependencies.db, serversAtATime)) {
    signal.throwIfAborted();
    await createScheduledBackup(dependencies, server).catch((err) =>
      // A failure of one server must not delay the others.
      dependencies.log.error({ err, ...server }, 'a scheduled backup could not be created'),
    );
  }
};

export const retainBackupsJob = (dependencies: ScheduleDependencies): Job<ScheduledServer> => ({
  ...retainBackups,
  run: (server) => applyRetention(dependencies, server),
});
