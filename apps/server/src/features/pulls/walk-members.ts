import { PlatformFailure } from '../../platform/failures.ts';
import { readAhead } from './fresh-tokens.ts';
import { listOpenMembers, type OpenMember, putAside, storeResult } from './members/queries.ts';
import { type Outcome, pullMember } from './pull-member.ts';
import type { PullWork } from './pull-work.ts';

const membersAtATime = 200;
/** So many in a row, and it is not the members that nobody answers for. */
const mostUnanswered = 5;
/** So many in a row that nobody can explain, and going on would only collect more of the same. */
const mostRefusals = 25;
/** What kept the platform from answering may have passed by then. */
const usualSecondRoundAfterMs = 3000;

/** Calls everybody who has no result yet, one after the other: the platform's bucket sets the pace. */
export const walkMembers = async (work: PullWork): Promise<void> => {
  const { secondRoundAfterMs = usualSecondRoundAfterMs } = work.tools.pullPauses ?? {};
  let isSecondRound = false;
  for (;;) {
    const members = await listOpenMembers(work.tools.db, work.owner, membersAtATime);
    const [first] = members;
    if (!first) return;
    if (first.attempts > 0 && !isSecondRound) {
      isSecondRound = true;
      await work.watch.rest(secondRoundAfterMs);
    }
    await walkSome(work, members);
  }
};

const walkSome = async (work: PullWork, members: readonly OpenMember[]): Promise<void> => {
  const freshen = readAhead(work, members);
  const unanswered: OpenMember[] = [];
  let refusals = 0;
  for (const [index, member] of members.entries()) {
    const outcome = await pullMember(work, member, await freshen(index));
    if (outcome.kind === 'closed') return work.outage.wait();
    if (outcome.kind === 'unanswered') {
      unanswered.push(member);
      if (unanswered.length === mostUnanswered) return work.outage.wait();
      continue;
    }
    if (!outcome.isHeard) continue;
    refusals = countRefusals(refusals, outcome);
    work.outage.end();
    await putAllAside(work, unanswered.splice(0));
  }
  if (unanswered.length === 0) return;
  if (!(await isAnswering(work))) return work.outage.wait();
  await putAllAside(work, unanswered);
};

const countRefusals = (before: number, { refusal }: Extract<Outcome, { kind: 'ended' }>) => {
  const refusals = refusal ? before + 1 : 0;
  if (refusal && refusals === mostRefusals) throw refusal;
  return refusals;
};

/** The platform answers, only not for these: they get one more try, after everybody else. */
const putAllAside = async (
  { tools, owner, lease }: PullWork,
  members: readonly OpenMember[],
): Promise<void> => {
  for (const { seq, attempts } of members) {
    await tools.db.transaction(async (tx) => {
      await lease.requireHeld(tx);
      if (attempts > 0) await storeResult(tx, owner, { seq, result: 'failed' });
      else await putAside(tx, owner, seq);
    });
  }
};

const isAnswering = async ({ bot, target, watch }: PullWork): Promise<boolean> => {
  try {
    await bot.guild(target.guildId, { signal: watch.signal, attempts: 1 }).read();
    return true;
  } catch (error) {
    watch.demandWanted();
    if (error instanceof PlatformFailure && error.kind === 'unreachable') return false;
    throw error;
  }
};
