/** What the promise was rejected with, which must be of that class. */
export const failureOf = async <Failure>(
  promise: Promise<unknown>,
  kind: abstract new (...given: never[]) => Failure,
): Promise<Failure> => {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome && outcome.error instanceof kind) return outcome.error;
  throw new Error(`Not a rejection with ${kind.name}: ${Bun.inspect(outcome)}`);
};
