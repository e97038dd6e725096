import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openDashboard } from '../../../apps/server/test/harness/dashboard/session.ts';
import { startTestService, type TestService } from '../../../apps/server/test/harness/service.ts';
import { failureOf } from '../test/failure-of.ts';
import { type Fetch, fetchFrom } from '../test/service-fetch.ts';
import { paceOf } from './device-login.ts';
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
}, 120_000);
afterAll(() => service.stop());

const baseUrl = 'http://localhost:3000';
const decide = async (act: string, body: object) => {
  const owner = await service.newTenant();
  const page = await openDashboard(service, owner);
  const { status } = await page.call('POST', `/device-authorization/${act}`, body);
  expect(status).toBe(200);
};

const withoutPause = async (answer: Response): Promise<Response> =>
  Response.json({ ...(await answer.json()), interval: 0.01 }, { status: answer.status });

/** Logs in, and lets `before` happen before its n-th poll. */
const logIn = async (
  before: (poll: number, code: DeviceCode) => Promise<Response | undefined>,
  options: Partial<DeviceLoginOptions> = {},
) => {
  const codes: DeviceCode[] = [];
  const agents = new Set<string | null>();
  const real = fetchFrom(service);
  let polls = 0;
  const fetch: Fetch = async (url, init) => {
    agents.add(new Headers(init.headers).get('user-agent'));
    // The pauses have a test of their own.
    if (!url.endsWith('/oauth/token')) return withoutPause(await real(url, init));
    const [code] = codes;
    if (!code) throw new Error('Polled before there was a code');
    return (await before(++polls, code)) ?? real(url, init);
  };
  const onCode = (code: DeviceCode) => codes.push(code);
  return { login: await logInByDevice({ baseUrl, onCode, fetch, ...options }), codes, agents };
};

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
