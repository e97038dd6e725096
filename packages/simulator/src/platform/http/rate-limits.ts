import { z } from 'zod';
import { createSubLimits, type LimitedRequest, subLimitsSchema } from './sub-limits.ts';
import { createWindows, type Window } from './windows.ts';

/** A shared limit counts the requests of all bots to one guild or channel together. */
const limitSchema = z.object({
  limit: z.int().positive(),
  perMs: z.number().positive(),
  scope: z.enum(['user', 'shared']).optional(),
});

export const limitsSchema = subLimitsSchema.extend({
  default: limitSchema.optional(),
  routes: z.record(z.string(), limitSchema).optional(),
  global: limitSchema.optional(),
});

type Limit = z.output<typeof limitSchema>;
type Scope = 'user' | 'global' | 'shared';

export type LimitResult =
  | {
      isAllowed: true;
      headers: Record<string, string>;
      /** The request had no effect: what counts effects forgets it. */
      giveBack: () => void;
    }
  | {
      isAllowed: false;
      headers: Record<string, string>;
      retryAfterS: number;
      isGlobal: boolean;
      isBanFetch: boolean;
    };

const DEFAULT_LIMIT: Limit = { limit: 5, perMs: 5_000 };
const DEFAULT_GLOBAL: Limit = { limit: 50, perMs: 1_000 };

/** The client counts from sending, the simulator from receiving: this share above the limit is allowed. */
const GLOBAL_TOLERANCE = 0.1;

export const createRateLimits = (now: () => number = Date.now) => {
  let defaultLimit = DEFAULT_LIMIT;
  let globalLimit = DEFAULT_GLOBAL;
  let routeLimits = new Map<string, Limit>();
  const windows = createWindows(now);
  const subLimits = createSubLimits(now);
  const globals = new Map<string, { tokens: number; at: number }>();

  /** Seconds to wait; 0 if the request is allowed. */
  const consumeGlobal = (subject: string): number => {
    const capacity = globalLimit.limit + Math.floor(globalLimit.limit * GLOBAL_TOLERANCE);
    const perMs = globalLimit.limit / globalLimit.perMs;
    const state = globals.get(subject) ?? { tokens: capacity, at: now() };
    state.tokens = Math.min(capacity, state.tokens + (now() - state.at) * perMs);
    state.at = now();
    globals.set(subject, state);
    if (state.tokens < 1) return (1 - state.tokens) / perMs / 1000;
    state.tokens -= 1;
    return 0;
  };

  /** The bucket first: only a request that it allows can meet a limit beside it. */
  const consume = (request: LimitedRequest & { majorId: string }): LimitResult => {
    const { subject, route, majorId } = request;
    const limit = routeLimits.get(route) ?? defaultLimit;
    const scope = limit.scope ?? 'user';
    const window = windows.open(
      `${scope === 'user' ? subject : ''} ${route} ${majorId}`,
      limit.perMs,
    );
    const isFull = window.used >= limit.limit;
    // Webhooks are outside the limit of the bot that made them.
    const globalWaitS = isFull || subject.startsWith('webhook ') ? 0 : consumeGlobal(subject);
    if (globalWaitS > 0) return refuse({ 'X-RateLimit-Global': 'true' }, globalWaitS, 'global');
    if (!isFull) window.used += 1;
    const headers = describeWindow(route, limit, window, now());
    if (isFull) return refuse(headers, (window.endsAt - now()) / 1000, scope);
    const result = subLimits.consume(request);
    if (result.isAllowed) return { isAllowed: true, headers, giveBack: result.giveBack };
    return refuse(headers, result.waitMs / 1000, result.scope, result.isBanFetch);
  };

  return {
    set: (limits: z.output<typeof limitsSchema>) => {
      defaultLimit = limits.default ?? DEFAULT_LIMIT;
      globalLimit = limits.global ?? DEFAULT_GLOBAL;
      routeLimits = new Map(Object.entries(limits.routes ?? {}));
      windows.clear();
      globals.clear();
      subLimits.set(limits);
    },
    get: () => ({
      default: defaultLimit,
      routes: Object.fromEntries(routeLimits),
      global: globalLimit,
      ...subLimits.get(),
    }),
    consume,
  };
};

const describeWindow = (route: string, limit: Limit, window: Window, nowMs: number) => ({
  'X-RateLimit-Limit': String(limit.limit),
  'X-RateLimit-Remaining': String(limit.limit - window.used),
  'X-RateLimit-Reset': (window.endsAt / 1000).toFixed(3),
  'X-RateLimit-Reset-After': Math.max(0, (window.endsAt - nowMs) / 1000).toFixed(3),
  'X-RateLimit-Bucket': Bun.hash(route).toString(16).padStart(16, '0'),
});

const refuse = (
  headers: Record<string, string>,
  retryAfterS: number,
  scope: Scope,
  isBanFetch = false,
): LimitResult => ({
  isAllowed: false,
  isGlobal: scope === 'global',
  isBanFetch,
  retryAfterS: roundUpMs(retryAfterS),
  headers: {
    ...headers,
    'Retry-After': String(Math.max(1, Math.ceil(retryAfterS))),
    'X-RateLimit-Scope': scope,
  },
});

const roundUpMs = (seconds: number) => Math.max(0.001, Math.ceil(seconds * 1000) / 1000);
