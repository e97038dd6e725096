import { createHmac, randomBytes } from 'node:crypto';
import type { PlatformUser } from './identity-types.ts';
import { maskOfScopes, scopesOfMask } from './oauth-scopes.ts';

/**
 * Tokens are computed, not kept: each says whom it is for, sealed with a key. What is kept is only
 * where the present differs from what a token says: a grant that was refreshed or revoked, a user
 * whose tokens were declared expired or revoked. A hundred thousand users cost nothing until then,
 * and in open mode a service's stored tokens survive a restart of the simulator.
 */
type Subject = { userId: string; applicationId: string; scopes: string[] };

export type SealedToken = Subject & {
  kind: 'access' | 'refresh';
  grantId: string;
  /** Counts refreshes. */
  generation: number;
  expiresAtMs: number;
};

export type TokenPair = {
  grantId: string;
  accessToken: string;
  refreshToken: string;
  expiresInSeconds: number;
  scopes: string[];
};

export type Tokens = {
  /** `isFresh`: the user has just agreed, which ends an earlier "expired" or "revoked" for this pair. */
  issue(subject: Subject, isFresh: boolean): TokenPair;
  /** A genuine token of either kind that was not rotated away or revoked. */
  find(token: string): SealedToken | undefined;
  isUsable(token: SealedToken): boolean;
  /** A new pair; the old one is gone. Undefined: the platform says invalid_grant. */
  refresh(token: SealedToken): TokenPair | undefined;
  revoke(grantId: string): void;
  setLife(lifeMs: number): void;
  declare(userId: string, state: PlatformUser['tokenState']): void;
};

const weekMs = 7 * 86_400_000;

// No secret: the simulator guards nothing, and a constant lets tokens outlive the process.
const openKey = Buffer.from('tokens of the pretend platform');

export const createTokens = (isOpen: boolean, now: () => number): Tokens => {
  const seal = createSeal(isOpen ? openKey : randomBytes(32));
  /** By grant, where not 0: tokens of an earlier generation are gone; revoked is past every one. */
  const generations = new Map<string, number>();
  const declared = new Map<string, PlatformUser['tokenState']>();
  /** Grants, by user, that were made or refreshed since the user's tokens were declared. */
  const fresh = new Map<string, Set<string>>();
  let lifeMs = weekMs;

  const pairOf = (subject: Subject, grantId: string, generation: number): TokenPair => {
    const { userId, applicationId, scopes } = subject;
    const expiresAtMs = now() + lifeMs;
    const part = { userId, applicationId, scopes, grantId, generation, expiresAtMs };
    return {
      grantId,
      accessToken: seal.write({ ...part, kind: 'access' }),
      refreshToken: seal.write({ ...part, kind: 'refresh' }),
      expiresInSeconds: Math.floor(lifeMs / 1000),
      scopes: scopesOfMask(maskOfScopes(scopes)),
    };
  };

  const stateOf = ({ userId, grantId }: SealedToken): PlatformUser['tokenState'] => {
    const state = declared.get(userId) ?? 'valid';
    return fresh.get(userId)?.has(grantId) ? 'valid' : state;
  };

  const markFresh = (userId: string, grantId: string): void => {
    if (declared.has(userId)) fresh.set(userId, (fresh.get(userId) ?? new Set()).add(grantId));
  };

  return {
    issue: (subject, isFresh) => {
      const grantId = randomBytes(9).toString('base64url');
      if (isFresh) markFresh(subject.userId, grantId);
      return pairOf(subject, grantId, 0);
    },
    find: (text) => {
      const token = seal.read(text);
      if (token === undefined) return undefined;
      return token.generation >= (generations.get(token.grantId) ?? 0) ? token : undefined;
    },
    isUsable: (token) =>
      token.kind === 'access' && token.expiresAtMs > now() && stateOf(token) === 'valid',
    refresh: (token) => {
      if (token.kind !== 'refresh' || stateOf(token) === 'revoked') return undefined;
      generations.set(token.grantId, token.generation + 1);
      markFresh(token.userId, token.grantId);
      return pairOf(token, token.grantId, token.generation + 1);
    },
    revoke: (grantId) => {
      generations.set(grantId, Number.POSITIVE_INFINITY);
    },
    setLife: (ms) => {
      lifeMs = ms;
    },
    declare: (userId, state) => {
      fresh.delete(userId);
      if (state === 'valid') declared.delete(userId);
      else declared.set(userId, state);
    },
  };
};

type Seal = {
  write(token: SealedToken): string;
  read(text: string): SealedToken | undefined;
};

const pattern =
  /^([ar])\.([\w-]{12})\.([0-9a-z]{1,8})\.([0-9a-z]{1,13})\.([0-9a-z]{1,13})\.([0-9a-z]{1,8})\.([0-9a-z]{1,11})$/;

const createSeal = (key: Buffer): Seal => {
  const markOf = (words: string): string =>
    createHmac('sha256', key).update(words).digest('base64url').slice(0, 20);
  return {
    write: (token) => {
      const words = wordsOf(token);
      return `${words}.${markOf(words)}`;
    },
    read: (text) => {
      const end = text.lastIndexOf('.');
      const words = text.slice(0, Math.max(end, 0));
      const match = pattern.exec(words);
      return match !== null && markOf(words) === text.slice(end + 1) ? tokenOf(match) : undefined;
    },
  };
};

const wordsOf = (token: SealedToken): string =>
  [
    token.kind === 'access' ? 'a' : 'r',
    token.grantId,
    token.generation.toString(36),
    BigInt(token.userId).toString(36),
    BigInt(token.applicationId).toString(36),
    maskOfScopes(token.scopes).toString(36),
    token.expiresAtMs.toString(36),
  ].join('.');

const tokenOf = (match: RegExpExecArray): SealedToken => {
  const [, kind, grantId = '', generation = '', user = '', application = '', mask = '', end = ''] =
    match;
  return {
    kind: kind === 'a' ? 'access' : 'refresh',
    grantId,
    generation: Number.parseInt(generation, 36),
    userId: fromBase36(user).toString(),
    applicationId: fromBase36(application).toString(),
    scopes: scopesOfMask(fromBase36(mask)),
    expiresAtMs: Number.parseInt(end, 36),
  };
};

const fromBase36 = (text: string): bigint =>
  [...text].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
