import { errorFrom, HoldfastError, HoldfastNetworkError } from './errors.ts';
import type { PreparedRequest } from './prepare-request.ts';
import type { Settings } from './settings.ts';

export type Limits = { signal?: AbortSignal; timeoutMs?: number };

export type AnswerBody = { data: unknown };

/** One try: the body of a success, or a throw that says what came instead. */
export const sendOnce = async (
  settings: Settings,
  { url, init }: PreparedRequest,
  { signal, timeoutMs = settings.timeoutMs }: Limits,
): Promise<AnswerBody> => {
  const deadline = openDeadline(timeoutMs, signal);
  try {
    const answer = settings.fetch(url, { ...init, signal: deadline.signal }).then(readAnswer);
    return await Promise.race([answer, deadline.passed]);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof HoldfastError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const [address] = url.split('?');
    const isTimeout = deadline.signal.aborted;
    throw new HoldfastNetworkError(`${init.method} ${address}: ${reason}`, { isTimeout, cause });
  } finally {
    deadline.close();
  }
};

/**
 * Aborts when the time is up or the caller wants it. A signal of its own: the caller's may outlive
 * thousands of tries, and none stays hanging on it.
 */
const openDeadline = (timeoutMs: number, outer: AbortSignal | undefined) => {
  outer?.throwIfAborted();
  const inner = new AbortController();
  const timer = setTimeout(
    () => inner.abort(new Error(`no answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const letGo = () => inner.abort(outer?.reason);
  outer?.addEventListener('abort', letGo);
  return {
    signal: inner.signal,
    /** Never resolves; rejects also where `fetch` does not heed its signal. */
    passed: new Promise<never>((_, reject) => {
      inner.signal.addEventListener('abort', () => reject(inner.signal.reason));
    }),
    close() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', letGo);
    },
  };
};

/** Half an answer, or one that something before the service gave as success, is none at all. */
const readAnswer = async (response: Response): Promise<AnswerBody> => {
  const text = await response.text();
  const body = parseJson(text);
  if (!response.ok) throw errorFrom(response, body);
  if (typeof body === 'object' && body !== null && 'data' in body) return body;
  throw new Error('the answer is not one of the service');
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
