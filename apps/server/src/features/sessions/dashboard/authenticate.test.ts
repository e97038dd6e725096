import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  apiPrefix,
  dashboardApiPrefix,
  dashboardEndpoints,
  type Endpoint,
  endpoints,
} from '@holdfast/contract';
import {
  type DashboardBrowser,
  type DashboardFixture,
  openDashboard,
  setUpSecondFactor,
  signInToDashboard,
  startDashboardFixture,
} from '../../../../test/harness/dashboard/fixture.ts';
import { usualBaseUrl } from '../../../../test/harness/erasure/people.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { sharedSimulator } from '../../../../test/harness/simulator/start.ts';

let fixture: DashboardFixture;
beforeAll(async () => {
  fixture = await startDashboardFixture();
});
afterAll(() => fixture.service.stop());

const sql = () => fixture.service.db.$client;
const sessionName = '__Host-session';

const all: [string, Endpoint][] = Object.entries({ ...endpoints, ...dashboardEndpoints });
const changing = all.filter(([, { method }]) => method !== 'GET');
const reading = all.filter(([, { method }]) => method === 'GET');

/** Every id in it is one that never was. */
const somePath = ({ path, query }: Endpoint): string => {
  const filled = path.replace(/:\w+/g, () => crypto.randomUUID());
  const ids = Object.keys(query?.shape ?? {}).filter((name) => name.endsWith('Id'));
  const search = new URLSearchParams(ids.map((name) => [name, crypto.randomUUID()]));
  return ids.length > 0 ? `${filled}?${search}` : filled;
};

const statusOf = async (browser: DashboardBrowser) =>
  (await browser.call('GET', '/account')).status;

describe('signing in', () => {
  const scopeAskedFor = async (next: string) => {
    const begun = await openDashboard(fixture).go(`/login?next=${encodeURIComponent(next)}`);
    return new URL(begun.headers.get('location') ?? '').searchParams.get('scope');
  };
  const accountsOf = (platformId: string) =>
    sql()`select id, plan, username, email from accounts where platform_id = ${platformId}`;

  test.each(['/dashboard', '/dashboard/servers/1', '/dashboard?x=1'])(
    'for %s asks for the address, for mails about money, and makes an account',
    async (next) => {
      expect(await scopeAskedFor(next)).toBe('identify email');
      const [browser, platformId] = [openDashboard(fixture), randomPlatformId()];
      const back = await browser.signIn(platformId, next);
      expect(back.headers.get('location')).toBe(next);
      const [account, ...others] = await accountsOf(platformId);
      expect([account?.plan, others]).toEqual(['FREE', []]);
      expect(account?.email).toContain('@');
      const shown = (await browser.call('GET', '/account')).body.data;
      expect([shown.id, shown.platformId]).toEqual([account?.id, platformId]);
    },
  );

  test.each(['/me', '/dashboards', '/verify/1'])(
    'for %s asks for the name alone and makes no account',
    async (next) => {
      expect(await scopeAskedFor(next)).toBe('identify');
      const [browser, platformId] = [openDashboard(fixture), randomPlatformId()];
      await browser.signIn(platformId, next);
      expect(await accountsOf(platformId)).toHaveLength(0);
      expect(await statusOf(browser)).toBe(401);
    },
  );

  test('again changes nothing but the name and the address of today', async () => {
    const { browser, platformId, accountId } = await signInToDashboard(fixture);
    await sql()`update accounts set username = 'before', email = null, plan = 'PREMIUM'
      where id = ${accountId}`;
    await browser.signIn(platformId, '/dashboard');
    const [account] = await accountsOf(platformId);
    expect(account).toMatchObject({ id: accountId, plan: 'PREMIUM', email: expect.any(String) });
    expect(account?.username).not.toBe('before');
  });

  test('keeps an address only where the platform says that it is theirs', async () => {
    const [browser, platformId] = [openDashboard(fixture), randomPlatformId()];
    const email = 'somebody.else@example.test';
    const signIn = async (verified: boolean) => {
      const { control } = await sharedSimulator();
      await control('PUT', `/users/${platformId}`, { email, verified });
      await browser.signIn(platformId, '/dashboard');
      return (await accountsOf(platformId))[0]?.email;
    };
    expect(await signIn(false)).toBeNull();
    expect(await signIn(true)).toBe(email);
    expect(await signIn(false)).toBeNull();
  });

  test('does not make a session of what was in the browser before', async () => {
    const browser = openDashboard(fixture);
    const planted = 'a'.repeat(43);
    browser.cookies.set(sessionName, planted);
    await browser.signIn(randomPlatformId(), '/dashboard');
    expect(browser.cookies.get(sessionName)).not.toBe(planted);
    const thief = openDashboard(fixture);
    thief.cookies.set(sessionName, planted);
    expect([await statusOf(browser), await statusOf(thief)]).toEqual([200, 401]);
  });
});

