import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { HttpError } from '../../../kernel/errors.ts';

/**
 * The platform bans an address after too many refusals, which would affect every account. So an account
 * that keeps trying bad tokens or secrets has to wait.
 */
const refusalsAllowed = { points: 20, duration: 10 * 60 };

export type RefusalLimit = {
  /** Throws with 429 where none are left to whom they are charged: an account, or all its keys. */
  requireSomeLeft(charged: string): Promise<void>;
  count(charged: string): Promise<void>;
};

export const createRefusalLimit = (): RefusalLimit => {
  const refusals = new RateLimiterMemory(refusalsAllowed);
  return {
    async requireSomeLeft(charged) {
      const used = await refusals.get(charged);
      if (!(used instanceof RateLimiterRes) || used.remainingPoints > 0) return;
      const seconds = Math.ceil(used.msBeforeNext / 1000);
      throw new HttpError(
        429,
        `The platform refused too many of your bot tokens: try again in ${seconds} s`,
        {},
        { 'Retry-After': String(seconds) },
      );
    },
    async count(charged) {
      await refusals.penalty(charged);
    },
  };
};
