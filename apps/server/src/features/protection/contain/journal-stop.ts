import type { Database, Transaction } from '../../../db/connect.ts';
import type { Queue } from '../../../queue/queue.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { attachActs } from '../queries/acts.ts';
import { openIncident } from '../queries/containment.ts';
import { addExecutor, settleExecutor } from '../queries/executors.ts';
import type { OfIncident } from '../queries/of-incident.ts';
import { beginStep, endStep } from '../queries/steps.ts';
import type { ArmedRoles } from '../queries/watched.ts';
import { beginningOf, type Verdict } from '../watch/judge.ts';
import type { StopPlan } from './plan-stop.ts';
import { containLater } from './queued.ts';
import type { StopOutcome, StopTarget } from './stop-call.ts';

type Server = { accountId: string; serverId: string; guildId: string };
type BegunStop = OfIncident & { seq: number };

type Detected = { verdict: Verdict; firstActAt: Date; detectedAt: Date };

export const auditOpened = (
  tx: Transaction,
  { accountId, serverId }: Server,
  { incidentId }: OfIncident,
  { kind, rule }: Pick<Verdict, 'kind' | 'rule'>,
): Promise<void> =>
  recordAudit(tx, {
    accountId,
    actor: systemActor,
    action: 'incident.open',
    subject: { type: 'incident', id: incidentId },
    changes: { serverId, kind, rule },
  });

/** Written before the call: whoever finds it knows what somebody had, and what is to be taken. */
export const beginStop = (
  { db, queue }: { db: Database; queue: Pick<Queue, 'enqueue'> },
  server: Server,
  detected: Detected,
  { target, armed }: { target: StopTarget; armed: ArmedRoles | undefined },
): Promise<BegunStop> =>
  db.transaction(async (tx) => {
    const { accountId, serverId, guildId } = server;
    const { verdict, firstActAt, detectedAt } = detected;
    const trigger = { kind: verdict.kind, executorId: verdict.executorId };
    const { incidentId, isNew } = await openIncident(tx, {
      ...{ accountId, serverId, guildId, trigger, firstActAt, detectedAt },
    });
    const owner = { accountId, incidentId };
    const { platformId, username, isBot, plan } = target;
    await addExecutor(tx, owner, {
      ...{ platformId, username, isBot, ...notedRoles(plan, armed) },
      actsFrom: beginningOf(verdict),
    });
    // Stored before it was known to be an attack; what is stored from now on finds the executor.
    await attachActs(tx, owner);
    const seq = await beginStep(tx, owner, stepOf(target));
    await containLater(queue, tx, owner);
    if (isNew) await auditOpened(tx, server, owner, verdict);
    return { ...owner, seq };
  });

/** What was armed and is gone now was taken by somebody who did not live to write it down. */
export const notedRoles = (
  { held, take }: Pick<StopPlan, 'held' | 'take'>,
  { rolesBefore, rolesToTake }: ArmedRoles = noRoles,
) => ({
  rolesBefore: [...new Set([...held, ...rolesBefore])],
  rolesTaken: [...new Set([...take, ...rolesToTake.filter((id) => !held.includes(id))])],
});

const noRoles: ArmedRoles = { rolesBefore: [], rolesToTake: [] };

export const stepOf = ({ platformId, plan }: Pick<StopTarget, 'platformId' | 'plan'>) => ({
  kind: 'STOP_EXECUTOR' as const,
  executorId: platformId,
  detail: { take: plan.take, isKicked: plan.isKicked },
});

export const endStop = async (
  tx: Transaction,
  { seq, ...owner }: OfIncident & { seq: number },
  { platformId, plan }: Pick<StopTarget, 'platformId' | 'plan'>,
  { status, code, isRefused }: StopOutcome,
): Promise<void> => {
  const notTaken = isRefused ? plan.take : [];
  await settleExecutor(tx, owner, { platformId, status, code, notTaken });
  await endStep(tx, owner, {
    ...{ seq, status: status === 'stopped' ? 'done' : 'failed' },
    detail: { code },
  });
};
