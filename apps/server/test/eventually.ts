/** Where test files run beside each other, a bound that is right for one alone is too tight. */
export const patience = Number(process.env.HOLDFAST_TEST_PATIENCE ?? 1);

/** Asks again until `check` no longer throws; its last failure is the test's. */
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
