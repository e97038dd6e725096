import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openDashboard } from '../../../apps/server/test/harness/dashboard/session.ts';
import { startTestService, type TestService } from '../../../apps/server/test/harness/service.ts';
import { failureOf } from '../test/failure-of.ts';
import { type Fetch, fetchFrom } from '../test/service-fetch.ts';
import { logInWithPauses, paceOf } from './device-login.ts';
import {
  createHoldfast,
  type DeviceCode,
  type DeviceLoginOptions,
  HoldfastLoginFailed,
  HoldfastNetworkError,
  logInByDevice,
} from './index.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const baseUrl = 'http://localhost:3000';
const decide = async (act: string, body: object) => {
  const owner = await service.newTenant();
  const page = await openDashboard(service, owner);
  const { status } = await page.call('POST', `/device-authorization/${act}`, body);
  expect(status).toBe(200);
};

/** Logs in, and lets `before` happen before its n-th poll. Nobody waits in between. */
const logIn = async (
  before: (poll: number, code: DeviceCode) => Promise<Response | undefined>,
  options: Partial<DeviceLoginOptions> = {},
  change = async (begun: Response): Promise<Response> => begun,
) => {
  const codes: DeviceCode[] = [];
  const agents = new Set<string | null>();
  const pauses: number[] = [];
  const pause = async (ms: number, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    pauses.push(ms);
  };
  const real = fetchFrom(service);
  let polls = 0;
  const fetch: Fetch = async (url, init) => {
    agents.add(new Headers(init.headers).get('user-agent'));
    if (!url.endsWith('/oauth/token')) return change(await real(url, init));
    const [code] = codes;
    if (!code) throw new Error('Polled before there was a code');
    return (await before(++polls, code)) ?? real(url, init);
  };
  const onCode = (code: DeviceCode) => codes.push(code);
  const login = await logInWithPauses(pause, { baseUrl, onCode, fetch, ...options });
  return { login, codes, agents, pauses };
};

const pollAnswer = (body: { error: string }, headers: Record<string, string> = {}) =>
  Response.json({ ...body, error_description: 'Not yet' }, { status: 400, headers });

