import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openDashboard } from '../../../../test/harness/dashboard/fixture.ts';
import {
  codePath,
  isIn,
  type SecondFactorFixture,
  startSecondFactorFixture,
} from '../../../../test/harness/dashboard/second-factor.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';

let fixture: SecondFactorFixture;
beforeAll(async () => {
  fixture = await startSecondFactorFixture();
});
afterAll(() => fixture.service.stop());

const sessionName = '__Host-session';

describe('signing in with it', () => {
  test('the platform’s word alone is no session, neither here nor on the person’s own page', async () => {
    const { platformId } = await fixture.protectedOwner();
    for (const next of ['/dashboard', '/me']) {
      const { browser, location } = await fixture.halfSignedIn(platformId, next);
      expect(location).toBe(`${codePath}?next=${encodeURIComponent(next)}`);
      expect(browser.cookies.has(sessionName)).toBe(true);
      expect(await isIn(browser)).toBe(false);
      expect((await browser.go('/me/export')).headers.get('content-disposition')).toBeNull();
    }
  });

  test('the code admits, under a new token, and leads on', async () => {
    const { platformId, secret } = await fixture.protectedOwner();
    const { browser } = await fixture.halfSignedIn(platformId);
    const before = browser.cookies.get(sessionName) ?? '';
    expect(await browser.text(`${codePath}?next=/dashboard`)).toContain('One more step');
    const fields = { code: fixture.nextCode(secret), next: '/dashboard/servers' };
    const admitted = await browser.post(codePath, fields);
    expect([admitted.status, admitted.headers.get('location')]).toEqual([303, fields.next]);
    expect(browser.cookies.get(sessionName)).not.toBe(before);
    expect(await isIn(browser)).toBe(true);
    const thief = openDashboard(fixture);
    thief.cookies.set(sessionName, before);
    expect(await isIn(thief)).toBe(false);
    expect((await thief.go(codePath)).status).toBe(303);
  });

  test('a code counts once, wherever it was shown', async () => {
    const { platformId, secret, browser: first } = await fixture.protectedOwner();
    const code = fixture.nextCode(secret);
    expect((await first.call('POST', '/confirmation', { body: { code } })).status).toBe(200);
    expect((await first.call('POST', '/confirmation', { body: { code } })).status).toBe(400);
    const { browser } = await fixture.halfSignedIn(platformId);
    const refused = await browser.post(codePath, { code });
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('was used before'),
    ]);
    expect(await isIn(browser)).toBe(false);
  });

  test('one code brought by many at once counts once', async () => {
    const { browser, secret } = await fixture.protectedOwner();
    const body = { code: fixture.nextCode(secret) };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => browser.call('POST', '/confirmation', { body })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
  });

  test('only the browser that began the sign-in is asked for the code, and only for ten minutes', async () => {
    const { platformId, secret } = await fixture.protectedOwner();
    const stranger = openDashboard(fixture);
    expect((await stranger.go(codePath)).headers.get('location')).toBe('/login?next=%2Fdashboard');
    const { browser } = await fixture.halfSignedIn(platformId);
    await fixture.sql`update sessions set created_at = created_at - interval '10 minutes'
      where platform_id = ${platformId} and awaits_code`;
    const late = await browser.post(codePath, { code: fixture.nextCode(secret) });
    expect([late.status, late.headers.get('location')]).toEqual([303, '/login?next=%2Fdashboard']);
    expect(await isIn(browser)).toBe(false);
  });

  test('the code comes from our own page alone, and leads nowhere else', async () => {
    const { platformId, secret } = await fixture.protectedOwner();
    const { browser } = await fixture.halfSignedIn(platformId);
    const code = fixture.nextCode(secret);
    for (const origin of ['https://evil.example', 'null', '']) {
      expect((await browser.post(codePath, { code }, { origin })).status).toBe(403);
    }
    expect(await browser.text(`${codePath}?next=//evil.example`)).not.toContain('evil');
    const admitted = await browser.post(codePath, { code, next: '//evil.example' });
    expect(admitted.headers.get('location')).toBe('/dashboard');
  });

  test('a session that still needs its code is not listed, and is ended with all others', async () => {
    const { browser: first, platformId, secret } = await fixture.protectedOwner();
    const { browser } = await fixture.halfSignedIn(platformId);
    expect((await first.call('GET', '/sessions')).body.data).toHaveLength(1);
    expect((await first.call('DELETE', '/sessions')).body.data).toEqual({ ended: 2 });
    await browser.post(codePath, { code: fixture.nextCode(secret) });
    expect(await isIn(browser)).toBe(false);
  });
});

