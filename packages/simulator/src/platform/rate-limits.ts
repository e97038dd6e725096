import { z } from 'zod';

export const limitSchema = z.object({ limit: z.int().positive(), perMs: z.number().positive() });

export const limitsSchema = z.object({
  default: limitSchema.optional(),
  routes: z.record(z.string(), limitSchema).optional(),
  global: limitSchema.optional(),
});

type Limit = z.output<typeof limitSchema>;

export type LimitVerdict =
  | { isAllowed: true; headers: Record<string, string> }
  | { isAllowed: false; headers: Record<string, string>; retryAfterS: number; isGlobal: boolean };

const DEFAULT_LIMIT: Limit = { limit: 5, perMs: 5_000 };
const DEFAULT_GLOBAL: Limit = { limit: 50, perMs: 1_000 };

/** A client's second begins when it sends, ours when we receive: so much is let pass above the limit. */
const GLOBAL_TOLERANCE = 0.1;
const SWEEP_ABOVE = 20_000;

export const createRateLimits = (now: () => number = Date.now) => {
  let defaultLimit = DEFAULT_LIMIT;
  let globalLimit = DEFAULT_GLOBAL;
  let routeLimits = new Map<string, Limit>();
  const windows = new Map<string, { endsAt: number; used: number }>();
  const globals = new Map<string, { tokens: number; at: number }>();

  const openWindow = (key: string, limit: Limit) => {
    const known = windows.get(key);
    if (known && known.endsAt > now()) return known;
    if (windows.size > SWEEP_ABOVE) dropEnded(windows, now());
    const fresh = { endsAt: now() + limit.perMs, used: 0 };
    windows.set(key, fresh);
    return fresh;
  };

  /** Seconds to wait, 0 when a token was taken. */
  const takeGlobal = (botId: string): number => {
    const capacity = globalLimit.limit + Math.floor(globalLimit.limit * GLOBAL_TOLERANCE);
    const perMs = globalLimit.limit / globalLimit.perMs;
    const state = globals.get(botId) ?? { tokens: capacity, at: now() };
    state.tokens = Math.min(capacity, state.tokens + (now() - state.at) * perMs);
    state.at = now();
    globals.set(botId, state);
    if (state.tokens < 1) return (1 - state.tokens) / perMs / 1000;
    state.tokens -= 1;
    return 0;
  };

  return {
    set: (limits: z.output<typeof limitsSchema>) => {
      defaultLimit = limits.default ?? DEFAULT_LIMIT;
      globalLimit = limits.global ?? DEFAULT_GLOBAL;
      routeLimits = new Map(Object.entries(limits.routes ?? {}));
      windows.clear();
      globals.clear();
    },
    get: () => ({
      default: defaultLimit,
      routes: Object.fromEntries(routeLimits),
      global: globalLimit,
    }),
    /** `route` is "METHOD /path/:id"; `majorId` the guild, channel or webhook at its head. */
    take: (botId: string, route: string, majorId: string): LimitVerdict => {
      const limit = routeLimits.get(route) ?? defaultLimit;
      const window = openWindow(`${botId} ${route} ${majorId}`, limit);
      const isFull = window.used >= limit.limit;
      const globalWaitS = isFull ? 0 : takeGlobal(botId);
      if (globalWaitS > 0) return refuseGlobally(globalWaitS);
      if (!isFull) window.used += 1;
      const headers = describeWindow(route, limit, window, now());
      return isFull
        ? refuse(headers, (window.endsAt - now()) / 1000)
        : { isAllowed: true, headers };
    },
  };
};

const describeWindow = (
  route: string,
  limit: Limit,
  window: { endsAt: number; used: number },
  nowMs: number,
) => ({
  'X-RateLimit-Limit': String(limit.limit),
  'X-RateLimit-Remaining': String(limit.limit - window.used),
  'X-RateLimit-Reset': (window.endsAt / 1000).toFixed(3),
  'X-RateLimit-Reset-After': Math.max(0, (window.endsAt - nowMs) / 1000).toFixed(3),
  'X-RateLimit-Bucket': Bun.hash(route).toString(16).padStart(16, '0'),
});

const refuse = (headers: Record<string, string>, retryAfterS: number): LimitVerdict => ({
  isAllowed: false,
  isGlobal: false,
  retryAfterS: roundUpMs(retryAfterS),
  headers: {
    ...headers,
    'Retry-After': String(Math.max(1, Math.ceil(retryAfterS))),
    'X-RateLimit-Scope': 'user',
  },
});

const refuseGlobally = (retryAfterS: number): LimitVerdict => ({
  isAllowed: false,
  isGlobal: true,
  retryAfterS: roundUpMs(retryAfterS),
  headers: {
    'Retry-After': String(Math.max(1, Math.ceil(retryAfterS))),
    'X-RateLimit-Global': 'true',
    'X-RateLimit-Scope': 'global',
  },
});

const roundUpMs = (seconds: number) => Math.max(0.001, Math.ceil(seconds * 1000) / 1000);

const dropEnded = (windows: Map<string, { endsAt: number }>, nowMs: number) => {
  for (const [key, window] of windows) if (window.endsAt <= nowMs) windows.delete(key);
};
