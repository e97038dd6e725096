/** Where test files run in parallel, a bound that fits one file alone is too tight. */
export const patience = Number(process.env.HOLDFAST_TEST_PATIENCE ?? 1);

/** Of the 120 s that a test has, unless it says otherwise: its wait tells what was missing before they end. */
const longestMs = 110_000;
/** When the present test, or the hook before the first, began. The preload sets it. */
const began = globalThis as { holdfastTestBeganAt?: number };

/**
 * Calls `check` until it no longer throws; fails with its last error. Where a time-out is the subject of the
 * test, `factor` is 1.
 */
export const eventually = async <T>(
  withinMs: number,
  check: () => Promise<T> | T,
  factor = patience,
): Promise<Awaited<T>> => {
  const now = performance.now();
  const endOfTest = (began.holdfastTestBeganAt ?? now) + longestMs;
  const deadline = Math.max(now + withinMs, Math.min(now + withinMs * factor, endOfTest));
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await Bun.sleep(25);
  }
};
