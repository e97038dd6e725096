import { z } from 'zod';

const limitSchema = z.object({ limit: z.int().positive(), perMs: z.number().positive() });

export const limitsSchema = z.object({
  default: limitSchema.optional(),
  routes: z.record(z.string(), limitSchema).optional(),
  global: limitSchema.optional(),
});

type Limit = z.output<typeof limitSchema>;

export type LimitResult =
  | { isAllowed: true; headers: Record<string, string> }
  | { isAllowed: false; headers: Record<string, string>; retryAfterS: number; isGlobal: boolean };

const DEFAULT_LIMIT: Limit = { limit: 5, perMs: 5_000 };
const DEFAULT_GLOBAL: Limit = { limit: 50, perMs: 1_000 };

/** The client counts from sending, the simulator from receiving: this share above the limit is allowed. */
const GLOBAL_TOLERANCE = 0.1;
const SWEEP_ABOVE = 20_000;

export const createRateLimits = (now: () => number = Date.now) => {
  let defaultLimit = DEFAULT_LIMIT;
  let globalLimit = DEFAULT_GLOBAL;
  let routeLimits = new Map<string, Limit>();
  const windows = new Map<string, { endsAt: number; used: number }>();
  const globals = new Map<string, { tokens: number; at: number }>();

  const openWindow = (key: string, limit: Limit) => {
    const current = windows.get(key);
    if (current && current.endsAt > now()) return current;
    if (windows.size > SWEEP_ABOVE) deleteEnded(windows, now());
    const opened = { endsAt: now() + limit.perMs, used: 0 };
    windows.set(key, opened);
    return opened;
  };

  /** Seconds to wait; 0 if the request is allowed. */
  const consumeGlobal = (botId: string): number => {
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
    /** `route` is "METHOD /path/:id"; `majorId` is the guild, channel or webhook in its first segment. */
    consume: (botId: string, route: string, majorId: string): LimitResult => {
      const limit = routeLimits.get(route) ?? defaultLimit;
      const window = openWindow(`${botId} ${route} ${majorId}`, limit);
      const isFull = window.used >= limit.limit;
      const globalWaitS = isFull ? 0 : consumeGlobal(botId);
      if (globalWaitS > 0) return refuse({ 'X-RateLimit-Global': 'true' }, globalWaitS, true);
      if (!isFull) window.used += 1;
      const headers = describeWindow(route, limit, window, now());
      return isFull
        ? refuse(headers, (window.endsAt - now()) / 1000, false)
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

const refuse = (
  headers: Record<string, string>,
  retryAfterS: number,
  isGlobal: boolean,
): LimitResult => ({
  isAllowed: false,
  isGlobal,
  retryAfterS: roundUpMs(retryAfterS),
  headers: {
    ...headers,
    'Retry-After': String(Math.max(1, Math.ceil(retryAfterS))),
    'X-RateLimit-Scope': isGlobal ? 'global' : 'user',
  },
});

const roundUpMs = (seconds: number) => Math.max(0.001, Math.ceil(seconds * 1000) / 1000);

const deleteEnded = (windows: Map<string, { endsAt: number }>, nowMs: number) => {
  for (const [key, window] of windows) if (window.endsAt <= nowMs) windows.delete(key);
};
