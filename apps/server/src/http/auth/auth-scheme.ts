import type { Context, MiddlewareHandler } from 'hono';
import { tooManyRequests } from '../../kernel/errors.ts';
import type { Caller, HttpEnv } from '../context.ts';
import { addressOf } from '../limits/address-limit.ts';
import type { ClientAddress } from '../limits/client-address.ts';
import type { Count, RateLimit } from '../limits/rate-limit.ts';

/** How requests below one prefix are authenticated: by API key, or by the dashboard's session. */
export type AuthScheme = {
  prefix: string;
  /** What a request names its caller by; undefined where nothing has to be looked up to refuse it. */
  credentialOf(context: Context<HttpEnv>): string | undefined;
  authenticate(context: Context<HttpEnv>): Promise<Caller | undefined>;
  /** The error for a request without a valid caller. */
  refuse(): Error;
  /** What a request draws from, per 10 s: first the caller's own budget, then those it shares. */
  budgetsOf(caller: Caller): [Budget, ...Budget[]];
};

type Budget = { id: string; limit: number };

export type RateLimitDependencies = { rateLimit: RateLimit; clientAddress: ClientAddress };

const anonymousLimit = 100;
/** Of an address: an owner who shares it with whoever guesses has to be found all the same. */
const maxFailedLookUps = 1000;

/** The first two steps of the pipeline: authenticate the caller, then count the request. */
export const admitCaller = async (
  context: Context<HttpEnv>,
  scheme: AuthScheme,
  dependencies: RateLimitDependencies,
): Promise<void> => {
  context.get('headers')['Cache-Control'] = 'no-store';
  const caller = await findCaller(context, scheme, dependencies);
  const count = await countAll(dependencies.rateLimit, scheme.budgetsOf(caller));
  setRateLimitHeaders(context, count);
  if (count.isExceeded) throw tooManyRequests(count.retryAfterSeconds);
  context.set('caller', caller);
};

/** The same for routes that are not endpoints of the contract. */
export const authenticateRequest =
  (scheme: AuthScheme, dependencies: RateLimitDependencies): MiddlewareHandler<HttpEnv> =>
  async (context, next) => {
    await admitCaller(context, scheme, dependencies);
    await next();
  };

/**
 * The count of the tightest budget, shown with the limit of the caller's own. A request that its own
 * budget refuses does not draw from the shared one, so one client in a loop leaves the other keys theirs.
 */
const countAll = async (
  rateLimit: RateLimit,
  [own, ...shared]: [Budget, ...Budget[]],
): Promise<Count> => {
  let tightest = await rateLimit.count(own.id, own.limit);
  for (const budget of shared) {
    if (tightest.isExceeded) break;
    const count = await rateLimit.count(budget.id, budget.limit);
    if (count.isExceeded || count.remaining < tightest.remaining) {
      tightest = { ...count, limit: tightest.limit };
    }
  }
  return tightest;
};

const findCaller = async (
  context: Context<HttpEnv>,
  scheme: AuthScheme,
  dependencies: RateLimitDependencies,
): Promise<Caller> => {
  const { rateLimit } = dependencies;
  const credential = scheme.credentialOf(context);
  const address = addressOf(context, dependencies);
  const failedLookUps = `look-ups:${address}`;
  const mayLookUp =
    credential === undefined || foundLately.has(credential) || !rateLimit.isSpent(failedLookUps);
  let caller: Caller | undefined;
  try {
    if (mayLookUp) caller = await scheme.authenticate(context);
  } finally {
    // Every answer carries the headers; a request without a caller is counted for its address.
    if (!caller) {
      setRateLimitHeaders(context, await rateLimit.count(`address:${address}`, anonymousLimit));
      if (credential !== undefined) await rateLimit.count(failedLookUps, maxFailedLookUps);
    }
  }
  if (!caller) throw scheme.refuse();
  if (credential !== undefined) remember(credential);
  return caller;
};

/**
 * An address whose look-ups have failed too often is refused before anything is looked up. Credentials that were
 * good in this process are looked up all the same: their owners may share the address with whoever guesses.
 */
const foundLately = new Set<string>();
const maxRemembered = 10_000;

const remember = (credential: string): void => {
  if (foundLately.size >= maxRemembered) foundLately.clear();
  foundLately.add(credential);
};

const setRateLimitHeaders = (context: Context<HttpEnv>, count: Count): void => {
  const headers = context.get('headers');
  headers['X-RateLimit-Limit'] = String(count.limit);
  headers['X-RateLimit-Remaining'] = String(count.remaining);
  headers['X-RateLimit-Reset'] = String(count.resetAt);
};
