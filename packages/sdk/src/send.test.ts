import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import { defaultPlans } from '@holdfast/contract';
import { createServer } from '../../../apps/server/test/harness/bots-and-servers.ts';
import {
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../apps/server/test/harness/service.ts';
import { openDroppingLine } from '../test/dropping-line.ts';
import { failureOf } from '../test/failure-of.ts';
import { quickClient } from '../test/quick-client.ts';
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
});
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
  const given = { baseUrl, key: tenant.key, fetch: watched, ...options };
  const { holdfast, pausesMs } = quickClient(given);
  /** Waits between attempts as long as it says. */
  const patient = createHoldfast(given);
  const entry = () => ({ params: { id: serverId }, body: { platformId: randomPlatformId() } });
  return { tenant, serverId, sent, holdfast, patient, pausesMs, entry };
};

describe('a request with an unknown outcome', () => {
  test.each([
    ['the line is cut', cutLine],
    ['a proxy answers 502', answering(502)],
    ['a proxy answers 503', answering(503)],
    ['a proxy answers 504', answering(504)],
    ['a stranger answers 200', answering(200)],
  ])('is read again when %s', async (_, failure) => {
    const { holdfast, sent, pausesMs, serverId } = await fixture(failingFirst(failure, failure));
    expect((await holdfast.getServer({ params: { id: serverId } })).id).toBe(serverId);
    expect(sent).toHaveLength(3);
    expect(pausesMs).toHaveLength(2);
    expect(pausesMs[0]).toBeWithin(250, 500);
    expect(pausesMs[1]).toBeWithin(500, 1000);
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
    const { patient: holdfast, entry } = await fixture((url, init) =>
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

  test('is put again, because it sets the same values', async () => {
    const { holdfast, sent, serverId } = await fixture(failingFirst(losingTheAnswer, cutLine));
    const changed = await holdfast.updateServer({
      params: { id: serverId },
      body: { name: 'Haven' },
    });
    expect(changed.name).toBe('Haven');
    expect(sent).toHaveLength(3);
  });

  test('is not repeated if the repeat would be refused', async () => {
    const { holdfast, sent } = await fixture(cutLine);
    const call = { body: { confirm: 'harbour.master' } };
    await failureOf(holdfast.deleteAccount(call), HoldfastNetworkError);
    expect(sent).toHaveLength(1);
  });

  test('ends as a network error with the cause, after the configured attempts', async () => {
    const { holdfast, sent } = await fixture(cutLine, { retries: 1 });
    const error = await failureOf(holdfast.listServers(), HoldfastNetworkError);
    expect(error.message).toBe(`GET ${baseUrl}/api/v1/servers: The line is cut`);
    expect([error.isTimeout, error.cause]).toEqual([false, new TypeError('The line is cut')]);
    expect(sent).toHaveLength(2);
  });
});

describe('a deletion', () => {
  test('is done if its response was lost with the connection and the repeat finds nothing', async () => {
    const { tenant, serverId } = await fixture(fetchFrom(service));
    await using line = await openDroppingLine(fetchFrom(service), { drops: 1 });
    const statuses: number[] = [];
    const { holdfast } = quickClient({
      ...{ baseUrl: line.baseUrl, key: tenant.key },
      onResponse: ({ status }) => statuses.push(status),
    });
    const gone = await holdfast.deleteServer({ params: { id: serverId } });
    expect(gone).toEqual({ id: serverId, deleted: true });
    expect([line.requests(), ...statuses]).toEqual([2, 404]);
    expect((await holdfast.listServers()).data).toEqual([]);
  });

  test('names what it deleted, be it in the query or the last of the path', async () => {
    const next: Fetch[] = [];
    const { holdfast, entry, serverId } = await fixture((url, init) =>
      (next.shift() ?? fetchFrom(service))(url, init),
    );
    const { id } = await holdfast.createBlacklistEntry(entry());
    next.push(losingTheAnswer);
    const removed = await holdfast.deleteBlacklistEntry({ query: { entryId: id } });
    expect(removed).toEqual({ id, deleted: true });
    next.push(losingTheAnswer);
    const panelId = crypto.randomUUID();
    const unposted = await holdfast.deletePanel({ params: { id: serverId, panelId } });
    expect(unposted).toEqual({ id: panelId, deleted: true });
  });

  test('is refused if nothing was lost, or if it is not the service that finds nothing', async () => {
    const params = { id: crypto.randomUUID() };
    const straight = await fixture(fetchFrom(service));
    const missing = await failureOf(straight.holdfast.deleteServer({ params }), HoldfastError);
    expect(missing.kind).toBe('notFound');
    const { holdfast } = await fixture(failingFirst(cutLine, answering(404)));
    const stranger = await failureOf(holdfast.deleteServer({ params }), HoldfastError);
    expect(stranger.message).toBe('The answer was HTTP 404');
  });

  test('is not repeated because of a conflict', async () => {
    const busy = answering(409, {}, '{"error":"A server still uses this bot"}');
    const { holdfast, sent } = await fixture(failingFirst(cutLine, busy));
    const call = { params: { id: crypto.randomUUID() } };
    expect((await failureOf(holdfast.deleteBot(call), HoldfastError)).kind).toBe('conflict');
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
    const pass = (ms: number) => setSystemTime(Date.now() + ms);
    const { holdfast, pausesMs } = quickClient({ baseUrl, key, fetch }, pass);
    const limit = defaultPlans.FREE.apiRatePerTenSeconds;
    try {
      await Promise.all(Array.from({ length: limit + 5 }, () => holdfast.getAccount()));
    } finally {
      setSystemTime();
    }
    expect(sent).toHaveLength(limit + 10);
    expect(pausesMs).toHaveLength(5);
    for (const ms of pausesMs) expect(ms).toBeWithin(1000, 10_001);
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
    const { holdfast, sent, pausesMs } = await fixture(busy, { maxWaitMs: 2500 });
    const error = await failureOf(
      holdfast.deleteBlacklistEntry({ query: { entryId: '1' } }),
      HoldfastError,
    );
    expect([error.kind, error.message]).toEqual(['rateLimited', 'Busy']);
    expect([sent.length, ...pausesMs]).toEqual([3, 1000, 1000]);
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
