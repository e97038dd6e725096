// Takes about 28 s: started before shorter ones.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { defaultPlans } from '@holdfast/contract';
import { createServer } from '../../../apps/server/test/harness/bots-and-servers.ts';
import {
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../apps/server/test/harness/service.ts';
import { failureOf } from '../test/failure-of.ts';
import { type Fetch, fetchFrom, watch } from '../test/service-fetch.ts';
import {
  createHoldfast,
  HoldfastError,
  HoldfastNetworkError,
  type HoldfastOptions,
} from './index.ts';

const baseUrl = 'http://localhost:3000';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ plans: defaultPlans });
}, 120_000);
afterAll(() => service.stop());

/** Fails the first attempts as given, then calls the service. */
const failingFirst = (...failures: Fetch[]): Fetch => {
  const left = [...failures];
  return (url, init) => (left.shift() ?? fetchFrom(service))(url, init);
};

const cutLine: Fetch = () => Promise.reject(new TypeError('The line is cut'));
const answering =
  (status: number, headers: Record<string, string> = {}, body = '<h1>Not us</h1>'): Fetch =>
  async () =>
    new Response(body, { status, headers });
/** The request arrives; its answer does not. */
const losingTheAnswer: Fetch = async (url, init) => {
  await fetchFrom(service)(url, init);
  return cutLine(url, init);
};

const fixture = async (fetch: Fetch, options: Partial<HoldfastOptions> = {}) => {
  const tenant = await service.newTenant();
  const serverId = await createServer(tenant);
  const { sent, fetch: watched } = watch(fetch);
  const holdfast = createHoldfast({ baseUrl, key: tenant.key, fetch: watched, ...options });
  const entry = () => ({ params: { id: serverId }, body: { platformId: randomPlatformId() } });
  return { tenant, serverId, sent, holdfast, entry };
};

describe('a request with an unknown outcome', () => {
  test.each([
    ['the line is cut', cutLine],
    ['a proxy answers 502', answering(502)],
    ['a proxy answers 503', answering(503)],
    ['a proxy answers 504', answering(504)],
    ['a stranger answers 200', answering(200)],
  ])('is read again when %s', async (_, failure) => {
    const { holdfast, sent, serverId } = await fixture(failingFirst(failure, failure));
    expect((await holdfast.getServer({ params: { id: serverId } })).id).toBe(serverId);
    expect(sent).toHaveLength(3);
  });

  test('is posted again with the same Idempotency-Key, and takes effect once', async () => {
    const lost = failingFirst(losingTheAnswer, losingTheAnswer);
    const { holdfast, sent, entry } = await fixture(lost);
    const created = await holdfast.createBlacklistEntry(entry());
    expect((await holdfast.listBlacklist()).data).toEqual([created]);
    const keys = sent.slice(0, 3).map(({ headers }) => headers.get('idempotency-key'));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(sent[3]?.headers.has('idempotency-key')).toBe(false);
  });

  test('is posted with the key of the caller, who can continue after a crash', async () => {
    const { holdfast, entry } = await fixture(fetchFrom(service));
    const call = { ...entry(), idempotencyKey: 'import of Monday, row 7' };
    const first = await holdfast.createBlacklistEntry(call);
    expect(await holdfast.createBlacklistEntry(call)).toEqual(first);
    const other = await holdfast.createBlacklistEntry(entry());
    expect(other.id).not.toBe(first.id);
  });

  test('is repeated while its first attempt is still running', async () => {
    const release = Promise.withResolvers<void>();
    const statuses: number[] = [];
    const impatient: Fetch = (url, init) => {
      void fetchFrom(service)(url, init);
      return cutLine(url, init);
    };
    const reporting: Fetch = async (url, init) => {
      const response = await fetchFrom(service)(url, init);
      statuses.push(response.status);
      if (response.status === 409) release.resolve();
      return response;
    };
    const left = [impatient];
    const { holdfast, entry } = await fixture((url, init) =>
      (left.shift() ?? reporting)(url, init),
    );
    const locked = service.db.$client.begin(async (sql) => {
      await sql`lock table blacklist in exclusive mode`;
      const created = holdfast.createBlacklistEntry(entry());
      await release.promise;
      return { created };
    });
    const { id } = await (await locked).created;
    expect(statuses).toEqual([409, 201]);
    expect((await holdfast.listBlacklist()).data.map((listed) => listed.id)).toEqual([id]);
  });

  test('is not repeated if a repeat could have another effect', async () => {
    const { holdfast, sent, serverId } = await fixture(cutLine);
    const params = { id: serverId };
    const body = { name: 'Haven' };
    await failureOf(holdfast.updateServer({ params, body }), HoldfastNetworkError);
    await failureOf(holdfast.deleteServer({ params }), HoldfastNetworkError);
    expect(sent).toHaveLength(2);
  });

  test('ends as a network error with the cause, after the configured attempts', async () => {
    const { holdfast, sent } = await fixture(cutLine, { retries: 1 });
    const error = await failureOf(holdfast.listServers(), HoldfastNetworkError);
    expect(error.message).toBe(`GET ${baseUrl}/api/v1/servers: The line is cut`);
    expect([error.isTimeout, error.cause]).toEqual([false, new TypeError('The line is cut')]);
    expect(sent).toHaveLength(2);
  });
});

