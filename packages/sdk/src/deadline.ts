/**
 * Aborts at the timeout or with the caller's signal. It has a signal of its own, so that no listener
 * stays on the caller's, which may be used for thousands of attempts.
 */
export const openDeadline = (timeoutMs: number, outer: AbortSignal | undefined) => {
  outer?.throwIfAborted();
  const inner = new AbortController();
  const timer = setTimeout(
    () => inner.abort(new Error(`no answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const forwardAbort = () => inner.abort(outer?.reason);
  outer?.addEventListener('abort', forwardAbort);
  return {
    signal: inner.signal,
    /** Never resolves; it rejects even if `fetch` ignores its signal. */
    passed: new Promise<never>((_, reject) => {
      inner.signal.addEventListener('abort', () => reject(inner.signal.reason));
    }),
    close() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', forwardAbort);
    },
  };
};

/** Rejects with the signal's reason as soon as it is aborted. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const wake = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', wake);
      resolve();
    }, ms);
    signal?.addEventListener('abort', wake, { once: true });
  });
