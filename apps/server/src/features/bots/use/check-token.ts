import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { HttpError } from '../../../kernel/errors.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { onBehalfOf } from '../../../platform/client/breaker.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { Platform } from '../../../platform/port.ts';

/** `unknown`: the platform gave no clear answer in time; the token counts as good until it does. */
export type TokenVerdict =
  | { kind: 'good'; avatarUrl: string | null }
  | { kind: 'refused' }
  | { kind: 'unknown' };

export type TokenChecker = (accountId: string, token: Secret) => Promise<TokenVerdict>;

/**
 * The platform bans an address after too many refusals, which would affect every account. So an account
 * that keeps trying bad tokens has to wait.
 */
const refusalsAllowed = { points: 20, duration: 10 * 60 };

export const createTokenChecker = (platform: Platform): TokenChecker => {
  const refusals = new RateLimiterMemory(refusalsAllowed);
  return async (accountId, token) => {
    await requireRefusalsLeft(refusals, accountId);
    const verdict = await checkTokenOnce(platform, accountId, token);
    if (verdict.kind === 'refused') await refusals.penalty(accountId);
    return verdict;
  };
};

const requireRefusalsLeft = async (refusals: RateLimiterMemory, accountId: string) => {
  const used = await refusals.get(accountId);
  if (!(used instanceof RateLimiterRes) || used.remainingPoints > 0) return;
  const seconds = Math.ceil(used.msBeforeNext / 1000);
  throw new HttpError(
    429,
    `The platform refused too many of your bot tokens: try again in ${seconds} s`,
    {},
    { 'Retry-After': String(seconds) },
  );
};

/** Calls the platform once, with a short timeout, and ignores earlier answers. */
export const checkTokenOnce = async (
  platform: Platform,
  ownerId: string,
  token: Secret,
): Promise<TokenVerdict> => {
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
