import { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import { violatedConstraint } from '../../../db/failures.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Job } from '../../../queue/job.ts';
import { recordAudit } from '../../audit/queries.ts';
import { findPlan } from '../../users/queries.ts';
import { freeAccount } from '../free-account.ts';
import { countChargedBackups } from '../queries.ts';
import {
  dropOldFailures,
  dropScheduled,
  findRetention,
  listDueServers,
  listScheduled,
  type ScheduledServer,
} from './queries.ts';
import { outdated } from './retention.ts';
import { type ScheduleTools, takeScheduledTurn } from './take-turn.ts';

const serversAtATime = 1000;

export const takeScheduled = { name: 'backups.schedule', payload: z.object({}) };

/** After a scheduled backup: those that had their time go. */
export const retainBackups = {
  name: 'backups.retain',
  payload: z.object({ serverId: z.guid(), userId: z.guid() }),
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
  async run(server) {
    const { db } = tools;
    const retention = await findRetention(db, server);
    if (!retention) return;
    await dropOldFailures(db, server);
    const scheduled = await listScheduled(db, server);
    const going = outdated(scheduled, retention);
    for (const id of going) await drop(tools, server, id, 'its time is over');
    await keepWithinPlan(tools, server);
  },
});

/** The plan may be smaller than the retention: then the oldest good ones go, but for the newest. */
const keepWithinPlan = async (tools: ScheduleTools, server: ScheduledServer): Promise<void> => {
  const { db, limitsOf } = tools;
  const { maxBackups } = limitsOf((await findPlan(db, server.userId)) ?? 'FREE');
  const over = (await countChargedBackups(db, server.userId)) - maxBackups;
  const all = await listScheduled(db, server);
  if (over <= 0 || all.at(-1)?.suspicious) return;
  const good = all.filter(({ suspicious }) => !suspicious).slice(0, -1);
  for (const { id } of good.slice(0, over)) await drop(tools, server, id, 'the plan is full');
};

/** One that a restore is reading stays until the next time. */
const drop = async (
  { db, queue }: ScheduleTools,
  server: ScheduledServer,
  backupId: string,
  reason: string,
): Promise<void> => {
  const dropOne = async (tx: Transaction) => {
    const [dropped] = await dropScheduled(tx, server, backupId);
    if (!dropped) return;
    await queue.enqueue(tx, freeAccount, { userId: server.userId });
    await recordAudit(tx, {
      userId: server.userId,
      actor: { type: 'SYSTEM', id: null },
      action: 'backup.expire',
      subject: { type: 'backup', id: dropped.id },
      changes: { serverId: server.serverId, reason },
    });
  };
  await db.transaction(dropOne).catch((error) => {
    if (!violatedConstraint(error)) throw error;
  });
};
