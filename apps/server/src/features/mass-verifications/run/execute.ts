import { isDatabaseFailure } from '../../../db/failures.ts';
import { type FailureKind, PlatformFailure } from '../../../platform/failures.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { failureMessage } from '../../backups/capture/failure-message.ts';
import { useBot } from '../../bots/use/use-bot.ts';
import { startWatch } from '../../pulls/run/watch.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';
import {
  type ActiveJob,
  beginJob,
  endJob,
  findJobState,
  type JobEnd,
  type JobOwner,
} from '../queries.ts';
import { resultsOf } from '../rules.ts';
import { countMembers } from './count-members.ts';
import { giveRoles } from './give-roles.ts';
import type { MassVerificationDependencies } from './mass-verification-run.ts';
import { openGuild } from './open-guild.ts';
import { MassVerificationRefused, patiently } from './patience.ts';

export type { MassVerificationDependencies };

/** The owner cancelled it, or its server is being deleted. */
class Stopped extends Error {}

/** From the beginning, or from where an earlier worker stopped. */
export const executeMassVerification = async (
  dependencies: MassVerificationDependencies,
  owner: JobOwner,
  run: LeasedRun,
): Promise<void> => {
  const { db } = dependencies;
  const job = await run.lease.transaction(db, (tx) => beginJob(tx, owner));
  if (!job) return;
  try {
    await runStages(dependencies, owner, job, run);
    await end(dependencies, owner, run, { status: 'completed' });
  } catch (error) {
    run.signal.throwIfAborted();
    if (isDatabaseFailure(error)) throw error;
    await end(dependencies, owner, run, endAfter(dependencies, owner, error));
  }
};

const runStages = async (
  dependencies: MassVerificationDependencies,
  owner: JobOwner,
  job: ActiveJob,
  { signal, lease }: LeasedRun,
): Promise<void> => {
  const check = () => requireUnchanged(dependencies, owner);
  await check();
  const watch = startWatch(signal, check);
  const { guildId, botId } = job;
  const botOwner = { botId, accountId: owner.accountId };
  try {
    await useBot(dependencies, botOwner, async (bot) => {
      const acting = { bot, owner: botOwner };
      const { obstacle } = await patiently(watch, () =>
        openGuild(dependencies, acting, job, watch.signal),
      );
      if (obstacle) throw new MassVerificationRefused(obstacle);
      const reason = auditReasons.massVerification(owner.jobId);
      const guild = bot.guild(guildId, { signal: watch.signal, reason });
      const run = { dependencies, owner, job, bot, guild, lease, watch };
      await countMembers(run);
      await giveRoles(run);
    });
  } finally {
    watch.end();
  }
};

/** Throws unless it is to go on. */
const requireUnchanged = async (
  { db }: MassVerificationDependencies,
  owner: JobOwner,
): Promise<void> => {
  const state = await findJobState(db, owner);
  if (!state || state.isCancelRequested) throw new Stopped();
  if (!state.isSameServer) {
    throw new MassVerificationRefused(
      'The guild, the bot or the verified role of the server was changed meanwhile: start again',
    );
  }
};

const messages: Partial<Record<FailureKind, string>> = {
  missingPermission:
    'The bot may no longer give the role: look at its permissions and at the place of its own role, then start again',
  unknownRole: 'The verified role was deleted: choose another in the settings',
};

const endAfter = (
  { log }: MassVerificationDependencies,
  owner: JobOwner,
  error: unknown,
): JobEnd => {
  if (error instanceof Stopped) return { status: 'cancelled' };
  log.warn({ err: error, ...owner }, 'a mass verification failed');
  if (error instanceof MassVerificationRefused) return { status: 'failed', error: error.message };
  const message = error instanceof PlatformFailure ? messages[error.kind] : undefined;
  return { status: 'failed', error: message ?? failureMessage(error) };
};

const end = (
  { db }: MassVerificationDependencies,
  owner: JobOwner,
  { lease }: LeasedRun,
  ending: JobEnd,
) =>
  lease.transaction(db, async (tx) => {
    const job = await endJob(tx, owner, ending);
    if (!job) return;
    const { serverId, status, error, total } = job;
    await recordAudit(tx, {
      accountId: owner.accountId,
      actor: systemActor,
      action: 'massVerification.end',
      subject: { type: 'massVerification', id: owner.jobId },
      changes: { serverId, status, error, total, results: resultsOf(job) },
    });
  });
