import type { PullResult, pullStatuses } from '@holdfast/contract';
import type { FailureKind } from '../../platform/failures.ts';

/**
 * A pull goes queued → running → completed, failed or cancelled.
 *
 * It first settles whom it calls: one row each, which ends in exactly one result. Then they are called
 * one after the other. What a person wants is looked at in the moment their call leaves; that moment
 * is written down before, so that whoever takes over knows whose outcome is not known. A repeated
 * call finds such a person there, and they count as joined, unless they came before the pull did.
 *
 * Nobody is given up because nobody answered: while the platform is silent the pull waits. Only who
 * is not answered for twice, while others are, ends `failed`. What concerns all, such as a bot that
 * lost its access, ends the pull, and whoever has no result then is left as they were.
 */

type Counted = {
  status: (typeof pullStatuses)[number];
  total: number;
  processed: number;
};

/** Only the end is 100. */
export const progressOf = ({ status, total, processed }: Counted): number => {
  if (status === 'completed') return 100;
  return total === 0 ? 0 : Math.min(99, Math.floor((processed / total) * 100));
};

type Results = Record<PullResult, number>;

/** Their sum is always `processed`: the database holds it so. */
export const resultsOf = (pull: Results): Results => {
  const { joined, alreadyMember, banned, guildLimit } = pull;
  const { tokenInvalid, blacklisted, withdrawn, failed } = pull;
  return {
    ...{ joined, alreadyMember, banned, guildLimit },
    ...{ tokenInvalid, blacklisted, withdrawn, failed },
  };
};

type Measured = Counted & {
  isFrozen: boolean;
  firstBurst: number;
  measuredSeconds: number | null;
};

/**
 * By the rate since the first result. What a full bucket gave at once came before there was anything
 * to wait for and says nothing about the rate.
 */
export const etaSecondsOf = (pull: Measured): number | null => {
  const { status, isFrozen, total, processed, firstBurst, measuredSeconds } = pull;
  if (status === 'completed') return 0;
  const counted = processed - firstBurst;
  if (status !== 'running' || !isFrozen || measuredSeconds === null || counted <= 0) return null;
  return Math.ceil(((total - processed) * measuredSeconds) / counted);
};

type Person = {
  platformId: string | null;
  botId: string | null;
  consentedAt: Date | null;
  blacklisted: boolean | null;
  tokenStatus: string | null;
};

/** How it ends for a person who may not be called, or through which bot they are. */
export const verdictOn = (
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

/** Whether somebody was in the target before the pull was asked for, by the platform's own word. */
export const wasThereBefore = (joinedAt: string | null, pullCreatedAt: Date): boolean =>
  joinedAt !== null && Date.parse(joinedAt) < pullCreatedAt.getTime() - clockSkewMs;

const resultOfKind: Partial<Record<FailureKind, PullResult>> = {
  memberBanned: 'banned',
  memberAtGuildCap: 'guildLimit',
};

export const resultOf = (kind: FailureKind): PullResult => resultOfKind[kind] ?? 'failed';

/** The bot can bring nobody in, whoever it is. */
const losesBot: FailureKind[] = ['botTokenDead', 'noAccess', 'unknownGuild', 'missingPermission'];
/** And neither can any other bot. */
const losesTarget: FailureKind[] = ['guildFull', 'unknownRole'];

export const isLossOfBot = (kind: FailureKind): boolean => losesBot.includes(kind);
export const isLossOfTarget = (kind: FailureKind): boolean => losesTarget.includes(kind);

/** Whether a call took effect cannot be told from this. */
export const isUnclear = (kind: FailureKind): boolean =>
  kind === 'unreachable' || kind === 'badAnswer';
