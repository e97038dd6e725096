import type { Log } from './log.ts';

/** What the time of day was at the start, plus what the monotonic clock counted since. */
const startedAt = Date.now() - performance.now();

/** The time of day as if nobody had set the clock since the start: to count waits by. */
export const steadyNow = (): number => startedAt + performance.now();

const lookEveryMs = 1000;
const leastStepMs = 2000;

type Sources = { wallMs(): number; monotonicMs(): number };
const ownSources: Sources = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/** Says once when the machine's clock was set. What waits here does not mind; people who read logs do. */
export const watchForSteps = (log: Log, { wallMs, monotonicMs } = ownSources) => {
  let origin = wallMs() - monotonicMs();
  const look = () => {
    const now = wallMs() - monotonicMs();
    const stepMs = now - origin;
    origin = now;
    if (Math.abs(stepMs) < leastStepMs) return;
    const seconds = Math.round(stepMs / 1000);
    const way = seconds > 0 ? 'forward' : 'back';
    log.warn({ seconds }, `the clock of this machine was set ${way}; waits go on as they were`);
  };
  const looking = setInterval(look, lookEveryMs);
  return { look, stop: () => clearInterval(looking) };
};
