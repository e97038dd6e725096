import type { Plan, PlanName } from '@holdfast/contract';
import type { Context, MiddlewareHandler } from 'hono';
import { tooManyRequests, unauthorized } from '../kernel/errors.ts';
import { bearerCredential } from './bearer.ts';
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

export type Admission = {
  authenticate(key: string): Promise<Caller | undefined>;
  limitsOf(plan: PlanName): Plan;
  rateLimit: RateLimit;
  clientAddress: ClientAddress;
};

const anonymousLimit = 100;

/** The first two steps of the ladder: who is this key, and has it requests left. */
export const admit =
  (tools: Admission): MiddlewareHandler<HttpEnv> =>
  async (context, next) => {
    context.get('headers')['Cache-Control'] = 'no-store';
    const caller = await findCaller(context, tools);
    const limit = tools.limitsOf(caller.plan).apiRatePerTenSeconds;
    const count = await tools.rateLimit.count(`key:${caller.keyId}`, limit);
    showCount(context, count);
    if (count.isExceeded) throw tooManyRequests(count.retryAfterSeconds);
    context.set('caller', caller);
    await next();
  };

const findCaller = async (context: Context<HttpEnv>, tools: Admission): Promise<Caller> => {
  const key = bearerCredential(context.req.raw.headers.get('authorization'));
  let caller: Caller | undefined;
  try {
    if (key !== undefined) caller = await tools.authenticate(key);
  } finally {
    // Every answer carries the headers; those without a caller draw from their address's bucket.
    if (!caller) showCount(context, await countAnonymous(context, tools));
  }
  if (!caller) throw unauthorized();
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
