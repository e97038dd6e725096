import { z } from 'zod';
import type { Log } from '../../../kernel/log.ts';
import type { Job } from '../../../queue/job.ts';
import { listDueServers, type ScheduledServer } from './queries.ts';
import { retain, type ScheduleTools } from './retain.ts';
import { takeScheduledTurn } from './take-turn.ts';

const serversAtATime = 1000;

export const takeScheduled = { name: 'backups.schedule', payload: z.object({}) };

/** After a scheduled backup: those that had their time go. */
export const retainBackups = {
  name: 'backups.retain',
  payload: z.object({ serverId: z.guid(), accountId: z.guid() }),
};

type TurnTools = ScheduleTools & { log: Log };

export const takeScheduledJob = (tools: TurnTools): Job => ({
  ...takeScheduled,
  cron: '* * * * *',
  run: (_, signal) => takeDueTurns(tools, signal),
});

export const takeDueTurns = async (tools: TurnTools, signal: AbortSignal): Promise<void> => {
  for (const server of await listDueServers(tools.db, serversAtATime)) {
    signal.throwIfAborted();
    await takeScheduledTurn(tools, server).catch((err) =>
      // One server's trouble must not keep the others from their turn.
      tools.log.error({ err, ...server }, 'a scheduled backup could not be begun'),
    );
  }
};

export const retainBackupsJob = (tools: ScheduleTools): Job<ScheduledServer> => ({
  ...retainBackups,
  run: (server) => retain(tools, server),
});
