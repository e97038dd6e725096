import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  openBrowser,
  type PeopleFixture,
  startPeopleFixture,
  usualBaseUrl,
} from '../../../test/harness/erasure/people.ts';
import { randomPlatformId } from '../../../test/harness/service.ts';
import { deleteExpiredSessions } from './queries.ts';
import { safeNextPath } from './rules.ts';

let fixture: PeopleFixture;
beforeAll(async () => {
  fixture = await startPeopleFixture();
});
afterAll(() => fixture.stop());

const sql = () => fixture.service.db.$client;
const isSignedIn = async (browser: ReturnType<typeof openBrowser>) =>
  (await browser.text('/me')).includes('You are signed in as');
const sessionName = '__Host-session';

describe('signing in', () => {
  test('asks the platform for nothing but who the person is, and leads to their page', async () => {
    const browser = openBrowser(fixture);
    const platformId = randomPlatformId();
    const begun = await browser.go('/login');
    const page = new URL(begun.headers.get('location') ?? '');
    expect(page.searchParams.get('scope')).toBe('identify');
    expect(page.searchParams.get('code_challenge_method')).toBe('S256');
    const back = await browser.signIn(platformId);
    expect([back.status, back.headers.get('location')]).toEqual([303, '/me']);
    expect(await browser.text('/me')).toContain(platformId);
  });

  test('sets a cookie that only this site over a secure connection gets, and no script', async () => {
    const browser = openBrowser(fixture);
    const back = await browser.signIn(randomPlatformId());
    const [line = ''] = back.headers.getSetCookie().filter((set) => set.startsWith(sessionName));
    for (const flag of ['HttpOnly', 'Secure', 'Path=/', 'SameSite=Lax'])
      expect(line).toContain(flag);
    expect(line).not.toMatch(/domain/i);
    const token = browser.cookies.get(sessionName) ?? '';
    expect(token).toMatch(/^[\w-]{43}$/);
    const rows = await sql()`select 1 from sessions where strpos(sessions::text, ${token}) > 0`;
    expect(rows).toHaveLength(0);
  });

  test('gives another session each time, and the one before is worth nothing', async () => {
    const browser = openBrowser(fixture);
    const platformId = randomPlatformId();
    await browser.signIn(platformId);
    const first = browser.cookies.get(sessionName) ?? '';
    await browser.signIn(platformId);
    expect(browser.cookies.get(sessionName)).not.toBe(first);
    const old = openBrowser(fixture);
    old.cookies.set(sessionName, first);
    expect([await isSignedIn(browser), await isSignedIn(old)]).toEqual([true, false]);
  });

  test('works once for each way there and back', async () => {
    const browser = openBrowser(fixture);
    const path = await browser.agree(randomPlatformId());
    expect((await browser.go(path)).status).toBe(303);
    const again = await browser.go(path);
    expect(again.status).toBe(400);
    expect(await again.text()).toContain('You are not signed in');
  });

  test('begun in one browser cannot be ended in another, and still can in the first', async () => {
    const [browser, other] = [openBrowser(fixture), openBrowser(fixture)];
    await other.go('/login');
    const path = await browser.agree(randomPlatformId());
    expect((await other.go(path)).status).toBe(400);
    expect(await isSignedIn(other)).toBe(false);
    expect((await browser.go(path)).status).toBe(303);
  });

  test('that took longer than ten minutes does not count', async () => {
    const browser = openBrowser(fixture);
    const path = await browser.agree(randomPlatformId());
    await sql()`update sign_ins set expires_at = expires_at - interval '10 minutes'`;
    expect((await browser.go(path)).status).toBe(400);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test.each([
    ['no state', '?code=abc'],
    ['a foreign state', '?code=abc&state=foreign'],
    ['a refusal', '?error=access_denied'],
    ['nothing', ''],
    ['hostile text', '?code=%00&state=%00%ff'],
  ])('with %s is a clear page and no session', async (_, query) => {
    const browser = openBrowser(fixture);
    await browser.go('/login');
    const answer = await browser.go(`/login/callback${query}`);
    expect(answer.status).toBe(400);
    expect(browser.cookies.has(sessionName)).toBe(false);
  });

  test('with a code that the platform does not know is a clear page and no session', async () => {
    const browser = openBrowser(fixture);
    const path = await browser.agree(randomPlatformId());
    const answer = await browser.go(path.replace(/code=[^&]+/, 'code=made-up'));
    expect([answer.status, browser.cookies.has(sessionName)]).toEqual([400, false]);
  });

  test('by many at once with one state makes one session', async () => {
    const browser = openBrowser(fixture);
    const platformId = randomPlatformId();
    const path = await browser.agree(platformId);
    const answers = await Promise.all(Array.from({ length: 20 }, () => browser.go(path)));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(await sql()`select 1 from sessions where platform_id = ${platformId}`).toHaveLength(1);
  });
});

describe('a session', () => {
  test('ends when the person signs out, and only by a form of our own', async () => {
    const browser = openBrowser(fixture);
    await browser.signIn(randomPlatformId());
    const token = browser.cookies.get(sessionName) ?? '';
    for (const origin of ['https://evil.example', 'null', '']) {
      expect((await browser.post('/logout', {}, { origin })).status).toBe(403);
    }
    expect((await browser.go('/logout')).status).toBe(404);
    expect(await isSignedIn(browser)).toBe(true);
    expect((await browser.post('/logout')).status).toBe(200);
    expect(browser.cookies.has(sessionName)).toBe(false);
    browser.cookies.set(sessionName, token);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('lives on with use, but never longer than a month', async () => {
    const browser = openBrowser(fixture);
    const platformId = randomPlatformId();
    await browser.signIn(platformId);
    const leftDays = async () => {
      const [row] = await sql()`
        select extract(epoch from expires_at - now()) / 86400 as days
        from sessions where platform_id = ${platformId}`;
      return Math.round(Number(row.days));
    };
    expect(await leftDays()).toBe(7);
    await sql()`update sessions set expires_at = now() + interval '2 days' where platform_id = ${platformId}`;
    await isSignedIn(browser);
    expect(await leftDays()).toBe(7);
    await sql()`update sessions set created_at = now() - interval '27 days',
      expires_at = now() + interval '1 day' where platform_id = ${platformId}`;
    await isSignedIn(browser);
    expect(await leftDays()).toBe(3);
  });

  test('that expired is not valid, and is deleted', async () => {
    const browser = openBrowser(fixture);
    const platformId = randomPlatformId();
    await browser.signIn(platformId);
    await sql()`update sessions set expires_at = now() - interval '1 second' where platform_id = ${platformId}`;
    expect(await isSignedIn(browser)).toBe(false);
    await deleteExpiredSessions(fixture.service.db);
    expect(await sql()`select 1 from sessions where platform_id = ${platformId}`).toHaveLength(0);
  });

  test('ends, the oldest first, where a person has twenty others, also by sign-ins at once', async () => {
    const platformId = randomPlatformId();
    const [first, second] = [openBrowser(fixture), openBrowser(fixture)];
    await first.signIn(platformId);
    await second.signIn(platformId);
    const others = Array.from({ length: 19 }, () => openBrowser(fixture));
    await Promise.all(others.map((browser) => browser.signIn(platformId)));
    expect(await sql()`select 1 from sessions where platform_id = ${platformId}`).toHaveLength(20);
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true]);
  });

  test('cannot be forged by a cookie of any form', async () => {
    for (const value of ['', 'x', 'a'.repeat(43), "' or 1=1 --", '%00']) {
      const browser = openBrowser(fixture);
      browser.cookies.set(sessionName, value);
      expect(await isSignedIn(browser)).toBe(false);
    }
  });
});

describe('the way on after signing in', () => {
  /** Where a browser ends up that follows the path. */
  const originOf = (next: string) => new URL(safeNextPath(next, '/me'), usualBaseUrl).origin;

  test.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r\n/evil.example',
    ' //evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/%2e//evil.example',
    '/./\\evil.example',
    '/x/..//evil.example',
    '/.\\/evil.example',
    '',
    'me',
  ])('cannot leave the site by %p', (next) => {
    expect(safeNextPath(next, '/me')).toBe('/me');
  });

  test.each(['/me', '/verify/1?a=b&c=%20', '/a/b.c?d=/e'])('may lead to %p', (next) => {
    expect(safeNextPath(next, '/fallback')).toBe(next);
  });

  test('cannot leave the site, whatever is tried', () => {
    const piece = fc.constantFrom(
      ...['/', '\\', '.', '..', '%2e', '%2f', '%5c', '\t', '\n', '\r', ' ', '@', ':', '?', '#'],
      ...['evil.example', 'https:', 'javascript:', '\u0000', '\u2028', 'ä', 'me'],
    );
    const tricky = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(
        fc.oneof(
          tricky,
          tricky.map((path) => `/${path}`),
          fc.string(),
        ),
        (next) => {
          const chosen = safeNextPath(next, '/me');
          expect(originOf(next)).toBe(usualBaseUrl);
          expect(chosen).toMatch(/^\/(?!\/)[\x21-\x7e]*$/);
        },
      ),
      { numRuns: 5000 },
    );
  });

  test('is followed by the real redirect', async () => {
    const browser = openBrowser(fixture);
    const away = await browser.signIn(randomPlatformId(), '/.//evil.example');
    expect(away.headers.get('location')).toBe('/me');
    const on = await browser.signIn(randomPlatformId(), '/me/export?x=1');
    expect(on.headers.get('location')).toBe('/me/export?x=1');
  });
});

test('an address that begins too many sign-ins has to wait, and nothing more is stored', async () => {
  const own = await startPeopleFixture();
  const browser = openBrowser(own);
  const statuses = new Set<number>();
  for (let begun = 0; begun < 65; begun++) statuses.add((await browser.go('/login')).status);
  expect([...statuses]).toEqual([303, 429]);
  const [row] = await own.service.db.$client`select count(*)::int as stored from sign_ins`;
  expect(row.stored).toBe(60);
  await own.stop();
});
