/** Where test files run in parallel, a bound that fits one file alone is too tight. */
export const patience = Number(process.env.HOLDFAST_TEST_PATIENCE ?? 1);

/** What a test or a hook has, unless it says otherwise. */
export const testMs = 120_000;
/** A wait tells what was missing before its test ends. */
const longestMs = testMs - 10_000;
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
