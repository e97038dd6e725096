/**
 * The kernel: what every layer may import and what imports nothing of ours. Time (`clock.ts`), ids,
 * hashes, secrets and their encryption (`seal.ts`), errors that end a request (`errors.ts`), logging,
 * metrics, deadlines, concurrency and IP addresses.
 */
import type { Log } from './log.ts';

/** Injected, so that tests can move time. Leases and cooldowns use the database's clock instead. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };

/** The time of day at the start of the process, minus what the monotonic clock had counted by then. */
const startedAt = Date.now() - performance.now();

/** The time of day, but monotonic: a step of the machine's clock does not change it. For waiting. */
export const steadyNow = (): number => startedAt + performance.now();

const checkEveryMs = 1000;
const smallestStepMs = 2000;

type Sources = { wallMs(): number; monotonicMs(): number };
const systemSources: Sources = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/** Logs when the machine's clock was set, for people who read the times in the log. */
export const watchClockSteps = (log: Log, { wallMs, monotonicMs } = systemSources) => {
  let origin = wallMs() - monotonicMs();
  const check = () => {
    const now = wallMs() - monotonicMs();
    const stepMs = now - origin;
    origin = now;
    if (Math.abs(stepMs) < smallestStepMs) return;
    const seconds = Math.round(stepMs / 1000);
    const direction = seconds > 0 ? 'forward' : 'back';
    log.warn({ seconds }, `the clock of this machine was set ${direction}; waits are not affected`);
  };
  const timer = setInterval(check, checkEveryMs);
  return { check, stop: () => clearInterval(timer) };
};
