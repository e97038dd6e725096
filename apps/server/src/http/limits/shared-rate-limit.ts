import { Redis } from 'ioredis';
import { Counter, Gauge, type Registry } from 'prom-client';
import { type RateLimiterAbstract, RateLimiterRedis } from 'rate-limiter-flexible';
import type { Log } from '../../kernel/log.ts';
import { reasonOf } from './redis-failures.ts';

const commandDeadlineMs = 250;
const silentAfterMs = 1000;
const probeEveryMs = 1000;

type Window = { points: number; duration: number };

export type SharedRateLimit = {
  /** Undefined while Redis fails: the caller then counts in memory. */
  tryCount<Result>(
    work: (limiter: RateLimiterAbstract) => Promise<Result>,
  ): Promise<Result | undefined>;
  close(): void;
};

/**
 * Counts in Redis, shared by all processes. States: unknown (at the start) → shared or local, and back and
 * forth between the two. The first failed count switches to local, so that no other request waits for a
 * frozen Redis. In local state Redis is probed every second with a count of its own, which also detects a
 * full or read-only one; the first probe that succeeds switches back. Each switch is logged once; the
 * metrics show the state and count every failure.
 */
export const createSharedRateLimit = (
  url: string,
  window: Window,
  { log, registry }: { log: Log; registry: Registry },
): SharedRateLimit => {
  const redis = connectRedis(url);
  const limiter = new RateLimiterRedis({
    ...window,
    storeClient: redis,
    keyPrefix: 'holdfast:rate',
    rejectIfRedisNotReady: true,
  });
  const metrics = createMetricsIn(registry);
  const firstState = Promise.withResolvers<void>();
  let isShared: boolean | undefined;
  let isClosed = false;
  let nextProbe: ReturnType<typeof setTimeout> | undefined;
  let isProbing = false;

  const switchTo = (nextIsShared: boolean): boolean => {
    if (isClosed || isShared === nextIsShared) return false;
    isShared = nextIsShared;
    metrics.isShared.set(nextIsShared ? 1 : 0);
    firstState.resolve();
    return true;
  };
  const onFailure = (err: unknown): void => {
    const reason = reasonOf(err);
    metrics.failures.inc({ reason });
    if (switchTo(false)) {
      log.warn({ reason, err }, 'Redis takes no counts: each process counts for itself');
    }
    if (!isClosed) nextProbe ??= setTimeout(probe, probeEveryMs).unref();
  };
  const probe = async (): Promise<void> => {
    if (isProbing) return;
    isProbing = true;
    clearTimeout(nextProbe);
    nextProbe = undefined;
    try {
      await limiter.consume('probe');
      if (switchTo(true)) log.info('Redis takes counts: processes share one count');
    } catch (error) {
      onFailure(error);
    }
    isProbing = false;
  };
  const onCountFailed = (error: unknown): void => {
    if (reasonOf(error) === 'silent') {
      // One late answer may be a delay in this process: the probe decides whether Redis is down.
      metrics.failures.inc({ reason: 'silent' });
      probe();
    } else {
      onFailure(error);
    }
  };
  redis.on('ready', probe);
  redis.on('error', onFailure);

  return {
    async tryCount(work) {
      if (isShared === undefined)
        await Promise.race([firstState.promise, Bun.sleep(silentAfterMs)]);
      if (!isShared) return undefined;
      try {
        return await work(limiter);
      } catch (error) {
        onCountFailed(error);
        return undefined;
      }
    },
    close() {
      isClosed = true;
      clearTimeout(nextProbe);
      redis.disconnect();
    },
  };
};

/** The client reconnects by itself, also when a connection stops answering. */
const connectRedis = (url: string): Redis =>
  new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandDeadlineMs,
    connectTimeout: 1000,
    socketTimeout: silentAfterMs,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
  });

const createMetricsIn = (registry: Registry) => {
  const registers = [registry];
  return {
    isShared: new Gauge({
      name: 'holdfast_redis_shared',
      help: '1 while processes share one count in Redis, 0 while this one counts for itself',
      // Of several processes that are read as one.
      aggregator: 'min',
      registers,
    }),
    failures: new Counter({
      name: 'holdfast_redis_failures_total',
      help: 'Commands and connections to Redis that failed',
      labelNames: ['reason'],
      registers,
    }),
  };
};
