import type { Plan, PlanName } from '@holdfast/contract';
import type { Database, Transaction } from '../../../db/connect.ts';
import { violatedConstraint } from '../../../db/failures.ts';
import type { Queue } from '../../../queue/queue.ts';
import { recordAudit } from '../../audit/queries.ts';
import { findPlan, lockUser } from '../../accounts/queries.ts';
import { freeAccount } from '../free-account.ts';
import { countChargedBackups } from '../queries.ts';
import {
  dropOldFailures,
  dropScheduled,
  findRetention,
  listScheduled,
  type ScheduledServer,
} from './queries.ts';
import { outdated, superseded } from './retention.ts';

export type ScheduleTools = {
  db: Database;
  queue: Pick<Queue, 'enqueue'>;
  limitsOf(plan: PlanName): Plan;
};

/** Before every turn, whatever became of the last one, and after every backup that was completed. */
export const retain = async (tools: ScheduleTools, server: ScheduledServer): Promise<void> => {
  const { db } = tools;
  const retention = await findRetention(db, server);
  if (!retention) return;
  await dropOldFailures(db, server);
  for (const id of outdated(await listScheduled(db, server), retention)) {
    await drop(tools, server, { id, reason: 'its time is over', isStillToGo: async () => true });
  }
  await keepWithinPlan(tools, server);
};

/** The plan may be smaller than the retention. Counted anew for each one, under the account's lock. */
const keepWithinPlan = async (tools: ScheduleTools, server: ScheduledServer): Promise<void> => {
  const isOverPlan = async (tx: Transaction) => {
    await lockUser(tx, server.accountId);
    const { maxBackups } = tools.limitsOf((await findPlan(tx, server.accountId)) ?? 'FREE');
    return (await countChargedBackups(tx, server.accountId)) > maxBackups;
  };
  for (const id of superseded(await listScheduled(tools.db, server))) {
    const going = { id, reason: 'the plan is full', isStillToGo: isOverPlan };
    if (!(await drop(tools, server, going))) return;
  }
};

type Going = { id: string; reason: string; isStillToGo(tx: Transaction): Promise<boolean> };

/** False when it need not go any more. One that a restore is reading stays until the next time. */
const drop = async (
  { db, queue }: ScheduleTools,
  server: ScheduledServer,
  { id, reason, isStillToGo }: Going,
): Promise<boolean> => {
  const dropOne = async (tx: Transaction) => {
    if (!(await isStillToGo(tx))) return false;
    const [dropped] = await dropScheduled(tx, server, id);
    if (!dropped) return true;
    await queue.enqueue(tx, freeAccount, { accountId: server.accountId });
    await recordAudit(tx, {
      accountId: server.accountId,
      actor: { type: 'SYSTEM', id: null },
      action: 'backup.expire',
      subject: { type: 'backup', id: dropped.id },
      changes: { serverId: server.serverId, reason },
    });
    return true;
  };
  return db.transaction(dropOne).catch((error) => {
    if (!violatedConstraint(error)) throw error;
    return true;
  });
};
