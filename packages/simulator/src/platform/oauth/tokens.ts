import { createHmac, randomBytes } from 'node:crypto';
import type { PlatformUser } from '../platform.ts';
import { maskOfScopes, scopesOfMask } from './scopes.ts';

/**
 * Tokens are computed, not stored: each carries its user, application, scopes and expiry, signed
 * with a key. Only deviations are stored: grants that were refreshed or revoked, and users whose
 * tokens were set to expired or revoked. So a hundred thousand users cost no memory, and in open
 * mode the tokens that a service has stored survive a restart of the simulator.
 */
type Subject = { userId: string; applicationId: string; scopes: string[] };

export type ParsedToken = Subject & {
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
  /** `isRenewed`: the user has just consented, so a state that was set before does not apply. */
  issue(subject: Subject, isRenewed: boolean): TokenPair;
  /** A genuine token of either kind that was neither rotated nor revoked. */
  find(token: string): ParsedToken | undefined;
  isUsable(token: ParsedToken): boolean;
  /** A new pair, which ends the old one. Undefined: invalid_grant. */
  refresh(token: ParsedToken): TokenPair | undefined;
  revoke(grantId: string): void;
  setLife(lifetimeMs: number): void;
  setState(userId: string, state: PlatformUser['tokenState']): void;
};

const weekMs = 7 * 86_400_000;

// Not a secret: the simulator protects nothing, and with a constant key tokens outlive the process.
const openKey = Buffer.from('tokens of the pretend platform');

export const createTokens = (isOpen: boolean, now: () => number): Tokens => {
  const codec = createTokenCodec(isOpen ? openKey : randomBytes(32));
  /** By grant, if not 0: the first valid generation. Infinity for a revoked grant. */
  const generations = new Map<string, number>();
  const stateByUser = new Map<string, PlatformUser['tokenState']>();
  /** By user: grants that were issued or refreshed after the state of the user's tokens was set. */
  const renewedGrants = new Map<string, Set<string>>();
  let lifetimeMs = weekMs;

  const pairOf = (subject: Subject, grantId: string, generation: number): TokenPair => {
    const { userId, applicationId, scopes } = subject;
    const expiresAtMs = now() + lifetimeMs;
    const claims = { userId, applicationId, scopes, grantId, generation, expiresAtMs };
    return {
      grantId,
      accessToken: codec.encode({ ...claims, kind: 'access' }),
      refreshToken: codec.encode({ ...claims, kind: 'refresh' }),
      expiresInSeconds: Math.floor(lifetimeMs / 1000),
      scopes: scopesOfMask(maskOfScopes(scopes)),
    };
  };

  const stateOf = ({ userId, grantId }: ParsedToken): PlatformUser['tokenState'] => {
    const state = stateByUser.get(userId) ?? 'valid';
    return renewedGrants.get(userId)?.has(grantId) ? 'valid' : state;
  };

  const markRenewed = (userId: string, grantId: string): void => {
    if (stateByUser.has(userId))
      renewedGrants.set(userId, (renewedGrants.get(userId) ?? new Set()).add(grantId));
  };

  return {
    issue: (subject, isRenewed) => {
      const grantId = randomBytes(9).toString('base64url');
      if (isRenewed) markRenewed(subject.userId, grantId);
      return pairOf(subject, grantId, 0);
    },
    find: (text) => {
      const token = codec.decode(text);
      if (token === undefined) return undefined;
      return token.generation >= (generations.get(token.grantId) ?? 0) ? token : undefined;
    },
    isUsable: (token) =>
      token.kind === 'access' && token.expiresAtMs > now() && stateOf(token) === 'valid',
    refresh: (token) => {
      if (token.kind !== 'refresh' || stateOf(token) === 'revoked') return undefined;
      generations.set(token.grantId, token.generation + 1);
      markRenewed(token.userId, token.grantId);
      return pairOf(token, token.grantId, token.generation + 1);
    },
    revoke: (grantId) => {
      generations.set(grantId, Number.POSITIVE_INFINITY);
    },
    setLife: (ms) => {
      lifetimeMs = ms;
    },
    setState: (userId, state) => {
      renewedGrants.delete(userId);
      if (state === 'valid') stateByUser.delete(userId);
      else stateByUser.set(userId, state);
    },
  };
};

type TokenCodec = {
  encode(token: ParsedToken): string;
  decode(text: string): ParsedToken | undefined;
};

const payloadPattern =
  /^([ar])\.([\w-]{12})\.([0-9a-z]{1,8})\.([0-9a-z]{1,13})\.([0-9a-z]{1,13})\.([0-9a-z]{1,8})\.([0-9a-z]{1,11})$/;

const createTokenCodec = (key: Buffer): TokenCodec => {
  const sign = (payload: string): string =>
    createHmac('sha256', key).update(payload).digest('base64url').slice(0, 20);
  return {
    encode: (token) => {
      const payload = encodePayload(token);
      return `${payload}.${sign(payload)}`;
    },
    decode: (text) => {
      const end = text.lastIndexOf('.');
      const payload = text.slice(0, Math.max(end, 0));
      const match = payloadPattern.exec(payload);
      return match && sign(payload) === text.slice(end + 1) ? decodePayload(match) : undefined;
    },
  };
};

const encodePayload = (token: ParsedToken): string =>
  [
    token.kind === 'access' ? 'a' : 'r',
    token.grantId,
    token.generation.toString(36),
    BigInt(token.userId).toString(36),
    BigInt(token.applicationId).toString(36),
    maskOfScopes(token.scopes).toString(36),
    token.expiresAtMs.toString(36),
  ].join('.');

const decodePayload = (match: RegExpExecArray): ParsedToken => {
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