describe('a change', () => {
  test.each(['https://evil.example', 'null', '', 'http://localhost:3001', null])(
    'that comes from %p is refused, whichever it is',
    async (origin) => {
      const { browser } = await signInToDashboard(fixture);
      for (const [name, entry] of changing) {
        const body = entry.body ? {} : undefined;
        const { status } = await browser.call(entry.method, somePath(entry), { body, origin });
        expect([name, status]).toEqual([name, 403]);
      }
    },
  );

  test('from our own page is never refused for where it comes from', async () => {
    for (const [name, entry] of changing) {
      if (name === 'endAllSessions') continue;
      const { browser } = await owner();
      const body = entry.body ? {} : undefined;
      const { status } = await browser.call(entry.method, somePath(entry), { body });
      expect([name, [401, 403, 500].includes(status)]).toEqual([name, false]);
    }
  });

  test('is the person’s own doing in the audit log', async () => {
    const { browser, accountId } = await signInToDashboard(fixture);
    const body = { name: 'ci', scopes: ['servers:read'] };
    expect((await browser.call('POST', '/keys', { body })).status).toBe(201);
    const [entry] = (await browser.call('GET', '/audit')).body.data;
    expect(entry).toMatchObject({ action: 'key.create', actor: { type: 'USER', id: accountId } });
  });
});

/** One for many requests: sign-ins have a limit of their own. */
let known: ReturnType<typeof signInToDashboard> | undefined;
const owner = () => {
  known ??= signInToDashboard(fixture);
  return known;
};

test('reading needs no origin, since nothing is changed by it', async () => {
  const { browser } = await signInToDashboard(fixture);
  for (const [name, entry] of reading) {
    const { status } = await browser.call('GET', somePath(entry), { origin: null });
    expect([name, [401, 403, 500].includes(status)]).toEqual([name, false]);
  }
});

describe('one way in is not the other', () => {
  test('the session’s cookie opens nothing of the API for keys', async () => {
    const { browser } = await signInToDashboard(fixture);
    for (const [name, entry] of Object.entries(endpoints)) {
      const answer = await browser.go(`${apiPrefix}${somePath(entry)}`, {
        method: entry.method,
        headers: { origin: usualBaseUrl },
      });
      expect([name, answer.status]).toEqual([name, 401]);
    }
  });

  test('a key opens nothing of the dashboard’s API', async () => {
    const { key } = await fixture.service.newTenant();
    const headers = { authorization: `Bearer ${key}`, origin: usualBaseUrl };
    for (const [name, entry] of all) {
      const path = `${dashboardApiPrefix}${somePath(entry)}`;
      const { status } = await fixture.service.call(entry.method, path, { headers });
      expect([name, status]).toEqual([name, 401]);
    }
  });

  test('what only a person is asked for is not there for keys', async () => {
    const { call } = await fixture.service.newTenant();
    for (const [name, entry] of Object.entries(dashboardEndpoints)) {
      const { status } = await call(entry.method, `${apiPrefix}${somePath(entry)}`);
      expect([name, status]).toEqual([name, 404]);
    }
  });
});

