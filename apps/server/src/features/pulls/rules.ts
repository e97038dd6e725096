import { type PullResult, pullResultCounts, type pullStatuses } from '@holdfast/contract';
import type { FailureKind } from '../../platform/failures.ts';

/**
 * A pull goes queued → running → completed, failed or cancelled.
 *
 * It first selects its members: one row each, which ends in exactly one result. Then it adds them one
 * after the other. Consent, blacklist and token are read at the moment a member's call is made. That
 * moment is stored before, so that a worker that takes over knows whose outcome is unknown. A repeated
 * call finds such a person in the target, and they count as joined unless they came before the pull.
 *
 * A missing answer ends nobody's attempt: while the platform is silent, the pull waits. Only a member
 * for whom no answer comes twice, while there are answers for others, ends `failed`. What concerns all
 * members, such as a bot that lost its access, ends the pull; members without a result then keep none.
 */

type Counted = {
  status: (typeof pullStatuses)[number];
  total: number;
  processed: number;
};

/** 100 only once the pull is completed. */
export const progressOf = ({ status, total, processed }: Counted): number => {
  if (status === 'completed') return 100;
  return total === 0 ? 0 : Math.min(99, Math.floor((processed / total) * 100));
};

type Results = Record<PullResult, number>;

/** Their sum is always `processed`: a constraint of the table. */
export const resultsOf = (pull: Results): Results => pullResultCounts.parse(pull);

type Measured = Counted & {
  areMembersSelected: boolean;
  firstBurst: number;
  measuredSeconds: number | null;
  expectedTotal: number | null;
  expectedSecondsPerMember: number | null;
};

/** The pace of the platform's buckets where nothing was measured yet. */
export const assumedSecondsPerMember = 1;

/**
 * By the rate since the first result. The results that a full bucket allowed at once came without
 * waiting and say nothing about the rate. Before that by what was expected at its start.
 */
export const etaSecondsOf = (pull: Measured): number | null => {
  const { status, areMembersSelected, total, processed, firstBurst, measuredSeconds } = pull;
  if (status === 'completed') return 0;
  if (status !== 'queued' && status !== 'running') return null;
  const counted = processed - firstBurst;
  const isMeasured = areMembersSelected && measuredSeconds !== null && counted > 0;
  const perMember = isMeasured
    ? measuredSeconds / counted
    : (pull.expectedSecondsPerMember ?? assumedSecondsPerMember);
  const expected = areMembersSelected ? total : Math.max(total, pull.expectedTotal ?? 0);
  return Math.ceil((expected - processed) * perMember);
};

type Person = {
  platformId: string | null;
  botId: string | null;
  consentedAt: Date | null;
  blacklisted: boolean | null;
  tokenStatus: string | null;
};

/** The result of a person who may not be added, or the bot that they are to be added through. */
export const checkPullable = (
  person: Person,
): { result: PullResult } | { result: undefined; platformId: string; botId: string } => {
  const { platformId, botId, consentedAt, blacklisted, tokenStatus } = person;
  if (platformId === null || consentedAt === null) return { result: 'withdrawn' };
  if (blacklisted) return { result: 'blacklisted' };
  const isTokenGone = tokenStatus === 'REVOKED' || tokenStatus === 'NONE';
  if (isTokenGone || botId === null) return { result: 'tokenInvalid' };
  return { result: undefined, platformId, botId };
};

/** The platform's clock and ours may differ by as much. */
const clockSkewMs = 60_000;

/** Whether a person was in the target before the pull was created, according to the platform. */
export const wasMemberBefore = (joinedAt: string | null, pullCreatedAt: Date): boolean =>
  joinedAt !== null && Date.parse(joinedAt) < pullCreatedAt.getTime() - clockSkewMs;

const resultOfKind: Partial<Record<FailureKind, PullResult>> = {
  memberBanned: 'banned',
  memberAtGuildCap: 'guildLimit',
};

export const resultOf = (kind: FailureKind): PullResult => resultOfKind[kind] ?? 'failed';

/** Failures after which the bot can add no member. */
const botLosses: FailureKind[] = ['botTokenDead', 'noAccess', 'unknownGuild', 'missingPermission'];
/** Failures after which no bot can. */
const targetLosses: FailureKind[] = ['guildFull', 'unknownRole'];

export const isBotLoss = (kind: FailureKind): boolean => botLosses.includes(kind);
export const isTargetLoss = (kind: FailureKind): boolean => targetLosses.includes(kind);

/** Failures that may be about a role or a nickname, and not about the member. */
const roleRefusals: FailureKind[] = ['missingPermission', 'unknownRole', 'refused'];

export const isRoleRefusal = (kind: FailureKind): boolean => roleRefusals.includes(kind);

/** Whether it is unknown if the call had an effect. */
export const isOutcomeUnknown = (kind: FailureKind): boolean =>
  kind === 'unreachable' || kind === 'badAnswer';
