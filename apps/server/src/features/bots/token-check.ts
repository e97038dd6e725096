import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Refusal } from '../../kernel/errors.ts';
import type { Secret } from '../../kernel/secret.ts';
import { PlatformFailure } from '../../platform/failures.ts';
import { onBehalfOf } from '../../platform/on-behalf-of.ts';
import type { Platform } from '../../platform/port.ts';

/** `unknown`: the platform gave no clear answer in time, so the token counts as good until it does. */
export type Verdict =
  | { kind: 'good'; avatarUrl: string | null }
  | { kind: 'refused' }
  | { kind: 'unknown' };

export type TokenCheck = (accountId: string, token: Secret) => Promise<Verdict>;

/**
 * Each refusal brings our address closer to the platform's ban, which would hit every account: one
 * that keeps trying bad tokens has to wait.
 */
const refusalsAllowed = { points: 20, duration: 10 * 60 };

export const createTokenCheck = (platform: Platform): TokenCheck => {
  const refusals = new RateLimiterMemory(refusalsAllowed);
  return async (accountId, token) => {
    await requireRefusalsLeft(refusals, accountId);
    const verdict = await askAboutToken(platform, accountId, token);
    if (verdict.kind === 'refused') await refusals.penalty(accountId);
    return verdict;
  };
};

const requireRefusalsLeft = async (refusals: RateLimiterMemory, accountId: string): Promise<void> => {
  const used = await refusals.get(accountId);
  if (!(used instanceof RateLimiterRes) || used.remainingPoints > 0) return;
  const seconds = Math.ceil(used.msBeforeNext / 1000);
  throw new Refusal(
    429,
    `The platform refused too many of your bot tokens: try again in ${seconds} s`,
    {},
    { 'Retry-After': String(seconds) },
  );
};

/** One question, whatever was answered before, and no long wait for the answer. */
export const askAboutToken = async (
  platform: Platform,
  ownerId: string,
  token: Secret,
): Promise<Verdict> => {
  try {
    const { userId, avatarHash } = await onBehalfOf(ownerId, () =>
      platform.checkToken(token, { timeoutMs: 2000 }),
    );
    const avatarUrl =
      avatarHash === null
        ? null
        : platform.imageUrl({ kind: 'userAvatar', userId, hash: avatarHash });
    return { kind: 'good', avatarUrl };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return { kind: error.kind === 'botTokenDead' ? 'refused' : 'unknown' };
  }
};
