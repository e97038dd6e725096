import { isDatabaseFailure } from '../../../db/failures.ts';
import { type FailureKind, PlatformFailure } from '../../../platform/failures.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { failureMessage } from '../../backups/capture/failure-message.ts';
import { useBot } from '../../bots/use/use-bot.ts';
import { lockCooldown, releaseCooldown } from '../queries/cooldown.ts';
import { listOpenMembers } from '../queries/members.ts';
import {
  type ActivePull,
  beginPull,
  endPull,
  findTargetState,
  type PullEnd,
  type PullOwner,
} from '../queries/pulls.ts';
import { readRoles } from '../roles/read-roles.ts';
import { resultsOf } from '../rules.ts';
import { selectMembers } from '../select/select-members.ts';
import { requireBotAccess } from './bot-access.ts';
import { createOutage } from './outage.ts';
import { pullMembers } from './pull-members.ts';
import type { PullDependencies, PullRun } from './pull-run.ts';
import { findTarget, PullRefused, PullStopped, requireSameTarget } from './target.ts';
import { startWatch } from './watch.ts';

/** Pulls, from the beginning or from where an earlier worker stopped. */
export const executePull = async (
  dependencies: PullDependencies,
  owner: PullOwner,
  run: LeasedRun,
): Promise<void> => {
  const pull = await begin(dependencies, owner, run);
  if (!pull) return;
  try {
    await runPull(dependencies, owner, pull, run);
    await end(dependencies, owner, run, { status: 'completed' });
  } catch (error) {
    run.signal.throwIfAborted();
    if (isDatabaseFailure(error)) throw error;
    await end(dependencies, owner, run, endAfter(dependencies, owner, error));
  }
};

const begin = ({ db }: PullDependencies, owner: PullOwner, { lease }: LeasedRun) =>
  lease.transaction(db, (tx) => beginPull(tx, owner));

/** Starts again with the new target whenever the target changes. */
const runPull = async (
  dependencies: PullDependencies,
  owner: PullOwner,
  pull: ActivePull,
  { signal, lease }: LeasedRun,
): Promise<void> => {
  const { db, pullPauses } = dependencies;
  for (let isDone = false; !isDone; ) {
    const target = await findTarget(db, owner);
    const watch = startWatch(signal, async () => {
      requireSameTarget(await findTargetState(db, owner), target);
    });
    const outage = createOutage(watch, pullPauses?.firstPauseMs);
    const learned = {
      botAccess: new Map(),
      refusedClients: new Set<string>(),
      ...{ savedRoles: undefined, givings: new Map() },
    };
    try {
      const botOwner = { botId: target.botId, accountId: owner.accountId };
      await useBot(dependencies, botOwner, (bot) =>
        runStages({ dependencies, owner, pull, target, bot, lease, watch, outage, ...learned }),
      );
      isDone = true;
    } catch (error) {
      if (!(error instanceof PullStopped) || error.reason !== 'moved') throw error;
    } finally {
      watch.end();
    }
  }
};

const runStages = async (run: PullRun): Promise<void> => {
  await selectMembers(run);
  const [first] = await listOpenMembers(run.dependencies.db, run.owner, 1);
  if (!first) return;
  await requireBotAccess(run);
  await pullMembers({ ...run, savedRoles: await readRoles(run) });
};

const messages: Partial<Record<FailureKind, string>> = {
  missingPermission:
    'The bot may no longer bring people in, or give the role: look at its permissions, then pull again',
  guildFull: 'The server is full and takes no more members',
  unknownRole: 'The role to give is gone: name another, or none, and pull again',
};

const endAfter = ({ log }: PullDependencies, owner: PullOwner, error: unknown): PullEnd => {
  if (error instanceof PullStopped) {
    return error.reason === 'targetGone'
      ? { status: 'failed', error: 'The server that members were called to is deleted' }
      : { status: 'cancelled' };
  }
  log.warn({ err: error, ...owner }, 'a pull failed');
  if (error instanceof PullRefused) return { status: 'failed', error: error.message };
  const message = error instanceof PlatformFailure ? messages[error.kind] : undefined;
  return { status: 'failed', error: message ?? failureMessage(error) };
};

const end = (
  { db, queue }: PullDependencies,
  owner: PullOwner,
  { lease }: LeasedRun,
  ending: PullEnd,
) =>
  lease.transaction(db, async (tx) => {
    await lockCooldown(tx, owner.pullId);
    const pull = await endPull(tx, owner, ending);
    if (!pull) return;
    const { status, error, total, joined, alreadyMember, serverId } = pull;
    await releaseCooldown(tx, owner.pullId);
    // An owner who cancels a pull knows of it.
    if (status === 'completed' || status === 'failed') {
      const facts = { pullId: owner.pullId, status, joined, alreadyMember, total, error };
      const { accountId } = owner;
      await raiseAlert(tx, { queue }, { accountId, serverId, kind: 'PULL_ENDED', facts });
    }
    await recordAudit(tx, {
      accountId: owner.accountId,
      actor: systemActor,
      action: 'pull.end',
      subject: { type: 'pull', id: owner.pullId },
      changes: { serverId, status, error, total, results: resultsOf(pull) },
    });
  });
