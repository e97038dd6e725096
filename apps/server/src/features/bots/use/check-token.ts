import type { Actor } from '../../../http/handler.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { onBehalfOf } from '../../../platform/client/breaker.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { Platform } from '../../../platform/port.ts';
import type { RefusalLimit } from './refusal-limit.ts';

/** `unknown`: the platform gave no clear answer in time; the token counts as good until it does. */
export type TokenVerdict =
  | { kind: 'good'; userId: string; avatarUrl: string | null }
  | { kind: 'refused' }
  | { kind: 'unknown' };

type Asking = { accountId: string; actor: Actor };

export type TokenChecker = (asking: Asking, token: Secret) => Promise<TokenVerdict>;

export const createTokenChecker =
  (platform: Platform, refusals: RefusalLimit): TokenChecker =>
  async ({ accountId, actor }, token) => {
    // What keys have used up does not keep a person out: the key that does it may not be theirs.
    const charged = actor.type === 'KEY' ? `keys of ${accountId}` : accountId;
    await refusals.requireSomeLeft(charged);
    const verdict = await checkTokenOnce(platform, accountId, token);
    if (verdict.kind === 'refused') await refusals.count(charged);
    return verdict;
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
    return { kind: 'good', userId, avatarUrl };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return { kind: error.kind === 'botTokenDead' ? 'refused' : 'unknown' };
  }
};