describe('a session', () => {
  test('is not valid after signing out, even with its cookie', async () => {
    const { browser } = await signInToDashboard(fixture);
    const token = browser.cookies.get(sessionName) ?? '';
    await browser.post('/logout');
    browser.cookies.set(sessionName, token);
    expect(await statusOf(browser)).toBe(401);
  });

  test('is listed with its browser, the current one is marked, and none of other people is listed', async () => {
    await signInToDashboard(fixture);
    const { browser, platformId } = await signInToDashboard(fixture);
    const phone = openDashboard(fixture);
    const way = await phone.agree(platformId, '/dashboard');
    await phone.go(way, {
      headers: { 'user-agent': 'Mozilla/5.0 (Android 16; Mobile; rv:142.0) Firefox/142.0' },
    });
    const { data } = (await browser.call('GET', '/sessions')).body;
    expect(data.map(({ browser: name, isCurrent }: Session) => [name, isCurrent])).toEqual([
      ['Firefox on Android', false],
      ['An unknown browser', true],
    ]);
    expect(Object.keys(data[0]).toSorted()).toEqual([
      ...['browser', 'createdAt', 'expiresAt', 'id', 'isCurrent'],
    ]);
  });

  test('can be ended from another, and only by its own person', async () => {
    const [{ browser, platformId }, { browser: stranger }] = [
      await signInToDashboard(fixture),
      await signInToDashboard(fixture),
    ];
    const { browser: other } = await signInToDashboard(fixture, platformId);
    const list = (await browser.call('GET', '/sessions')).body.data;
    const { id } = list.find(({ isCurrent }: Session) => !isCurrent);
    expect((await stranger.call('DELETE', `/sessions/${id}`)).status).toBe(404);
    expect(await statusOf(other)).toBe(200);
    expect((await browser.call('DELETE', `/sessions/${id}`)).body.data).toEqual({
      id,
      deleted: true,
    });
    expect([await statusOf(other), await statusOf(browser)]).toEqual([401, 200]);
    expect((await browser.call('DELETE', `/sessions/${id}`)).status).toBe(404);
  });

  test('ends with all others of the person when they sign out everywhere', async () => {
    const { browser, platformId } = await signInToDashboard(fixture);
    const { browser: other } = await signInToDashboard(fixture, platformId);
    const { browser: stranger } = await signInToDashboard(fixture);
    expect((await browser.call('DELETE', '/sessions')).body.data).toEqual({ ended: 2 });
    expect(await Promise.all([browser, other, stranger].map(statusOf))).toEqual([401, 401, 200]);
    expect(await other.text('/me')).not.toContain('You are signed in as');
  });

  type Session = { id: string; browser: string; isCurrent: boolean };
});

describe('with a second factor, what is dangerous', () => {
  const forget = async (platformId: string, seconds: number) => {
    await sql()`update sessions set confirmed_at = confirmed_at - make_interval(secs => ${seconds})
      where platform_id = ${platformId}`;
  };

  test('can be done for two minutes after one, by that session alone', async () => {
    const { browser, platformId } = await signInToDashboard(fixture);
    const { secret } = await setUpSecondFactor(fixture, browser);
    const other = openDashboard(fixture);
    await other.signIn(platformId, '/dashboard');
    await other.post('/login/code', { code: fixture.nextCode(secret) });
    expect(await statusOf(other)).toBe(200);
    await forget(platformId, 120);
    const body = { code: fixture.nextCode(secret) };
    const confirmed = await browser.call('POST', '/confirmation', { body });
    const leftMs = Date.parse(confirmed.body.data.confirmedUntil) - Date.now();
    expect(leftMs / 1000).toBeWithin(110, 121);
    const createKey = async (by: DashboardBrowser) =>
      (await by.call('POST', '/keys', { body: { name: 'ci', scopes: ['*'] } })).status;
    expect([await createKey(browser), await createKey(other)]).toEqual([201, 403]);
    await forget(platformId, 115);
    expect(await createKey(browser)).toBe(201);
    await forget(platformId, 5);
    expect(await createKey(browser)).toBe(403);
  });
});

test('a session has 200 requests in ten seconds, and another has its own', async () => {
  const { browser, platformId } = await signInToDashboard(fixture);
  const { browser: other } = await signInToDashboard(fixture, platformId);
  // Signing in has asked for the account once.
  const statuses = await Promise.all(Array.from({ length: 201 }, () => statusOf(browser)));
  expect(statuses.filter((status) => status === 200)).toHaveLength(199);
  const late = await browser.call('GET', '/account');
  expect(Number(late.headers.get('retry-after'))).toBeWithin(1, 11);
  expect(late.headers.get('x-ratelimit-limit')).toBe('200');
  expect(await statusOf(other)).toBe(200);
});