describe('a failure of the service', () => {
  test('is thrown at once, with the status if it has no message', async () => {
    const { holdfast, sent } = await fixture(answering(500, { 'x-request-id': 'abc' }));
    const error = await failureOf(holdfast.getAccount(), HoldfastError);
    const { kind, status, message, requestId } = error;
    expect({ kind, status, message, requestId }).toEqual({
      ...{ kind: 'failure', status: 500, message: 'The answer was HTTP 500', requestId: 'abc' },
    });
    expect(sent).toHaveLength(1);
  });
});

describe('too many requests', () => {
  test('wait for the next window, and all succeed', async () => {
    const { key } = await service.newTenant({ plan: 'FREE' });
    const { fetch, sent } = watch(fetchFrom(service));
    const holdfast = createHoldfast({ baseUrl, key, fetch });
    const limit = defaultPlans.FREE.apiRatePerTenSeconds;
    await Promise.all(Array.from({ length: limit + 5 }, () => holdfast.getAccount()));
    expect(sent.length).toBeGreaterThan(limit + 5);
  });

  test('are thrown at once if waiting is disabled', async () => {
    const { key } = await service.newTenant({ plan: 'FREE' });
    const holdfast = createHoldfast({ baseUrl, key, fetch: fetchFrom(service), maxWaitMs: 0 });
    const limit = defaultPlans.FREE.apiRatePerTenSeconds;
    await Promise.all(Array.from({ length: limit }, () => holdfast.getAccount()));
    const error = await failureOf(holdfast.getAccount(), HoldfastError);
    expect(error.kind).toBe('rateLimited');
    expect(error.retryAfterMs).toBeWithin(1000, 10_001);
  });

  test('are not waited for longer than the configured total', async () => {
    const busy = answering(429, { 'retry-after': '1' }, '{"error":"Busy"}');
    const { holdfast, sent } = await fixture(busy, { maxWaitMs: 2500 });
    const error = await failureOf(
      holdfast.deleteBlacklistEntry({ query: { entryId: '1' } }),
      HoldfastError,
    );
    expect([error.kind, error.message]).toEqual(['rateLimited', 'Busy']);
    expect(sent).toHaveLength(3);
  });

  test('a cooldown of hours is thrown at once, with its end', async () => {
    const tenant = await service.newTenant({ plan: 'FREE' });
    const call = { params: { id: await createServer(tenant) } };
    const { fetch, sent } = watch(fetchFrom(service));
    const holdfast = createHoldfast({ baseUrl, key: tenant.key, fetch });
    const { createdAt } = await holdfast.createPull(call);
    const error = await failureOf(holdfast.createPull(call), HoldfastError);
    const endsAt = error.is('cooldown') ? Date.parse(error.nextPullAt) : Number.NaN;
    const { pullCooldownMs } = defaultPlans.FREE;
    expect(endsAt - Date.parse(createdAt)).toBeWithin(pullCooldownMs - 5000, pullCooldownMs + 5000);
    expect(error.retryAfterMs).toBeWithin(pullCooldownMs - 60_000, pullCooldownMs + 5000);
    expect(sent).toHaveLength(2);
  });

  test('a retry-after date is understood as well as seconds', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    const { holdfast } = await fixture(answering(429, { 'retry-after': inAnHour }));
    const { retryAfterMs } = await failureOf(holdfast.getAccount(), HoldfastError);
    expect(retryAfterMs).toBeWithin(3_500_000, 3_600_001);
  });
});

describe('a caller that aborts or times out', () => {
  const never: Fetch = () => new Promise(() => undefined);

  test('gets the reason of its signal, before, during and between attempts', async () => {
    const reason = new Error('Never mind');
    const stopped = async (fetch: Fetch, afterMs: number) => {
      const { holdfast, sent } = await fixture(fetch);
      const stop = new AbortController();
      if (afterMs === 0) stop.abort(reason);
      else setTimeout(() => stop.abort(reason), afterMs);
      const { signal } = stop;
      expect(await failureOf(holdfast.listServers({ signal }), Error)).toBe(reason);
      return sent.length;
    };
    expect(await stopped(fetchFrom(service), 0)).toBe(0);
    expect(await stopped(never, 50)).toBe(1);
    expect(await stopped(answering(429, { 'retry-after': '20' }), 50)).toBe(1);
  });

  test('leaves no listener on a long-lived signal', async () => {
    const { holdfast } = await fixture(failingFirst(cutLine));
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
    const { holdfast, sent } = await fixture(never, { retries: 0 });
    const error = await failureOf(holdfast.getAccount({ timeoutMs: 100 }), HoldfastNetworkError);
    expect([error.isTimeout, error.message]).toEqual([
      true,
      `GET ${baseUrl}/api/v1/account: no answer within 100 ms`,
    ]);
    expect(sent[0]?.init.signal?.aborted).toBe(true);
  });
});
