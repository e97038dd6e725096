import type { PullResult } from '@holdfast/contract';
import { SealBroken } from '../../kernel/seal.ts';
import type { Secret } from '../../kernel/secret.ts';
import { PlatformFailure } from '../../platform/failures.ts';
import { openToken } from '../vault/sealed.ts';
import { bringIn } from './bring-in.ts';
import { type Calling, decide } from './decide.ts';
import { type IsFresh, refreshTokens } from './fresh-tokens.ts';
import { markBegun, markUntried, type OpenMember, storeResult } from './members/queries.ts';
import { hasSeat, isLossOfSeat } from './preflight.ts';
import type { PullWork } from './pull-work.ts';
import { isLossOfTarget, isUnclear, resultOf, verdictOn } from './rules.ts';

export type Outcome =
  /** They have a result; `isHeard` where the platform spoke for it. */
  | { kind: 'ended'; isHeard: boolean; refusal?: PlatformFailure }
  /** Nobody knows: they are for later. */
  | { kind: 'unanswered' }
  /** No call may be made at all for a while. */
  | { kind: 'closed' };

/** One member in the worker's hands. */
type Visit = {
  seq: number;
  round: number;
  hasRefreshed: boolean;
  /** As decided when the last call left. */
  calling?: Calling;
};

type Step = Outcome | 'again';

/** What is decided may have changed when it is done; then it is decided anew, and not for ever. */
const mostSteps = 10;

/** Calls one member, or ends it for one who may not be called. */
export const pullMember = async (
  work: PullWork,
  member: OpenMember,
  isFresh: IsFresh,
): Promise<Outcome> => {
  if (!isFresh) return { kind: 'unanswered' };
  const visit: Visit = { seq: member.seq, round: member.attempts, hasRefreshed: false };
  let outcome = await takeFirstStep(work, visit, member);
  for (let step = 1; outcome === 'again' && step < mostSteps; step++) {
    outcome = await takeStep(work, visit);
  }
  return outcome === 'again' ? { kind: 'unanswered' } : outcome;
};

/** By what was known of them a little while ago: it is looked at again before anything is done. */
const takeFirstStep = (work: PullWork, visit: Visit, member: OpenMember): Promise<Step> => {
  work.watch.demandWanted();
  const verdict = verdictOn(member);
  return verdict.result ? endWithoutCall(work, visit) : call(work, visit, verdict);
};

const takeStep = async (work: PullWork, visit: Visit): Promise<Step> => {
  work.watch.demandWanted();
  const decision = await work.tools.db.transaction((tx) => decide(tx, work, visit.seq));
  switch (decision.do) {
    case 'nothing':
      return { kind: 'ended', isHeard: false };
    case 'end':
      return endWithoutCall(work, visit);
    case 'refresh': {
      const isFresh = await refreshTokens(work, decision.tokens, visit.round);
      return isFresh ? 'again' : { kind: 'unanswered' };
    }
    case 'call':
      return call(work, visit, decision);
  }
};

const endWithoutCall = (work: PullWork, { seq }: Visit) =>
  work.tools.db.transaction(async (tx): Promise<Step> => {
    await work.lease.requireHeld(tx);
    const decision = await decide(tx, work, seq);
    if (decision.do !== 'end') return 'again';
    await storeResult(tx, work.owner, { seq, result: decision.result });
    return { kind: 'ended', isHeard: false };
  });

type Person = Pick<Calling, 'platformId' | 'botId'>;

const call = async (work: PullWork, visit: Visit, person: Person): Promise<Step> => {
  const { platformId, botId } = person;
  try {
    if (!(await hasSeat(work, botId))) return await end(work, visit, 'failed', { isHeard: false });
    const result = await bringIn(work, {
      ...{ platformId, botId },
      takeToken: () => takeToken(work, visit, botId),
      isRepeated: () => visit.calling?.isRepeated ?? false,
    });
    return await end(work, visit, result);
  } catch (error) {
    return await afterFailure(work, visit, botId, error);
  } finally {
    work.watch.setSending(false);
  }
};

/**
 * In the moment the call leaves. All that speaks against it is looked at here, and that the call is
 * made is written down; undefined where it must not be made, or not so.
 */
const takeToken = async (
  work: PullWork,
  visit: Visit,
  botId: string,
): Promise<Secret | undefined> => {
  const { tools, owner, lease, watch } = work;
  visit.calling = undefined;
  const taken = await tools.db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    const decision = await decide(tx, work, visit.seq);
    if (decision.do !== 'call' || decision.botId !== botId) return undefined;
    const token = openToken(tools.ring, decision.tokens, 'accessToken');
    await markBegun(tx, owner, visit.seq);
    return { token, calling: decision };
  });
  if (!taken) return undefined;
  visit.calling = taken.calling;
  watch.setSending(true);
  return taken.token;
};

const end = async (
  { tools, owner, lease }: PullWork,
  { seq }: Visit,
  result: PullResult,
  { isHeard = true, refusal }: { isHeard?: boolean; refusal?: PlatformFailure } = {},
): Promise<Outcome> => {
  await tools.db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    await storeResult(tx, owner, { seq, result });
  });
  return { kind: 'ended', isHeard, ...(refusal && { refusal }) };
};

const afterFailure = async (
  work: PullWork,
  visit: Visit,
  botId: string,
  error: unknown,
): Promise<Step> => {
  if (error instanceof SealBroken) {
    work.tools.log.error({ err: error, ...work.owner }, "a member's token does not open");
    return end(work, visit, 'failed', { isHeard: false });
  }
  if (isLossOfSeat(error)) return afterLoss(work, visit, botId, error);
  if (!(error instanceof PlatformFailure)) throw error;
  const { kind } = error;
  if (isLossOfTarget(kind)) return giveUp(work, visit, error);
  if (isUnclear(kind)) return { kind: 'unanswered' };
  if (kind === 'withheld') return 'again';
  if (kind === 'breakerOpen') return { kind: 'closed' };
  if (kind === 'memberTokenInvalid') return afterRefusedToken(work, visit);
  if (kind === 'rateLimited') {
    await work.outage.wait(error.retryAfterMs);
    return 'again';
  }
  if (kind === 'aborted') {
    work.watch.demandWanted();
    throw error;
  }
  const result = resultOf(kind);
  return end(work, visit, result, kind === 'refused' ? { refusal: error } : {});
};

/** Another bot's members end here without a call; without the target's own, the pull does. */
const afterLoss = (work: PullWork, visit: Visit, botId: string, error: unknown) => {
  if (botId === work.target.botId) return giveUp(work, visit, error);
  work.seats.set(botId, false);
  return end(work, visit, 'failed');
};

/** The refused call did nothing. One before it may have, and then that stays known. */
const giveUp = async (
  { tools, owner, lease }: PullWork,
  { seq, calling }: Visit,
  error: unknown,
): Promise<never> => {
  if (calling && !calling.isRepeated) {
    await tools.db.transaction(async (tx) => {
      await lease.requireHeld(tx);
      await markUntried(tx, owner, seq);
    });
  }
  throw error;
};

const afterRefusedToken = async (work: PullWork, visit: Visit): Promise<Step> => {
  const { calling, hasRefreshed, round } = visit;
  if (!calling || hasRefreshed) return end(work, visit, 'tokenInvalid');
  visit.hasRefreshed = true;
  const isFresh = await refreshTokens(work, calling.tokens, round);
  return isFresh ? 'again' : { kind: 'unanswered' };
};
