import { z } from 'zod';
import type { Log } from '../../../kernel/log.ts';
import { type Job, ofAccount } from '../../../queue/job.ts';
import { forgetFutureScheduled } from '../../servers/queries.ts';
import { applyRetention, type ScheduleDependencies } from './apply-retention.ts';
import { createScheduledBackup } from './create-scheduled.ts';
import { withoutThoseBackedUp } from './look-up-turns.ts';
import { type DueServer, listDueServers, type ScheduledServer } from './queries.ts';

const serversAtATime = 1000;

/** Creates the backups that are due by their server's schedule. */
export const runSchedule = { name: 'backups.schedule', payload: z.object({}) };

/** Runs after a scheduled backup: deletes those that the retention no longer keeps. */
export const retainBackups = {
  name: 'backups.retain',
  payload: z.object({ serverId: z.guid(), accountId: z.guid() }),
  groupOf: ofAccount,
};

type Dependencies = ScheduleDependencies & { log: Log };

export const runScheduleJob = (dependencies: Dependencies): Job => ({
  ...runSchedule,
  cron: '* * * * *',
  run: (_, signal) => createDueBackups(dependencies, signal),
});

export const createDueBackups = async (dependencies: Dependencies, signal: AbortSignal) => {
  const { db, log } = dependencies;
  await forgetFutureScheduled(db);
  for (let after: DueServer | undefined; ; ) {
    const some = await listDueServers(db, { after, most: serversAtATime });
    for (const server of await withoutThoseBackedUp(db, some)) {
      signal.throwIfAborted();
      await createScheduledBackup(dependencies, server).catch((err) =>
        // A failure of one server must not delay the others.
        log.error({ err, ...server }, 'a scheduled backup could not be created'),
      );
    }
    if (some.length < serversAtATime) return;
    after = some.at(-1);
  }
};

export const retainBackupsJob = (dependencies: ScheduleDependencies): Job<ScheduledServer> => ({
  ...retainBackups,
  run: (server) => applyRetention(dependencies, server),
});
