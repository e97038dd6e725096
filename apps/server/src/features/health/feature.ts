import type { Transaction } from '../../db/connect.ts';
import type { GuildEvent } from '../../platform/gateway/events.ts';
import { jobEntry } from '../../queue/job.ts';
import type { Observation } from '../servers/jobs.ts';
import { assessHealth, type HealthDependencies } from './assess/assess.ts';
import { judgeCapture } from './assess/capture.ts';
import { findAbsenceJob } from './assess/find-absence.ts';
import { findAbsence } from './assess/find-absence-job.ts';
import { observeGuild } from './assess/observe.ts';
import { followGuilds } from './listen/follow-guilds.ts';
import { healthHandlers } from './routes.ts';

/**
 * Health: how a server's guild stands against its last good backup.
 *
 * - `rules.ts`: which health it is, by what is there and what is missing.
 * - `assess/`: `assess` judges a server and stores its health, in the transaction that changed something;
 *   `observe` takes what others read of a guild, `capture` how a server stood when a backup was taken;
 *   `find-absence` asks whether a lost guild still exists, and tells the owner.
 * - `listen/`: the same, change by change, as the platform reports it.
 * - `routes.ts`: the owner accepts the present state.
 */
export const health = {
  handlers: healthHandlers,
  jobs: [jobEntry(findAbsence, findAbsenceJob)],
  judgeCapture,
  /** What others call in their transactions. */
  create: (dependencies: HealthDependencies) => ({
    assessHealth: (tx: Transaction, server: { accountId: string; serverId: string }) =>
      assessHealth(dependencies, tx, server),
    observeGuild: (tx: Transaction, observation: Observation) =>
      observeGuild(dependencies, tx, observation),
    followGuilds: (
      tx: Transaction,
      bot: { accountId: string; botId: string },
      events: readonly GuildEvent[],
    ) => followGuilds(dependencies, tx, bot, events),
  }),
};
