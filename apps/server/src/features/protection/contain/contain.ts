import { PlatformFailure } from '../../../platform/failures.ts';
import type { BotPlatform } from '../../../platform/port.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { findToContain } from '../queries/containment.ts';
import { listPendingExecutors, settleExecutor } from '../queries/executors.ts';
import type { OfIncident } from '../queries/of-incident.ts';
import type { ContainDependencies, Containment } from './containment.ts';
import { pauseInvites } from './pause-invites.ts';
import { readActs } from './read-acts.ts';
import { beginRepair, settleContained, takeSnapshot, tellOwner } from './settle.ts';
import { readSeenGuild } from './stop-call.ts';
import { stopPending } from './stop-pending.ts';
import { takeOverwrites } from './take-overwrites.ts';
import { tellHeldBack } from './tell-held-back.ts';

/** An attack with more accounts than this is stopped by several rounds. */
const mostRounds = 20;

/**
 * Contains an incident, in this order: whoever attacks is stopped, invites are paused, the guild is
 * backed up as it is, the owner is told, and what attackers may do in channels by overwrites of their own is
 * taken. Where nobody is left who could go on, it is contained, and a repair begins by itself where the owner
 * wants that, once all is known of what was done. Each
 * step stands in the journal before it is taken, and is taken
 * only where it is not done: the job can be run again at any moment. What cannot be done now does not
 * keep back what comes after it; it is tried again later.
 */
export const containIncident = async (
  dependencies: ContainDependencies,
  owner: OfIncident,
  run: LeasedRun,
): Promise<void> => {
  for (let round = 0; round < mostRounds; round++) {
    const incident = await findToContain(dependencies.db, owner);
    if (!incident) return;
    const containment = { dependencies, owner, incident, run };
    let failure = await tryWithBot(containment, stopAndPause);
    run.signal.throwIfAborted();
    await takeSnapshot(containment);
    await tellOwner(containment);
    await tellHeldBack(containment, failure);
    failure ??= await tryWithBot(containment, takeOverwrites);
    if (failure !== undefined) throw failure;
    await settleContained(containment);
    // Somebody who joined the attack meanwhile.
    const left = await listPendingExecutors(dependencies.db, owner.incidentId);
    if (left.length === 0) return beginRepair(containment);
  }
};

/** Returns what can be tried again. */
const tryWithBot = async (
  containment: Containment,
  work: (containment: Containment, bot: BotPlatform) => Promise<void>,
): Promise<unknown> => {
  const { dependencies, incident } = containment;
  try {
    await useBot(dependencies, incident, (bot) => work(containment, bot));
  } catch (error) {
    if (!isHopeless(error)) return error;
    dependencies.log.warn(
      { err: error, ...incidentOf(containment) },
      'a bot cannot stop an attack',
    );
    await giveUp(containment);
  }
  return undefined;
};

const incidentOf = ({ owner: { incidentId } }: Containment) => ({ incidentId });

const stopAndPause = async (containment: Containment, bot: BotPlatform): Promise<void> => {
  const { incident, dependencies, owner, run } = containment;
  const seen = await readSeenGuild(bot, incident, { signal: run.signal, isUrgent: true });
  let failure: unknown;
  for (const executor of await listPendingExecutors(dependencies.db, owner.incidentId)) {
    await stopPending(containment, bot, { executor, seen }).catch((error: unknown) => {
      if (isHopeless(error)) throw error;
      dependencies.protectionMetrics.countFailedStop();
      failure ??= error;
    });
  }
  const reason = 'Holdfast protection';
  const guild = bot.guild(incident.guildId, { signal: run.signal, reason, isUrgent: true });
  const inEffect = seen.guild.invitesPausedUntil;
  await pauseInvites(dependencies, { ...owner, ...incident }, run, { guild, inEffect });
  if (failure !== undefined) throw failure;
  await readActs(containment, guild);
};

/** Nothing that a later attempt could change by itself. */
const isHopeless = (error: unknown): boolean =>
  error instanceof BotUnusable ||
  (error instanceof PlatformFailure &&
    ['botTokenDead', 'unknownGuild', 'noAccess'].includes(error.kind));

const giveUp = async ({ dependencies, owner, run }: Containment): Promise<void> => {
  const { db, protectionMetrics: metrics } = dependencies;
  const outcome = { status: 'unstoppable', code: 'BOT_UNUSABLE' } as const;
  await run.lease.transaction(db, async (tx) => {
    for (const { platformId } of await listPendingExecutors(tx, owner.incidentId)) {
      await settleExecutor(tx, owner, { platformId, ...outcome, notTaken: [] });
      metrics.countStop(outcome);
    }
  });
};
