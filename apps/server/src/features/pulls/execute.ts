import { isDatabaseFailure } from '../../db/failures.ts';
import type { FailureKind } from '../../platform/failures.ts';
import { PlatformFailure } from '../../platform/failures.ts';
import { recordAudit } from '../audit/queries.ts';
import { failureSentence } from '../backups/failure-sentence.ts';
import { useBot } from '../bots/use-bot.ts';
import { giveCooldownBack, lockCooldownOf } from './cooldown/queries.ts';
import { demandOnCourse, findTarget } from './course.ts';
import { freezeMembers } from './freeze/freeze.ts';
import { listOpenMembers } from './members/queries.ts';
import { createOutage } from './outage.ts';
import { demandOwnSeat } from './preflight.ts';
import {
  PullMoved,
  PullRefused,
  type PullRun,
  PullStopped,
  type PullTools,
  type PullWork,
} from './pull-work.ts';
import {
  type ActivePull,
  beginPull,
  type Ending,
  endPull,
  findCourse,
  type PullOwner,
} from './queries.ts';
import { resultsOf } from './rules.ts';
import { walkMembers } from './walk-members.ts';
import { beginWatch } from './watch.ts';

/** Pulls, from the beginning or from where an earlier worker stopped. */
export const executePull = async (
  tools: PullTools,
  owner: PullOwner,
  run: PullRun,
): Promise<void> => {
  const pull = await begin(tools, owner, run);
  if (!pull) return;
  try {
    await carryOut(tools, owner, pull, run);
    await end(tools, owner, run, { status: 'completed' });
  } catch (error) {
    run.signal.throwIfAborted();
    if (isDatabaseFailure(error)) throw error;
    await end(tools, owner, run, endingOf(tools, owner, error));
  }
};

const begin = ({ db }: PullTools, owner: PullOwner, { lease }: PullRun) =>
  db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    return beginPull(tx, owner);
  });

const carryOut = async (
  tools: PullTools,
  owner: PullOwner,
  pull: ActivePull,
  { signal, lease }: PullRun,
): Promise<void> => {
  for (let isThere = false; !isThere; ) {
    const target = await findTarget(tools.db, owner);
    const watch = beginWatch(signal, async () => {
      demandOnCourse(await findCourse(tools.db, owner), target);
    });
    const outage = createOutage(watch, tools.pullPauses?.firstPauseMs);
    const known = { seats: new Map(), refusedClients: new Set<string>() };
    try {
      const botOwner = { botId: target.botId, accountId: owner.accountId };
      await useBot(tools, botOwner, (bot) =>
        callMembers({ tools, owner, pull, target, bot, lease, watch, outage, ...known }),
      );
      isThere = true;
    } catch (error) {
      if (!(error instanceof PullMoved)) throw error;
    } finally {
      watch.end();
    }
  }
};

const callMembers = async (work: PullWork): Promise<void> => {
  await freezeMembers(work);
  const [first] = await listOpenMembers(work.tools.db, work.owner, 1);
  if (!first) return;
  await demandOwnSeat(work);
  await walkMembers(work);
};

const sentences: Partial<Record<FailureKind, string>> = {
  missingPermission:
    'The bot may no longer bring people in, or give the role: look at its permissions, then pull again',
  guildFull: 'The server is full and takes no more members',
  unknownRole: 'The role to give is gone: name another, or none, and pull again',
};

const endingOf = ({ log }: PullTools, owner: PullOwner, error: unknown): Ending => {
  if (error instanceof PullStopped) {
    return error.reason === 'targetGone'
      ? { status: 'failed', error: 'The server that members were called to is deleted' }
      : { status: 'cancelled' };
  }
  log.warn({ err: error, ...owner }, 'a pull failed');
  if (error instanceof PullRefused) return { status: 'failed', error: error.message };
  const sentence = error instanceof PlatformFailure ? sentences[error.kind] : undefined;
  return { status: 'failed', error: sentence ?? failureSentence(error) };
};

const end = ({ db }: PullTools, owner: PullOwner, { lease }: PullRun, ending: Ending) =>
  db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    await lockCooldownOf(tx, owner.pullId);
    const pull = await endPull(tx, owner, ending);
    if (!pull) return;
    const { status, error, total } = pull;
    await giveCooldownBack(tx, owner.pullId);
    await recordAudit(tx, {
      accountId: owner.accountId,
      actor: { type: 'SYSTEM', id: null },
      action: 'pull.end',
      subject: { type: 'pull', id: owner.pullId },
      changes: { status, error, total, results: resultsOf(pull) },
    });
  });
