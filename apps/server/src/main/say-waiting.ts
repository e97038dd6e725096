import type { Log } from '../kernel/log.ts';

const firstMs = 1000;
const longestPauseMs = 30_000;

/**
 * Does a part of the start. While that takes long, the log says what it waits for: after a second, then
 * ever more rarely.
 */
export const sayWaiting = async <Result>(
  log: Log,
  what: string,
  work: () => Promise<Result>,
): Promise<Result> => {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  let hasSaid = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const sayAfter = (pauseMs: number) => {
    timer = setTimeout(() => {
      log.info({ seconds: seconds() }, `the start waits for ${what}`);
      hasSaid = true;
      sayAfter(Math.min(2 * pauseMs, longestPauseMs));
    }, pauseMs);
  };
  sayAfter(firstMs);
  try {
    const result = await work();
    if (hasSaid) log.info({ seconds: seconds() }, `${what} answers: the start goes on`);
    return result;
  } finally {
    clearTimeout(timer);
  }
};
