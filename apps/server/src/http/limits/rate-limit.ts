import type { Registry } from 'prom-client';
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import type { Log } from '../../kernel/log.ts';
import { inSpan } from '../../kernel/tracing.ts';
import type { MachineCounts } from './machine-counts.ts';
import type { SharedRateLimit } from './shared-rate-limit.ts';

export const keyWindowSeconds = 10;
const windowMs = keyWindowSeconds * 1000;

export type Count = {
  limit: number;
  remaining: number;
  /** When the window ends, Unix seconds rounded up. */
  resetAt: number;
  retryAfterSeconds: number;
  isExceeded: boolean;
};

export type RateLimit = {
  /** Counts one request of `id` in its window of 10 s, which starts with its first request. */
  count(id: string, limit: number): Promise<Count>;
  /** Whether nothing was left of it at its last count by this process, in a window that has not ended. */
  isSpent(id: string): boolean;
  close(): void;
};

const unlimited = { points: Number.MAX_SAFE_INTEGER, duration: keyWindowSeconds };

type OpenDependencies = { log: Log; registry: Registry; machineCounts?: MachineCounts | undefined };

/**
 * With Redis it is shared between processes, and in memory while Redis fails; without, it is in memory:
 * in that of this process, or in what the processes of this machine share. The client of Redis is loaded
 * only where it is used.
 */
export const openRateLimit = async (
  redisUrl: string | undefined,
  { log, registry, machineCounts }: OpenDependencies,
): Promise<RateLimit> => {
  if (redisUrl === undefined) return createRateLimit(undefined, machineCounts);
  const { createSharedRateLimit } = await import('./shared-rate-limit.ts');
  const shared = createSharedRateLimit(redisUrl, unlimited, { log, registry });
  return createRateLimit(shared, machineCounts);
};

/** In this process's memory, unless another count is given and works. */
export const createRateLimit = (
  shared?: SharedRateLimit,
  machineCounts?: MachineCounts,
): RateLimit => {
  const local = new RateLimiterMemory(unlimited);
  const windows = createWindows();

  return {
    async count(id, limit) {
      const { consumedPoints, msBeforeNext } =
        (await shared?.tryCount((limiter) => inSpan(countInRedis, () => consume(limiter, id)))) ??
        machineCounts?.count(id) ??
        (await consume(local, id));
      const now = performance.now();
      const window = windows.find(id, limit, now, now + msBeforeNext);
      window.remaining = Math.max(0, window.limit - consumedPoints);
      return {
        limit: window.limit,
        remaining: window.remaining,
        resetAt: Math.ceil((Date.now() + msBeforeNext) / 1000),
        retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
        isExceeded: consumedPoints > window.limit,
      };
    },
    isSpent: (id) => windows.isSpent(id, performance.now()),
    close: () => shared?.close(),
  };
};

const countInRedis = () => ({
  ...{ name: 'count request', kind: 'client' as const },
  attributes: { 'db.system.name': 'redis', 'db.operation.name': 'count request' },
});

/**
 * The limiter, or Redis, ends a window by the time of day. A window that would last longer than 10 s was
 * started before that clock was set back: it is deleted and a new one started.
 */
const consume = async (limiter: RateLimiterAbstract, id: string) => {
  const counted = await limiter.consume(id);
  if (counted.msBeforeNext <= windowMs) return counted;
  await limiter.delete(id);
  const { consumedPoints, msBeforeNext } = await limiter.consume(id);
  return { consumedPoints, msBeforeNext: Math.min(msBeforeNext, windowMs) };
};

type Window = { limit: number; remaining: number; endsAt: number };

/** A window keeps the limit it started with: a change of plan applies to the next one. */
const createWindows = () => {
  const open = new Map<string, Window>();
  let sweepAt = 0;
  return {
    find(id: string, limit: number, now: number, endsAt: number): Window {
      if (now >= sweepAt) {
        for (const [key, window] of open) if (window.endsAt <= now) open.delete(key);
        sweepAt = now + windowMs;
      }
      const known = open.get(id);
      if (known && known.endsAt > now) return known;
      const window = { limit, remaining: limit, endsAt };
      open.set(id, window);
      return window;
    },
    isSpent(id: string, now: number): boolean {
      const window = open.get(id);
      return window !== undefined && window.endsAt > now && window.remaining === 0;
    },
  };
};