describe('a login by device code', () => {
  test('ends with a key that works, once its owner has approved', async () => {
    const { login, codes, agents } = await logIn(
      async (poll, { userCode }) => {
        const scopes = ['account:read'];
        if (poll === 2) await decide('approve', { code: userCode, scopes, days: 7 });
        return undefined;
      },
      { scopes: ['account:read', 'servers:read'], name: 'quay', userAgent: 'nightly/1.2' },
    );
    expect(codes).toEqual([
      {
        userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
        verificationUrl: `${baseUrl}/dashboard/device`,
        verificationUrlComplete: `${baseUrl}/dashboard/device?code=${codes[0]?.userCode}`,
        expiresAt: expect.any(String),
      },
    ]);
    expect([...agents]).toEqual([expect.stringMatching(/^nightly\/1\.2 holdfast-sdk\//)]);
    expect(login.scopes).toEqual(['account:read']);
    expect((Date.parse(login.expiresAt) - Date.now()) / 86_400_000).toBeWithin(6.9, 7.1);
    const { key } = login;
    const account = await createHoldfast({ baseUrl, key, fetch: fetchFrom(service) }).getAccount();
    expect(account.id).toBeString();
  });

  test('goes on after failures of the network and of what is between', async () => {
    const { login } = await logIn(async (poll, { userCode }) => {
      if (poll === 1) throw new TypeError('Nobody there');
      if (poll === 2) return new Response('<html>', { status: 502 });
      await decide('approve', { code: userCode, scopes: ['servers:read'] });
      return undefined;
    });
    expect(login.key).toStartWith('holdfast_');
  });

  test('waits longer where it is told to slow down, and while nobody answers', () => {
    const waitAfter = paceOf(5000);
    const refusal = (code: string, retryAfterMs?: number) =>
      new HoldfastLoginFailed('', code, retryAfterMs);
    const silence = new HoldfastNetworkError('', { isTimeout: true, cause: undefined });
    expect([waitAfter(), waitAfter(refusal('authorization_pending'))]).toEqual([5000, 5000]);
    expect(waitAfter(refusal('slow_down'))).toBe(10_000);
    expect([silence, silence, silence, silence].map(waitAfter)).toEqual([
      ...[20_000, 40_000, 60_000, 60_000],
    ]);
    expect(waitAfter(refusal('authorization_pending'))).toBe(10_000);
    expect(waitAfter(refusal('slow_down', 60_000))).toBe(60_000);
    expect(() => waitAfter(refusal('access_denied'))).toThrow(HoldfastLoginFailed);
  });

  test('lets no answer make it poll without end, or without pause', async () => {
    const answers = { interval: 0.001, expires_in: 1e12 };
    const { codes, pauses } = await logIn(
      async (poll, { userCode }) => {
        if (poll === 2) await decide('approve', { code: userCode, scopes: ['servers:read'] });
        return poll === 1 ? pollAnswer({ error: 'authorization_pending' }) : undefined;
      },
      {},
      async (begun) => Response.json({ ...(await begun.json()), ...answers }),
    );
    expect(pauses).toEqual([1000, 1000]);
    expect(Date.parse(codes[0]?.expiresAt ?? '') - Date.now()).toBeWithin(0, 3_600_001);
    expect(paceOf(1e12)()).toBe(60_000);
  });

  test('waits no longer than its code is valid, and keeps a key whose end is no time', async () => {
    const key = { access_token: 'holdfast_x', scope: 'servers:read' };
    const { login, pauses } = await logIn(async (poll) =>
      poll === 1
        ? pollAnswer({ error: 'slow_down' }, { 'retry-after': '99999999' })
        : // As text: the number is infinite.
          new Response(JSON.stringify(key).replace('}', ',"expires_in":1e999}')),
    );
    expect([pauses[0], pauses.length]).toEqual([5000, 2]);
    expect(pauses[1]).toBeWithin(590_000, 600_001);
    expect(login.key).toBe('holdfast_x');
    expect(Date.parse(login.expiresAt)).toBeGreaterThan(Date.now());
  });

  test('takes a code that is the name of something else for none it knows', () => {
    for (const code of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(new HoldfastLoginFailed('', code).kind).toBe('refused');
    }
  });

  test('says that its owner has denied it', async () => {
    const denied = await failureOf(
      logIn(async (_, { userCode }) => {
        await decide('deny', { code: userCode });
        return undefined;
      }),
      HoldfastLoginFailed,
    );
    expect([denied.kind, denied.code]).toEqual(['denied', 'access_denied']);
    expect(denied.message).toBe('It was denied in the dashboard');
  });

  test('says that nobody has decided in time', async () => {
    const expired = await failureOf(
      logIn(async (_, { userCode }) => {
        await service.db.$client`update device_authorizations set expires_at = now()
          where user_code = ${userCode.replace('-', '')}`;
        return undefined;
      }),
      HoldfastLoginFailed,
    );
    expect(expired.kind).toBe('expired');
  });

  test('says what is wrong with what was asked for', async () => {
    const refused = (options: Partial<DeviceLoginOptions>) =>
      failureOf(
        logIn(async () => undefined, options),
        HoldfastLoginFailed,
      );
    // @ts-expect-error: no such scope
    expect((await refused({ scopes: ['ships:sail'] })).kind).toBe('invalidScope');
    expect((await refused({ name: 'a\nb' })).kind).toBe('refused');
  });

  test('ends with its signal, and with the failure where the service is never reached', async () => {
    const stop = new AbortController();
    const stopped = logIn(
      async () => {
        stop.abort(new Error('Enough'));
        return undefined;
      },
      { signal: stop.signal },
    );
    expect(await failureOf(stopped, Error)).toMatchObject({ message: 'Enough' });
    const fetch = () => Promise.reject(new TypeError('Nobody there'));
    await failureOf(
      logInByDevice({ baseUrl, onCode: () => undefined, fetch }),
      HoldfastNetworkError,
    );
  });
});
