/** Where test files run in parallel, a bound that fits one file alone is too tight. */
export const patience = Number(process.env.HOLDFAST_TEST_PATIENCE ?? 1);

/** Calls `check` until it no longer throws; fails with its last error. */
export const eventually = async <T>(
  withinMs: number,
  check: () => Promise<T> | T,
): Promise<Awaited<T>> => {
  const deadline = Date.now() + withinMs * patience;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await Bun.sleep(25);
  }
};
