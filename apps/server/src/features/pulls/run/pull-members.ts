import { PlatformFailure } from '../../../platform/failures.ts';
import type { SavedOverwrites } from '../overwrites/give-overwrites.ts';
import { readOverwrites } from '../overwrites/read-overwrites.ts';
import {
  listOpenMembers,
  type OpenMember,
  postponeMember,
  storeResult,
} from '../queries/members.ts';
import { deleteSavedMembers } from '../roles/queries.ts';
import { type Outcome, pullMember } from './pull-member.ts';
import type { PullRun } from './pull-run.ts';
import { createTokenRefresher } from './refresh-tokens.ts';

/** Two hundred pulls at once hold a page each. */
const membersPerPage = 50;
/** After so many in a row the cause is the platform, not the members. */
const maxUnanswered = 5;
/** After so many unexplained refusals in a row, further calls would only be refused as well. */
const maxRefusals = 25;
/** What kept the platform from answering may have passed by then. */
const defaultSecondRoundAfterMs = 3000;

/** Pulls everybody who has no result yet, one after the other: the platform's bucket sets the pace. */
export const pullMembers = async (run: PullRun): Promise<void> => {
  const { db, pullPauses } = run.dependencies;
  const { secondRoundAfterMs = defaultSecondRoundAfterMs } = pullPauses ?? {};
  let isSecondRound = false;
  for (;;) {
    const members = await listOpenMembers(db, run.owner, membersPerPage);
    const [first] = members;
    if (!first) return;
    if (first.attempts > 0 && !isSecondRound) {
      isSecondRound = true;
      await run.watch.sleep(secondRoundAfterMs);
    }
    await pullPage(run, members, await readOverwrites(run, members));
    if (run.savedRoles) {
      const seqs = members.map(({ seq }) => seq);
      await deleteSavedMembers(db, run.owner, seqs);
    }
  }
};

const pullPage = async (
  run: PullRun,
  members: readonly OpenMember[],
  overwrites: ReadonlyMap<string, SavedOverwrites>,
): Promise<void> => {
  const refresh = createTokenRefresher(run, members);
  const unanswered: OpenMember[] = [];
  let refusals = 0;
  for (const [index, member] of members.entries()) {
    const isFresh = await refresh(index);
    const saved = overwrites.get(member.platformId ?? '');
    const outcome: Outcome = isFresh
      ? await pullMember(run, member, saved)
      : { kind: 'unanswered' };
    if (outcome.kind === 'closed') return run.outage.wait();
    if (outcome.kind === 'unanswered') {
      unanswered.push(member);
      if (unanswered.length === maxUnanswered) return run.outage.wait();
      continue;
    }
    if (!outcome.isAnswered) continue;
    refusals = outcome.refusal ? refusals + 1 : 0;
    if (outcome.refusal && refusals === maxRefusals) throw outcome.refusal;
    run.outage.end();
    await postpone(run, unanswered.splice(0));
  }
  if (unanswered.length === 0) return;
  if (!(await isPlatformAnswering(run))) return run.outage.wait();
  await postpone(run, unanswered);
};

/** The platform answers, but not for these members: they get one more try, after all others. */
const postpone = async (
  { dependencies, owner, lease }: PullRun,
  members: readonly OpenMember[],
): Promise<void> => {
  for (const { seq, attempts } of members) {
    await lease.transaction(dependencies.db, async (tx) => {
      if (attempts > 0) await storeResult(tx, owner, { seq, result: 'failed' });
      else await postponeMember(tx, owner, seq);
    });
  }
};

const isPlatformAnswering = async ({ bot, target, watch }: PullRun): Promise<boolean> => {
  try {
    await bot.guild(target.guildId, { signal: watch.signal, attempts: 1 }).read();
    return true;
  } catch (error) {
    watch.throwIfStopped();
    if (error instanceof PlatformFailure && error.kind === 'unreachable') return false;
    throw error;
  }
};
