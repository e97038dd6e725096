import { describe, expect, test } from 'bun:test';
import { failureOf } from '../test/failure-of.ts';
import { type Fetch, watch } from '../test/service-fetch.ts';
import { createHoldfast, HoldfastNetworkError } from './index.ts';

const baseUrl = 'http://localhost:3000';

const answering =
  (status: number, headers: Record<string, string> = {}): Fetch =>
  async () =>
    Response.json({ data: [], error: 'Busy' }, { status, headers });

const clientWith = (answer: Fetch) => {
  const { fetch, sent } = watch(answer);
  return { sent, holdfast: createHoldfast({ baseUrl, fetch, retries: 1 }) };
};

/** The line is cut, then it holds. */
const cutOnce = (): Fetch => {
  const answers = [() => Promise.reject(new TypeError('The line is cut')), answering(200)];
  return async (url, init) => (answers.shift() ?? answering(500))(url, init);
};

describe('a caller that aborts or times out', () => {
  const never: Fetch = () => new Promise(() => undefined);

  test('gets the reason of its signal, before, during and between attempts', async () => {
    const reason = new Error('Never mind');
    const stopped = async (fetch: Fetch, afterMs: number) => {
      const { holdfast, sent } = clientWith(fetch);
      const stop = new AbortController();
      if (afterMs === 0) stop.abort(reason);
      else setTimeout(() => stop.abort(reason), afterMs);
      const { signal } = stop;
      expect(await failureOf(holdfast.listServers({ signal }), Error)).toBe(reason);
      return sent.length;
    };
    expect(await stopped(answering(200), 0)).toBe(0);
    expect(await stopped(never, 50)).toBe(1);
    expect(await stopped(answering(429, { 'retry-after': '20' }), 50)).toBe(1);
  });

  test('leaves no listener on a long-lived signal', async () => {
    const { holdfast } = clientWith(cutOnce());
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...given: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(signal, given);
    };
    signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(signal, given);
    };
    await holdfast.listServers({ signal });
    expect(listeners).toBe(0);
  });

  test('gets a timeout error, also with a timeout of the call itself', async () => {
    const { fetch, sent } = watch(never);
    const holdfast = createHoldfast({ baseUrl, fetch, retries: 0 });
    const error = await failureOf(holdfast.getAccount({ timeoutMs: 100 }), HoldfastNetworkError);
    expect([error.isTimeout, error.message]).toEqual([
      true,
      `GET ${baseUrl}/api/v1/account: no answer within 100 ms`,
    ]);
    expect(sent[0]?.init.signal?.aborted).toBe(true);
  });
});
