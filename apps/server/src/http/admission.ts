import type { Context, MiddlewareHandler } from 'hono';
import { tooManyRequests } from '../kernel/errors.ts';
import type { Caller } from './caller.ts';
import type { ClientAddress } from './client-address.ts';
import type { Count, RateLimit } from './rate-limit.ts';

export type HttpEnv = {
  Bindings: { peerAddress(): string };
  Variables: {
    requestId: string;
    operation: string;
    caller: Caller;
    /** What every answer to this request carries, whatever becomes of it. */
    headers: Record<string, string>;
  };
};

/** One of the ways to the same handlers: by a key, or by the dashboard's session. */
export type Entrance = {
  /** Where its paths begin. */
  prefix: string;
  authenticate(context: Context<HttpEnv>): Promise<Caller | undefined>;
  /** What a request without a caller is told. */
  refuse(): Error;
  /**
   * Under which names a caller's requests are counted, and how many each has in 10 s: the caller's own
   * first, then what it shares with others.
   */
  budgetsOf(caller: Caller): [Budget, ...Budget[]];
};

type Budget = { id: string; limit: number };

export type Admission = { rateLimit: RateLimit; clientAddress: ClientAddress };

const anonymousLimit = 100;

/** The first two steps of the ladder: who is this, and have they requests left. */
export const admit =
  (entrance: Entrance, tools: Admission): MiddlewareHandler<HttpEnv> =>
  async (context, next) => {
    context.get('headers')['Cache-Control'] = 'no-store';
    const caller = await findCaller(context, entrance, tools);
    const count = await countAll(tools.rateLimit, entrance.budgetsOf(caller));
    showCount(context, count);
    if (count.isExceeded) throw tooManyRequests(count.retryAfterSeconds);
    context.set('caller', caller);
    await next();
  };

/**
 * The count of the budget that has least left, under the limit of the caller's own. A request that its
 * own budget refuses does not draw from the shared one: a client gone wild leaves the other keys theirs.
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
  entrance: Entrance,
  tools: Admission,
): Promise<Caller> => {
  let caller: Caller | undefined;
  try {
    caller = await entrance.authenticate(context);
  } finally {
    // Every answer carries the headers; those without a caller draw from their address's bucket.
    if (!caller) showCount(context, await countAnonymous(context, tools));
  }
  if (!caller) throw entrance.refuse();
  return caller;
};

const countAnonymous = (context: Context<HttpEnv>, tools: Admission): Promise<Count> => {
  const forwardedFor = context.req.raw.headers.get('x-forwarded-for');
  const address = tools.clientAddress(context.env.peerAddress(), forwardedFor);
  return tools.rateLimit.count(`address:${address}`, anonymousLimit);
};

const showCount = (context: Context<HttpEnv>, count: Count): void => {
  const headers = context.get('headers');
  headers['X-RateLimit-Limit'] = String(count.limit);
  headers['X-RateLimit-Remaining'] = String(count.remaining);
  headers['X-RateLimit-Reset'] = String(count.resetAt);
};
