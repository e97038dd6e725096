import { z } from 'zod';
import type { Database, Transaction } from '../../db/connect.ts';
import type { Actor } from '../../http/handler.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { type Job, type LeasedJob, ofAccount } from '../../queue/job.ts';
import type { Queue } from '../../queue/queue.ts';
import { recordAudit } from '../audit/queries.ts';
import { systemActor } from '../audit/rules.ts';
import { type DrillOwner, type DrillRow, insertDrill, listServersDue } from './queries.ts';
import { type DrillDependencies, runDrill } from './rehearse/run-drill.ts';

export const runDrills = {
  name: 'drills.run',
  payload: z.object({ drillId: z.guid(), accountId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 2,
};

/** Few at a time: each has a process of its own beside the worker. */
export const runDrillsJob = (dependencies: DrillDependencies): LeasedJob<DrillOwner> => ({
  ...runDrills,
  subjectOf: ({ drillId }) => `drill:${drillId}`,
  run: (owner, signal, lease) => runDrill(dependencies, owner, { signal, lease }),
});

type QueueDependency = { queue: Pick<Queue, 'enqueue'> };
type NewDrill = { accountId: string; serverId: string; actor: Actor; isScheduled: boolean };

/** Undefined while another drill of the server is under way. */
export const startDrill = async (
  tx: Transaction,
  { queue }: QueueDependency,
  { accountId, serverId, actor, isScheduled }: NewDrill,
): Promise<DrillRow | undefined> => {
  const drill = await insertDrill(tx, { id: newId(), accountId, serverId, isScheduled });
  if (!drill) return undefined;
  await queue.enqueue(tx, runDrills, { drillId: drill.id, accountId });
  await recordAudit(tx, {
    ...{ accountId, actor, action: 'drill.create' },
    subject: { type: 'drill', id: drill.id },
    changes: { serverId },
  });
  return drill;
};

/** Starts the drills of servers whose turn of the month has come. */
export const scheduleDrills = { name: 'drills.schedule', payload: z.object({}) };

const serversAtATime = 100;

type ScheduleDependencies = QueueDependency & { db: Database; clock: Clock; runsDrills: boolean };

export const scheduleDrillsJob = (dependencies: ScheduleDependencies): Job => ({
  ...scheduleDrills,
  cron: '47 * * * *',
  async run(_, signal) {
    const { db, clock, runsDrills: isEnabled } = dependencies;
    if (!isEnabled) return;
    for (const server of await listServersDue(db, clock.now(), serversAtATime)) {
      signal.throwIfAborted();
      const drill = { ...server, actor: systemActor, isScheduled: true };
      await db.transaction((tx) => startDrill(tx, dependencies, drill));
    }
  },
});
