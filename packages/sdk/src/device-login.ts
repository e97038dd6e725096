import { sleep } from './deadline.ts';
import { errorFrom, HoldfastError, HoldfastNetworkError, reasonOf } from './errors.ts';
import type { Input } from './operations.ts';
import { userAgentOf } from './user-agent.ts';

type KeyScope = NonNullable<Input<'createKey'>['body']>['scopes'][number];

export type DeviceLoginOptions = {
  /** Where the service is, such as `https://holdfast.example.com`. */
  baseUrl: string;
  /**
   * What the key shall be allowed. By default everything that opens something, except to delete the account, to pay money
   * out and to create keys. The owner can take some away.
   */
  scopes?: KeyScope[];
  /** What the machine is called, at most 64 characters: part of the key's name, and shown to the owner. */
  name?: string;
  /** Called once, with what the owner has to be shown. */
  onCode: (code: DeviceCode) => void;
  signal?: AbortSignal;
  /** Used in place of the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Your program, such as `nightly-backup/1.2`: sent as `User-Agent`, except by browsers. */
  userAgent?: string;
};

export type DeviceCode = {
  /** Such as `WDJB-MJHT`. */
  userCode: string;
  /** The page on which the owner types the code. */
  verificationUrl: string;
  /** The same page with the code in its address, for a link or a QR code. */
  verificationUrlComplete: string;
  /** Until when it can be approved, ISO 8601. */
  expiresAt: string;
};

/** `expiresAt` is the end of the key, ISO 8601. */
export type DeviceLogin = { key: string; scopes: KeyScope[]; expiresAt: string };

/** Why there is no key. */
export type DeviceLoginFailure =
  /** The owner denied it, or the account can have no further key: the message says what to do. */
  | 'denied'
  /** Nobody approved it in time. */
  | 'expired'
  /** One of `scopes` does not exist. */
  | 'invalidScope'
  /** Too many logins of this address: `retryAfterMs` says when to begin again. */
  | 'rateLimited'
  /** Everything else, such as a name with control characters. */
  | 'refused';

