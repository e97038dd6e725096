import type { Log } from '../kernel/log.ts';

const firstMs = 1000;
const longestPauseMs = 30_000;

/**
 * Runs a part of the start. While it takes long, the log says what the start waits for: after a second,
 * then less and less often.
 */
export const logWaiting = async <Result>(
  log: Log,
  what: string,
  work: () => Promise<Result>,
): Promise<Result> => {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  let hasLogged = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const logAfter = (pauseMs: number) => {
    timer = setTimeout(() => {
      log.info({ seconds: seconds() }, `the start waits for ${what}`);
      hasLogged = true;
      logAfter(Math.min(2 * pauseMs, longestPauseMs));
    }, pauseMs);
  };
  logAfter(firstMs);
  try {
    const result = await work();
    if (hasLogged) log.info({ seconds: seconds() }, `${what} answers: the start goes on`);
    return result;
  } finally {
    clearTimeout(timer);
  }
};
