import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Job, LeasedJob } from '../../queue/job.ts';
import { walkOn } from '../../queue/marks/walk-on.ts';
import type { Queue } from '../../queue/queue.ts';
import { containIncident } from './contain/contain.ts';
import type { ContainDependencies } from './contain/containment.ts';
import {
  contain,
  containLater,
  resumeIncidentInvites,
  resumeInvitesLater,
} from './contain/queued.ts';
import { type ResumeDependencies, resumeInvites } from './contain/resume-invites.ts';
import { repairableMs } from './incidents/repair/repair.ts';
import { deleteOldActs, deletePassingActs } from './queries/acts.ts';
import { listInvitesToResume } from './queries/invites.ts';
import { deleteBackedUpMoves, deleteOldMoves, listServersWithMoves } from './queries/moves.ts';
import type { OfIncident } from './queries/of-incident.ts';
import { releaseOldPins } from './queries/pinned-backup.ts';
import { listWaitingRepairs } from './queries/repair.ts';
import { deleteOldArmed, listProtected } from './queries/watched.ts';
import { type LookDependencies, lookAt } from './watch/look-at-guild.ts';
import { type LookAt, lookAtGuild, lookLater } from './watch/look-job.ts';
import { judgeSelfGivenRoles } from './watch/self-given/judge-self-given.ts';
import { type JudgeSelfGiven, judgeSelfGiven } from './watch/self-given/self-given-job.ts';
import { explain } from './watch/unexplained/explain-losses.ts';
import { type ExplainLosses, explainLosses } from './watch/unexplained/losses-job.ts';

/** It waits for the platform only, and nobody under attack may wait for another. */
export const containJob = (dependencies: ContainDependencies): LeasedJob<OfIncident> => ({
  ...contain,
  subjectOf: ({ incidentId }) => `contain:${incidentId}`,
  run: (payload, signal, lease) => containIncident(dependencies, payload, { signal, lease }),
});

export const lookAtGuildJob = (dependencies: LookDependencies): Job<LookAt> => ({
  ...lookAtGuild,
  // It reads several pages, and begins anew where it is put off.
  patienceMs: 15_000,
  run: (payload, signal) => lookAt(dependencies, payload, signal),
});

export const explainLossesJob = (dependencies: LookDependencies): Job<ExplainLosses> => ({
  ...explainLosses,
  run: (payload, signal) => explain(dependencies, payload, signal),
});

export const judgeSelfGivenJob = (dependencies: LookDependencies): Job<JudgeSelfGiven> => ({
  ...judgeSelfGiven,
  run: (payload, signal) => judgeSelfGivenRoles(dependencies, payload, signal),
});

/** What changes without an event that is heeded, such as a role moved above the bot's, is found so. */
export const lookDaily = { name: 'protection.look-daily', payload: z.object({}) };

const looksAtATime = 200;
const beforeAllIds = '00000000-0000-0000-0000-000000000000';

export const lookDailyJob = ({ db, queue }: Omit<TidyDependencies, 'clock'>): Job => ({
  ...lookDaily,
  cron: '41 4 * * *',
  async run(_, signal) {
    for (let after = beforeAllIds; ; ) {
      signal.throwIfAborted();
      const some = await listProtected(db, { after, most: looksAtATime });
      const last = some.at(-1);
      if (!last) return;
      await db.transaction(async (tx) => {
        for (const server of some) await lookLater(queue, tx, server);
      });
      after = last.serverId;
    }
  },
});

export const resumeInvitesJob = (dependencies: ResumeDependencies): LeasedJob<OfIncident> => ({
  ...resumeIncidentInvites,
  subjectOf: ({ incidentId }) => `resume-invites:${incidentId}`,
  run: (payload, signal, lease) => resumeInvites(dependencies, payload, { signal, lease }),
});

export const tidyUp = { name: 'protection.tidy-up', payload: z.object({}) };

const minuteMs = 60_000;
/** Longer than what is judged, so that a bot that comes back finds what it heard before. */
const actsKeptMs = 120 * minuteMs;
const dayMs = 24 * 60 * minuteMs;
const armedKeptMs = 60 * minuteMs;
const resumedAtOnce = 100;

type TidyDependencies = { db: Database; queue: Pick<Queue, 'enqueue'>; clock: Clock };

/** Forgets what is not needed any more, and begins what was left undone: invites and repairs that wait. */
export const tidyUpJob = ({ db, queue, clock }: TidyDependencies) =>
  ({
    ...tidyUp,
    cron: '3-59/5 * * * *',
    async run(_: object, signal: AbortSignal) {
      const before = (ms: number) => new Date(clock.now().getTime() - ms);
      const old = { before: before(actsKeptMs), repairableSince: before(repairableMs + dayMs) };
      while ((await deletePassingActs(db, old)) > 0) signal.throwIfAborted();
      while ((await deleteOldActs(db, old)) > 0) signal.throwIfAborted();
      while ((await deleteOldMoves(db, old.repairableSince)) > 0) signal.throwIfAborted();
      await forgetBackedUpMoves(db, old.before, signal);
      await releaseOldPins(db, old.repairableSince);
      await deleteOldArmed(db, before(armedKeptMs));
      for (const incident of await listInvitesToResume(db, resumedAtOnce)) {
        await db.transaction((tx) => resumeInvitesLater(queue, tx, incident));
      }
      for (const incident of await listWaitingRepairs(db, resumedAtOnce)) {
        await db.transaction((tx) => containLater(queue, tx, incident));
      }
    },
  }) satisfies Job;

const serversAtATime = 50;
const serversInARun = 500;

/** Of some servers in each run: whether moves are needed is known only by the server's last good backup. */
const forgetBackedUpMoves = (db: Database, before: Date, signal: AbortSignal): Promise<void> => {
  const look = async (after: string) => {
    const serverIds = await listServersWithMoves(db, { after, most: serversAtATime });
    if (serverIds.length > 0) {
      while ((await deleteBackedUpMoves(db, { serverIds, before })) > 0) signal.throwIfAborted();
    }
    const last = serverIds.length < serversAtATime ? undefined : serverIds.at(-1);
    return { last, seen: serverIds.length };
  };
  return walkOn(db, { name: 'protection.tidy-up: moves', most: serversInARun, signal, look });
};