export class HoldfastLoginFailed extends Error {
  override readonly name = 'HoldfastLoginFailed';
  readonly kind: DeviceLoginFailure;
  /** The code of the answer, such as `access_denied` (RFC 6749 and 8628). */
  readonly code: string;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, code: string, retryAfterMs?: number) {
    super(message);
    this.kind = (Object.hasOwn(kinds, code) && kinds[code]) || 'refused';
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

const kinds: Record<string, DeviceLoginFailure> = {
  access_denied: 'denied',
  expired_token: 'expired',
  invalid_scope: 'invalidScope',
  slow_down: 'rateLimited',
  temporarily_unavailable: 'rateLimited',
};

const clientId = 'holdfast-cli';
const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
const attemptMs = 15_000;
const beginRetries = 3;
const slowDownMs = 5000;
const shortestPauseMs = 1000;
const longestPauseMs = 60_000;
/** Whatever an answer says: a code is good for ten minutes, a key for a year. */
const longestCodeSeconds = 60 * 60;
const longestKeySeconds = 10 * 366 * 24 * 60 * 60;

/**
 * Gets a new API key by device code (RFC 8628): the owner approves it in the dashboard, on any machine. Waits
 * until they have decided, over network failures too, and throws `HoldfastLoginFailed` where there is no key.
 */
export const logInByDevice = (options: DeviceLoginOptions): Promise<DeviceLogin> =>
  logInWithPauses(sleep, options);

/** The same with pauses of another kind. */
export const logInWithPauses = async (
  pause: typeof sleep,
  options: DeviceLoginOptions,
): Promise<DeviceLogin> => {
  const post = poster(options);
  const begun = await begin(post, options);
  const lifeSeconds = Math.min(numberIn(begun, 'expires_in'), longestCodeSeconds);
  const endsAt = performance.now() + lifeSeconds * 1000;
  options.onCode({
    userCode: textIn(begun, 'user_code'),
    verificationUrl: textIn(begun, 'verification_uri'),
    verificationUrlComplete: textIn(begun, 'verification_uri_complete'),
    expiresAt: momentAfter(lifeSeconds),
  });
  const form = { grant_type: grantType, device_code: textIn(begun, 'device_code') };
  const waitAfter = paceOf(numberIn(begun, 'interval') * 1000);
  let waitMs = waitAfter();
  while (performance.now() < endsAt) {
    await pause(Math.min(waitMs, endsAt - performance.now()), options.signal);
    try {
      return loginOf(await post('/oauth/token', form));
    } catch (error) {
      waitMs = waitAfter(error);
    }
  }
  throw new HoldfastLoginFailed('The code has expired: begin again', 'expired_token');
};

/**
 * How long to wait before the next poll, by how the last one failed: longer for good where the service says so,
 * and longer each time while it is not reached. A failure that ends the login is thrown again.
 */
export const paceOf = (intervalMs: number) => {
  let usualMs = Math.min(Math.max(intervalMs, shortestPauseMs), longestPauseMs);
  let unreached = 0;
  return (error?: unknown): number => {
    if (error !== undefined && isTransient(error)) {
      return Math.min(usualMs * 2 ** ++unreached, Math.max(usualMs, longestPauseMs));
    }
    unreached = 0;
    if (error === undefined) return usualMs;
    if (!(error instanceof HoldfastLoginFailed) || !pending.includes(error.code)) throw error;
    if (error.code === 'slow_down') usualMs += slowDownMs;
    return Math.max(usualMs, error.retryAfterMs ?? 0);
  };
};

const pending = ['authorization_pending', 'slow_down'];

type Post = (path: string, form: Record<string, string>) => Promise<object>;

const begin = async (post: Post, { scopes, name, signal }: DeviceLoginOptions) => {
  const form = {
    ...(scopes && { scope: scopes.join(' ') }),
    ...(name !== undefined && { device_name: name }),
  };
  for (let failures = 0; ; failures++) {
    try {
      return await post('/oauth/device_authorization', form);
    } catch (error) {
      if (!isTransient(error) || failures >= beginRetries) throw error;
      await sleep(250 * 2 ** failures * (1 + Math.random()), signal);
    }
  }
};

const poster = ({ baseUrl, signal, ...options }: DeviceLoginOptions): Post => {
  const { origin, pathname } = new URL(baseUrl);
  const root = `${origin}${pathname.replace(/\/+$/, '')}`;
  const fetchAnswer = options.fetch ?? ((url, init) => fetch(url, init));
  const userAgent = userAgentOf(options.userAgent);
  return async (path, form) => {
    signal?.throwIfAborted();
    const limit = AbortSignal.timeout(attemptMs);
    const init: RequestInit = {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        ...(userAgent !== undefined && { 'user-agent': userAgent }),
      },
      body: new URLSearchParams({ client_id: clientId, ...form }).toString(),
      // A device code is worth a key: it goes nowhere else.
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    };
    try {
      return await readAnswer(await fetchAnswer(`${root}${path}`, init));
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof HoldfastError || cause instanceof HoldfastLoginFailed) throw cause;
      const isTimeout = limit.aborted;
      const message = `POST ${root}${path}: ${reasonOf(cause)}`;
      throw new HoldfastNetworkError(message, { isTimeout, cause });
    }
  };
};

const readAnswer = async (response: Response): Promise<object> => {
  const body: unknown = await response.json().catch(() => undefined);
  const isRecord = typeof body === 'object' && body !== null;
  if (response.ok && isRecord) return body;
  if (response.ok) throw new Error('the answer is not one of the service');
  const failure = errorFrom(response, body);
  if (!isRecord || !('error_description' in body)) throw failure;
  const { message: code, retryAfterMs } = failure;
  throw new HoldfastLoginFailed(String(body.error_description), code, retryAfterMs);
};

const isTransient = (error: unknown): boolean =>
  error instanceof HoldfastNetworkError || (error instanceof HoldfastError && error.status >= 500);

const loginOf = (grant: object): DeviceLogin => ({
  key: textIn(grant, 'access_token'),
  // The service's own list: these are scopes.
  scopes: textIn(grant, 'scope').split(' ') as KeyScope[],
  expiresAt: momentAfter(Math.min(numberIn(grant, 'expires_in'), longestKeySeconds)),
});

const momentAfter = (seconds: number): string =>
  new Date(Date.now() + seconds * 1000).toISOString();

const fieldIn = (answer: object, name: string): unknown =>
  new Map(Object.entries(answer)).get(name);

const textIn = (answer: object, name: string): string => {
  const value = fieldIn(answer, name);
  if (typeof value === 'string') return value;
  throw new HoldfastLoginFailed(`The answer has no ${name}: is this Holdfast?`, 'invalid_answer');
};

const numberIn = (answer: object, name: string): number => {
  const value = fieldIn(answer, name);
  if (typeof value === 'number' && value >= 0) return value;
  throw new HoldfastLoginFailed(`The answer has no ${name}: is this Holdfast?`, 'invalid_answer');
};