describe('wrong codes', () => {
  const tryCodes = async (browser: ReturnType<typeof openDashboard>, count: number) => {
    for (let tried = 0; tried < count; tried++) {
      expect((await browser.post(codePath, { code: '000000' })).status).toBe(403);
    }
  };

  test('five of them lock it for a quarter of an hour, for the right code too', async () => {
    const { platformId, secret, browser: inside } = await fixture.protectedOwner();
    const { browser } = await fixture.halfSignedIn(platformId);
    await tryCodes(browser, 5);
    const locked = await browser.post(codePath, { code: fixture.nextCode(secret) });
    expect([locked.status, await locked.text()]).toEqual([
      403,
      expect.stringContaining('Try again in 15 minutes'),
    ]);
    const confirming = await inside.call('POST', '/confirmation', {
      body: { code: fixture.nextCode(secret) },
    });
    expect([confirming.status, confirming.body.error]).toEqual([
      429,
      'Too many wrong codes: try again in 15 minutes',
    ]);
    expect(Number(confirming.headers.get('retry-after'))).toBeWithin(890, 901);
    await fixture.sql`update second_factors set locked_until = locked_until - interval '15 minutes'
      where locked_until is not null`;
    await browser.post(codePath, { code: fixture.nextCode(secret) });
    expect(await isIn(browser)).toBe(true);
  });

  test('count wherever they are tried, and are counted from zero after a right one', async () => {
    const { platformId, secret, browser: inside } = await fixture.protectedOwner();
    const wrong = { body: { code: '000000' } };
    const confirm = async () => (await inside.call('POST', '/confirmation', wrong)).status;
    const { browser } = await fixture.halfSignedIn(platformId);
    await tryCodes(browser, 2);
    expect([await confirm(), await confirm()]).toEqual([400, 400]);
    await browser.post(codePath, { code: fixture.nextCode(secret) });
    expect(await isIn(browser)).toBe(true);
    expect([await confirm(), await confirm(), await confirm(), await confirm()]).toEqual([
      400, 400, 400, 400,
    ]);
    expect((await inside.call('POST', '/second-factor/end', wrong)).status).toBe(400);
    expect(await confirm()).toBe(429);
  });

  test('many at once are still five', async () => {
    const { browser, secret } = await fixture.protectedOwner();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        browser.call('POST', '/confirmation', { body: { code: '000000' } }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 400);
    expect([refused.length, answers.length - refused.length]).toEqual([5, 7]);
    const body = { code: fixture.nextCode(secret) };
    expect((await browser.call('POST', '/confirmation', { body })).status).toBe(429);
  });

  test.each(['', ' ', '12345', '1234567', 'abcdef', '１２３４５６', '\u0000', '%', "' or 1=1 --"])(
    '%p is one of them',
    async (code) => {
      const { platformId } = await fixture.protectedOwner();
      const { browser } = await fixture.halfSignedIn(platformId);
      expect((await browser.post(codePath, { code })).status).toBe(403);
      expect(await isIn(browser)).toBe(false);
    },
  );
});

describe('a recovery code', () => {
  test('stands in for the authenticator once, however it is typed', async () => {
    const { platformId, recoveryCodes } = await fixture.protectedOwner();
    const [code = '', other = ''] = recoveryCodes;
    const { browser } = await fixture.halfSignedIn(platformId);
    await browser.post(codePath, { code: ` ${code.toLowerCase().replaceAll('-', ' ')} ` });
    expect(await isIn(browser)).toBe(true);
    const { browser: second } = await fixture.halfSignedIn(platformId);
    expect((await second.post(codePath, { code })).status).toBe(403);
    await second.post(codePath, { code: other });
    expect(await isIn(second)).toBe(true);
  });

  test('of somebody else is worth nothing', async () => {
    const [{ platformId }, { recoveryCodes }] = [
      await fixture.protectedOwner(),
      await fixture.protectedOwner(),
    ];
    const { browser } = await fixture.halfSignedIn(platformId);
    expect((await browser.post(codePath, { code: recoveryCodes[0] ?? '' })).status).toBe(403);
    expect(await isIn(browser)).toBe(false);
  });
});

test('a member without an account signs in as ever, and is asked for no code', async () => {
  const { browser, location } = await fixture.halfSignedIn(randomPlatformId(), '/me');
  expect(location).toBe('/me');
  expect(await browser.text('/me')).toContain('You are signed in as');
});
