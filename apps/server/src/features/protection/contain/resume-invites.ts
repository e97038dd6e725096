import type { Transaction } from '../../../db/connect.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { isPassing, PlatformFailure } from '../../../platform/failures.ts';
import type { GuildPlatform } from '../../../platform/port.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { type BotDependencies, BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { storeProgress } from '../queries/containment.ts';
import { lockIncident } from '../queries/incidents.ts';
import {
  findOtherPause,
  findToResume,
  listMadePauses,
  type PausedIncident,
} from '../queries/invites.ts';
import type { OfIncident } from '../queries/of-incident.ts';
import { beginStep, endStep, findLastStep } from '../queries/steps.ts';
import { ownersPause } from './owners-pause.ts';

export type ResumeDependencies = BotDependencies & { clock: Clock; log: Log };

/**
 * Lets people come in again after an incident or a wave is over, unless another incident still needs it
 * otherwise, and for as long as the owner wants it otherwise. Safe to run again.
 */
export const resumeInvites = async (
  dependencies: ResumeDependencies,
  owner: OfIncident,
  { signal, lease }: LeasedRun,
): Promise<void> => {
  const { db, log } = dependencies;
  const incident = await findToResume(db, owner);
  if (!incident) return;
  const seq = await lease.transaction(db, (tx) => beginResume(tx, incident));
  const other = await findOtherPause(db, incident);
  const failure = other
    ? undefined
    : await useBot(dependencies, incident, (bot) =>
        resumeIn(
          dependencies,
          incident,
          bot.guild(incident.guildId, { signal, reason: 'Holdfast protection' }),
        ),
      ).then(() => undefined, finalFailure);
  // The pause ends by itself within a day.
  if (failure) log.info({ err: failure, ...owner }, 'invites could not be resumed');
  await lease.transaction(db, async (tx) => {
    await storeProgress(tx, owner, { invitesPausedUntil: null });
    await endStep(tx, owner, {
      ...{ seq, status: failure ? 'failed' : 'done' },
      ...(other && { detail: { leftTo: other.incidentId } }),
    });
  });
};

/** The number of the step, which may have been begun by a run that did not come to its end. */
const beginResume = async (tx: Transaction, incident: OfIncident): Promise<number> => {
  // Steps are numbered under this lock.
  await lockIncident(tx, incident);
  const last = await findLastStep(tx, incident, 'RESUME_INVITES');
  if (last?.status === 'begun') return last.seq;
  return beginStep(tx, incident, { kind: 'RESUME_INVITES' });
};

/** A pause that is not ours is the owner's, and stays. */
const resumeIn = async (
  { db, clock }: ResumeDependencies,
  incident: PausedIncident,
  guild: GuildPlatform,
): Promise<void> => {
  const { invitesPausedUntil: inEffect } = await guild.read();
  const wanted = ownersPause(inEffect, await listMadePauses(db, incident), clock.now());
  if (inEffect && wanted?.getTime() !== inEffect.getTime()) await guild.pauseInvites(wanted);
  // An incident that was opened meanwhile needs them paused again.
  const meanwhile = await findOtherPause(db, incident);
  if (meanwhile) await guild.pauseInvites(meanwhile.until);
};

const finalFailure = (error: unknown): unknown => {
  const isFinal =
    error instanceof BotUnusable || (error instanceof PlatformFailure && !isPassing(error));
  if (isFinal) return error;
  throw error;
};
