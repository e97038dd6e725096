/** Asks again until `check` no longer throws; its last failure is the test's. */
export const eventually = async <T>(
  withinMs: number,
  check: () => Promise<T> | T,
): Promise<Awaited<T>> => {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await Bun.sleep(25);
  }
};
