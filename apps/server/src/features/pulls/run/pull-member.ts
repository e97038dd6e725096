import type { PullResult } from '@holdfast/contract';
import { SealBroken } from '../../../kernel/seal.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import { openToken } from '../../vault/tokens/sealed.ts';
import type { SavedOverwrites } from '../overwrites/give-overwrites.ts';
import { markBegun, markUntried, type OpenMember, storeResult } from '../queries/members.ts';
import { countRefusedRoles } from '../roles/queries.ts';
import { checkPullable, isOutcomeUnknown, isTargetLoss, resultOf } from '../rules.ts';
import { addMember } from './add-member.ts';
import { hasBotAccess, isBotAccessLost } from './bot-access.ts';
import { type AddDecision, decideAttempt } from './decide-attempt.ts';
import type { PullRun } from './pull-run.ts';
import { refreshTokens } from './refresh-tokens.ts';

export type Outcome =
  /** The member has a result; `isAnswered` where it came from an answer of the platform. */
  | { kind: 'ended'; isAnswered: boolean; refusal?: PlatformFailure }
  /** Unknown: the member is tried again later. */
  | { kind: 'unanswered' }
  /** No call may be made at all for a while. */
  | { kind: 'closed' };

type MemberAttempt = {
  seq: number;
  round: number;
  hasRefreshed: boolean;
  /** What the backup has of them. */
  saved: { nick: string | null; roleIds: string[] } | undefined;
  overwrites: SavedOverwrites | undefined;
  /** As decided when the last call was made. */
  decision?: AddDecision;
};

type AttemptStep = Outcome | 'again';

/** A decision may be outdated when it is carried out. Then it is made anew, at most so often. */
const maxSteps = 10;

/** Adds one member, or stores the result of one who may not be added. */
export const pullMember = async (
  run: PullRun,
  member: OpenMember,
  overwrites?: SavedOverwrites,
): Promise<Outcome> => {
  const { seq, attempts: round, savedNick: nick, savedRoleIds: roleIds } = member;
  const saved = roleIds === null ? undefined : { nick, roleIds };
  const attempt: MemberAttempt = { seq, round, hasRefreshed: false, saved, overwrites };
  let outcome = await runFirstStep(run, attempt, member);
  for (let step = 1; outcome === 'again' && step < maxSteps; step++) {
    outcome = await runStep(run, attempt);
  }
  return outcome === 'again' ? { kind: 'unanswered' } : outcome;
};

/** Uses the state that was read with the list; it is read again before anything is done. */
const runFirstStep = (
  run: PullRun,
  attempt: MemberAttempt,
  member: OpenMember,
): Promise<AttemptStep> => {
  run.watch.throwIfStopped();
  const check = checkPullable(member);
  return check.result ? endWithoutCall(run, attempt) : add(run, attempt, check);
};

const runStep = async (run: PullRun, attempt: MemberAttempt): Promise<AttemptStep> => {
  run.watch.throwIfStopped();
  const { db } = run.dependencies;
  const decision = await db.transaction((tx) => decideAttempt(tx, run, attempt.seq));
  switch (decision.do) {
    case 'nothing':
      return { kind: 'ended', isAnswered: false };
    case 'end':
      return endWithoutCall(run, attempt);
    case 'refresh': {
      const isFresh = await refreshTokens(run, decision.tokens, attempt.round);
      return isFresh ? 'again' : { kind: 'unanswered' };
    }
    case 'add':
      return add(run, attempt, decision);
  }
};

const endWithoutCall = (run: PullRun, { seq }: MemberAttempt) =>
  run.lease.transaction(run.dependencies.db, async (tx): Promise<AttemptStep> => {
    const decision = await decideAttempt(tx, run, seq);
    if (decision.do !== 'end') return 'again';
    await storeResult(tx, run.owner, { seq, result: decision.result });
    return { kind: 'ended', isAnswered: false };
  });

const add = async (
  run: PullRun,
  attempt: MemberAttempt,
  { platformId, botId }: Pick<AddDecision, 'platformId' | 'botId'>,
): Promise<AttemptStep> => {
  try {
    if (!(await hasBotAccess(run, botId))) {
      return await end(run, attempt, 'failed', { isAnswered: false });
    }
    const { result, areRolesRefused } = await addMember(run, {
      platformId,
      botId,
      saved: attempt.saved,
      overwrites: attempt.overwrites,
      openToken: () => openTokenForCall(run, attempt, botId),
      isRepeated: () => attempt.decision?.isRepeated ?? false,
    });
    return await end(run, attempt, result, { areRolesRefused });
  } catch (error) {
    return await handleFailure(run, attempt, botId, error);
  } finally {
    run.watch.setSending(false);
  }
};

