import { jobEntry } from '../../queue/job.ts';
import { createProtectionMetrics } from './contain/metrics.ts';
import { contain, resumeIncidentInvites } from './contain/queued.ts';
import { applyDueDecisions } from './incidents/decide.ts';
import { followRestoreEnd } from './incidents/repair/follow-restore-end.ts';
import { completeUndoScope } from './incidents/repair/undo-scope.ts';
import { returnRolesJob, returnTakenRoles } from './incidents/return-roles.ts';
import { incidentViewHandlers } from './incidents/routes.ts';
import {
  containJob,
  explainLossesJob,
  judgeSelfGivenJob,
  lookAtGuildJob,
  lookDaily,
  lookDailyJob,
  resumeInvitesJob,
  tidyUp,
  tidyUpJob,
} from './jobs.ts';
import { purgeActsOfServer } from './queries/acts.ts';
import { purgeMovesOfServer } from './queries/moves.ts';
import { releasePinsOfServer } from './queries/pinned-backup.ts';
import { findHeldBack } from './queries/taken-roles.ts';
import { followJoins } from './raid/follow-joins.ts';
import {
  containRaidDefinition,
  containRaidJob,
  reviewWaveDefinition,
  reviewWaveJob,
} from './raid/jobs.ts';
import { purgeNewcomers } from './raid/queries/joins.ts';
import { isHeld } from './raid/queries/review.ts';
import { purgeWaves } from './raid/queries/waves.ts';
import { endWaves, endWavesJob, tendWaves, tendWavesJob } from './raid/tend-waves.ts';
import { waveHandlers } from './raid/wave-handlers.ts';
import { protectionHandlers } from './routes.ts';
import { changeSwitches } from './settings/change-settings.ts';
import { delayDecision } from './settings/delay-decision.ts';
import { followBot, followDeletion, followMove } from './settings/follow-changes.ts';
import { createLimitReader } from './settings/read-limits.ts';
import { applyWeakenings, applyWeakeningsJob } from './settings/weaken-later.ts';
import { createFastPath } from './watch/fast-path.ts';
import { followActs } from './watch/follow-acts.ts';
import { lookAtGuild } from './watch/look-job.ts';
import { judgeSelfGiven } from './watch/self-given/self-given-job.ts';
import { explainLosses } from './watch/unexplained/losses-job.ts';
import { noteMissed } from './watch/unexplained/note-losses.ts';

/**
 * Protection: attackers are noticed by what they do, and stopped.
 *
 * - `rules.ts`: how a server is protected, and which changes of that wait because they weaken it.
 * - `settings/`: changes them, with an alert for each weakening (`change-settings.ts`), lets what waited
 *   take effect (`weaken-later.ts`), tells of what takes protection away elsewhere, such as another bot
 *   (`follow-changes.ts`), and says what cannot be stopped (`cannot-stop.ts`,
 *   `read-limits.ts`) and when that gets worse (`note-limits.ts`).
 * - `watch/`: what people do in a guild, and who attacks it (`judge.ts`): at once as it arrives
 *   (`fast-path.ts`), and for certain from what is stored (`follow-acts.ts`).
 * - `contain/`: stops them, pauses invites, takes a backup and tells the owner, step by step in a journal.
 * - `incidents/`: an attack with who did it and what they did; the owner's decisions (`decide.ts`), which wait
 *   where a key made them (`settings/delay-decision.ts`), and roles that are given back (`return-roles.ts`).
 * - `raid/`: waves of newcomers. `follow-joins` counts joins and opens the incident, `score-newcomer` and
 *   `wave` decide, `contain-raid` pauses invites, `tend-waves` ends waves, `decide-wave` and `review-wave`
 *   do what the owner decided about those who are held.
 */
export const protection = {
  handlers: protectionHandlers,
  createLimitReader,
  changeSwitches,
  /** What other features change that protection depends on. */
  followMove,
  followDeletion,
  followBot,
  dashboardHandlers: (dependencies: Parameters<typeof waveHandlers>[0]) => ({
    ...incidentViewHandlers,
    ...waveHandlers(dependencies),
  }),
  isHeld,
  findHeldBack,
  /** As acts arrive; and in the transaction that stores them. */
  watch: createFastPath,
  followActs,
  noteMissed,
  followJoins,
  createMetrics: createProtectionMetrics,
  jobs: [
    jobEntry(applyWeakenings, (dependencies: Parameters<typeof applyDueDecisions>[0]) =>
      applyWeakeningsJob({ db: dependencies.db, queue: dependencies.queue, applyDueDecisions }),
    ),
    jobEntry(returnTakenRoles, returnRolesJob),
    jobEntry(contain, containJob),
    jobEntry(lookAtGuild, lookAtGuildJob),
    jobEntry(explainLosses, explainLossesJob),
    jobEntry(judgeSelfGiven, judgeSelfGivenJob),
    jobEntry(lookDaily, lookDailyJob),
    jobEntry(resumeIncidentInvites, resumeInvitesJob),
    jobEntry(tidyUp, tidyUpJob),
    jobEntry(containRaidDefinition, containRaidJob),
    jobEntry(reviewWaveDefinition, reviewWaveJob),
    jobEntry(endWaves, endWavesJob),
    jobEntry(tendWaves, tendWavesJob),
  ],
  followRestoreEnd,
  completeUndoScope,
  delayDecision,
  purgeServer: [
    releasePinsOfServer,
    ...[purgeActsOfServer, purgeMovesOfServer, purgeNewcomers, purgeWaves],
  ],
};
