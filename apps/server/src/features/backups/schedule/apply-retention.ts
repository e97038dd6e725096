import type { Plan, PlanName } from '@holdfast/contract';
import type { Database, Transaction } from '../../../db/connect.ts';
import { violatedConstraint } from '../../../db/failures.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Queue } from '../../../queue/queue.ts';
import { findPlan, lockAccount } from '../../accounts/queries.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { lockServer } from '../../servers/queries.ts';
import { releaseStorage } from '../objects/jobs.ts';
import { countChargedBackups, findLastGood } from '../queries.ts';
import {
  deleteOldFailures,
  deleteScheduled,
  findRetention,
  listScheduled,
  type ScheduledServer,
} from './queries.ts';
import { findOutdated, findSuperseded } from './rules.ts';

export type ScheduleDependencies = {
  db: Database;
  queue: Pick<Queue, 'enqueue'>;
  limitsOf(plan: PlanName): Plan;
  clock: Clock;
};

/** Runs before every scheduled backup, even if the last one failed, and after every completed one. */
export const applyRetention = async (
  dependencies: ScheduleDependencies,
  server: ScheduledServer,
): Promise<void> => {
  const { db } = dependencies;
  const retention = await findRetention(db, server);
  if (!retention) return;
  await deleteOldFailures(db, server);
  for (const id of findOutdated(await listScheduled(db, server), retention)) {
    await expire(dependencies, server, {
      id,
      reason: 'its time is over',
      mustGo: async () => true,
    });
  }
  await deleteBeyondPlan(dependencies, server);
};

/** The plan may allow fewer than the retention keeps. Counted for each one, under the account's lock. */
const deleteBeyondPlan = async (dependencies: ScheduleDependencies, server: ScheduledServer) => {
  const isOverPlan = async (tx: Transaction) => {
    await lockAccount(tx, server.accountId);
    const { maxBackups } = dependencies.limitsOf((await findPlan(tx, server.accountId)) ?? 'FREE');
    return (await countChargedBackups(tx, server.accountId)) > maxBackups;
  };
  for (const id of findSuperseded(await listScheduled(dependencies.db, server))) {
    const expiry = { id, reason: 'the plan is full', mustGo: isOverPlan };
    if (!(await expire(dependencies, server, expiry))) return;
  }
};

type Expiry = { id: string; reason: string; mustGo(tx: Transaction): Promise<boolean> };

/** False where it need not be deleted any more. One that a restore is reading stays until the next run. */
const expire = async (
  { db, queue }: ScheduleDependencies,
  server: ScheduledServer,
  { id, reason, mustGo }: Expiry,
): Promise<boolean> => {
  const deleteOne = async (tx: Transaction) => {
    // Under its lock no other one becomes the last good backup.
    await lockServer(tx, server);
    if (!(await mustGo(tx))) return false;
    const lastGood = await findLastGood(tx, { id: server.serverId, accountId: server.accountId });
    if (lastGood?.id === id) return true;
    const [deleted] = await deleteScheduled(tx, server, id);
    if (!deleted) return true;
    await queue.enqueue(tx, releaseStorage, { accountId: server.accountId });
    await recordAudit(tx, {
      accountId: server.accountId,
      actor: systemActor,
      action: 'backup.expire',
      subject: { type: 'backup', id: deleted.id },
      changes: { serverId: server.serverId, reason },
    });
    return true;
  };
  return db.transaction(deleteOne).catch((error) => {
    if (!violatedConstraint(error)) throw error;
    return true;
  });
};