/**
 * Called at the moment the request is sent. Everything that speaks against the call is read here, and
 * that the call is made is stored. Undefined where it must not be made, or not through this bot.
 */
const openTokenForCall = async (
  run: PullRun,
  attempt: MemberAttempt,
  botId: string,
): Promise<Secret | undefined> => {
  const { dependencies, owner, lease, watch } = run;
  attempt.decision = undefined;
  const opened = await lease.transaction(dependencies.db, async (tx) => {
    const decision = await decideAttempt(tx, run, attempt.seq);
    if (decision.do !== 'add' || decision.botId !== botId) return undefined;
    const token = openToken(dependencies.ring, decision.tokens, 'accessToken');
    await markBegun(tx, owner, attempt.seq);
    return { token, decision };
  });
  if (!opened) return undefined;
  attempt.decision = opened.decision;
  watch.setSending(true);
  return opened.token;
};

type EndDetails = { isAnswered?: boolean; refusal?: PlatformFailure; areRolesRefused?: boolean };

const end = async (
  { dependencies, owner, lease }: PullRun,
  { seq }: MemberAttempt,
  result: PullResult,
  { isAnswered = true, refusal, areRolesRefused }: EndDetails = {},
): Promise<Outcome> => {
  await lease.transaction(dependencies.db, async (tx) => {
    await storeResult(tx, owner, { seq, result });
    if (areRolesRefused) await countRefusedRoles(tx, owner);
  });
  return { kind: 'ended', isAnswered, ...(refusal && { refusal }) };
};

const handleFailure = async (
  run: PullRun,
  attempt: MemberAttempt,
  botId: string,
  error: unknown,
): Promise<AttemptStep> => {
  if (error instanceof SealBroken) {
    run.dependencies.log.error({ err: error, ...run.owner }, "a member's token does not open");
    return end(run, attempt, 'failed', { isAnswered: false });
  }
  if (isBotAccessLost(error)) return handleLostAccess(run, attempt, botId, error);
  if (!(error instanceof PlatformFailure)) throw error;
  const { kind } = error;
  if (isTargetLoss(kind)) return giveUp(run, attempt, error);
  if (isOutcomeUnknown(kind)) return { kind: 'unanswered' };
  if (kind === 'withheld') return 'again';
  if (kind === 'breakerOpen') return { kind: 'closed' };
  if (kind === 'memberTokenInvalid') return handleRefusedToken(run, attempt);
  if (kind === 'rateLimited') {
    await run.outage.wait(error.retryAfterMs);
    return 'again';
  }
  if (kind === 'aborted') {
    run.watch.throwIfStopped();
    throw error;
  }
  return end(run, attempt, resultOf(kind), kind === 'refused' ? { refusal: error } : {});
};

/** Members of another bot fail without a call; without the target's own bot, the pull ends. */
const handleLostAccess = (run: PullRun, attempt: MemberAttempt, botId: string, error: unknown) => {
  if (botId === run.target.botId) return giveUp(run, attempt, error);
  run.botAccess.set(botId, false);
  return end(run, attempt, 'failed');
};

/** The refused call had no effect. A call before it may have had one, so then `begunAt` stays. */
const giveUp = async (
  { dependencies, owner, lease }: PullRun,
  { seq, decision }: MemberAttempt,
  error: unknown,
): Promise<never> => {
  if (decision && !decision.isRepeated) {
    await lease.transaction(dependencies.db, (tx) => markUntried(tx, owner, seq));
  }
  throw error;
};

const handleRefusedToken = async (run: PullRun, attempt: MemberAttempt): Promise<AttemptStep> => {
  const { decision, hasRefreshed, round } = attempt;
  if (!decision || hasRefreshed) return end(run, attempt, 'tokenInvalid');
  attempt.hasRefreshed = true;
  const isFresh = await refreshTokens(run, decision.tokens, round);
  return isFresh ? 'again' : { kind: 'unanswered' };
};
