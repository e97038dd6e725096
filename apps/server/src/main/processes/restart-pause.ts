const firstPauseMs = 100;
const longestPauseMs = 30_000;
/** A process that served for so long did not fail because of what it found at its start. */
const settledMs = 60_000;

/** How long to wait before a process that ended is started again: longer each time, until one lasts. */
export const createRestartPause = () => {
  let failures = 0;
  return {
    next(servedForMs: number): number {
      failures = servedForMs >= settledMs ? 1 : failures + 1;
      return Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
    },
  };
};
