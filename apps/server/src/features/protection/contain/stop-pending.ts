import type { BotPlatform } from '../../../platform/port.ts';
import { lockToContain } from '../queries/containment.ts';
import { addExecutor, settleExecutor } from '../queries/executors.ts';
import { continueStep, noteDetail } from '../queries/steps.ts';
import { findArmed } from '../queries/watched.ts';
import type { ExecutorCode } from '../table.ts';
import type { Containment } from './containment.ts';
import { endStop, notedRoles, stepOf } from './journal-stop.ts';
import type { StopPlan } from './plan-stop.ts';
import { callStop, goneOutcome, readStopTarget, type SeenGuild } from './stop-call.ts';

/** What was armed longer ago says nothing about what was taken in a hurry. */
const armedWithinMs = 10 * 60 * 1000;

type Pending = {
  executor: { platformId: string; code: ExecutorCode | null; stoppedAt: Date | null };
  seen: SeenGuild;
};

/** Stops one person of an incident, whatever was begun before: what they have now decides. */
export const stopPending = async (
  { dependencies, owner, incident, run }: Containment,
  bot: BotPlatform,
  { executor: { platformId, code, stoppedAt }, seen }: Pending,
): Promise<void> => {
  const { db, clock, protectionMetrics: metrics } = dependencies;
  const { lease, signal } = run;
  const now = clock.now().getTime();
  const since = new Date(now - armedWithinMs);
  const found = await readStopTarget(bot, incident, platformId, {
    ...{ seen: Promise.resolve(seen), signal },
  });
  if (found && isAsBefore(found.plan, code)) {
    return lease.transaction(db, async (tx) => {
      const again = { platformId, status: 'unstoppable' as const, code, notTaken: [] };
      if (await lockToContain(tx, owner)) await settleExecutor(tx, owner, again);
    });
  }
  const armed = await findArmed(db, incident, platformId, since);
  const target = found ?? { platformId, plan: nothing };
  const { take, isKicked } = target.plan;
  const seq = await lease.transaction(db, async (tx) => {
    if (!(await lockToContain(tx, owner))) return undefined;
    await addExecutor(tx, owner, {
      platformId,
      username: found?.username ?? armed?.username,
      isBot: found?.isBot ?? armed?.isBot,
      ...notedRoles(target.plan, armed),
      ...(!found && { rolesTaken: [] }),
    });
    const step = stepOf(target);
    const seq = await continueStep(tx, owner, step);
    // A step that was begun says what is done now, not only what was to be done then.
    if (take.length > 0 || isKicked) await noteDetail(tx, owner, { seq, detail: step.detail });
    return seq;
  });
  // It ended meanwhile: nobody is stopped any more.
  if (seq === undefined) return;
  const outcome = found ? await callStop(bot, incident, found, signal) : goneOutcome;
  metrics.countStop(outcome);
  if (outcome.status === 'stopped' && !stoppedAt) {
    metrics.observeStop(clock.now().getTime() - incident.firstActAt.getTime());
  }
  await lease.transaction(db, (tx) => endStop(tx, { ...owner, seq }, target, outcome));
};

/** It could not be done before, for the same reason: there is nothing to write down. */
const isAsBefore = ({ take, isKicked, code }: StopPlan, before: ExecutorCode | null): boolean =>
  code !== null && code === before && take.length === 0 && !isKicked;

const nothing: StopPlan = { held: [], take: [], isKicked: false, code: null };
