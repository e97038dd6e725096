import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type DashboardFixture,
  openDashboard,
  setUpSecondFactor,
  signInToDashboard,
  startDashboardFixture,
} from '../../../../test/harness/dashboard/fixture.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { generateMasterKey, parseKeyRing } from '../../../kernel/seal.ts';
import { verifyChain } from '../../audit/chain/verify-chain.ts';
import { rewrapFactors } from './factor-secret.ts';

let fixture: DashboardFixture;
beforeAll(async () => {
  fixture = await startDashboardFixture();
}, 60_000);
afterAll(() => fixture.service.stop());

const sql = () => fixture.service.db.$client;
const sessionName = '__Host-session';
const codePath = '/login/code';

/** Somebody with a second factor, who is signed in. */
const protectedOwner = async () => {
  const owner = await signInToDashboard(fixture);
  return { ...owner, ...(await setUpSecondFactor(fixture, owner.browser)) };
};

/** Another browser of theirs, for which the platform has spoken and no code yet. */
const halfSignedIn = async (platformId: string, next = '/dashboard') => {
  const browser = openDashboard(fixture);
  const answer = await browser.signIn(platformId, next);
  return { browser, location: answer.headers.get('location') };
};

const isIn = async (browser: ReturnType<typeof openDashboard>) => {
  const [page, api] = [await browser.text('/me'), await browser.call('GET', '/account')];
  expect(page.includes('You are signed in as')).toBe(api.status === 200);
  return api.status === 200;
};

describe('setting it up', () => {
  test('asks for nothing until a code of the new secret has come back', async () => {
    const { browser, platformId } = await signInToDashboard(fixture);
    const begun = await browser.call('POST', '/second-factor');
    expect(begun.status).toBe(201);
    const { secret, uri } = begun.body.data;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).toContain(`secret=${secret}`);
    expect((await browser.call('GET', '/account')).body.data.mfaEnabled).toBe(false);
    expect((await halfSignedIn(platformId)).location).toBe('/dashboard');
  });

  test('needs a right code, gives ten recovery codes, and is written down', async () => {
    const { browser, accountId } = await signInToDashboard(fixture);
    const { secret } = (await browser.call('POST', '/second-factor')).body.data;
    const wrong = await browser.call('PUT', '/second-factor', { body: { code: '000000' } });
    expect([wrong.status, Object.keys(wrong.body.details.fieldErrors)]).toEqual([400, ['code']]);
    const body = { code: fixture.nextCode(secret) };
    const { recoveryCodes } = (await browser.call('PUT', '/second-factor', { body })).body.data;
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const code of recoveryCodes) expect(code).toMatch(/^([A-HJ-NP-Z2-9]{4}-){3}[A-Z2-9]{4}$/);
    expect((await browser.call('GET', '/account')).body.data.mfaEnabled).toBe(true);
    const [entry] = (await browser.call('GET', '/audit')).body.data;
    expect(entry).toMatchObject({
      action: 'account.update',
      actor: { type: 'USER', id: accountId },
      subject: { type: 'account', id: accountId },
      changes: { mfaEnabled: true },
    });
    expect(await verifyChain(fixture.service.db, accountId)).toMatchObject({ intact: true });
  });

  test('can be started again while it is not enabled, and not afterwards', async () => {
    const { browser } = await signInToDashboard(fixture);
    const first = (await browser.call('POST', '/second-factor')).body.data.secret;
    const second = (await browser.call('POST', '/second-factor')).body.data.secret;
    expect(second).not.toBe(first);
    const stale = { code: fixture.nextCode(first) };
    expect((await browser.call('PUT', '/second-factor', { body: stale })).status).toBe(400);
    const fresh = { code: fixture.nextCode(second) };
    expect((await browser.call('PUT', '/second-factor', { body: fresh })).status).toBe(200);
    expect((await browser.call('POST', '/second-factor')).status).toBe(409);
    const again = { code: fixture.nextCode(second) };
    expect((await browser.call('PUT', '/second-factor', { body: again })).status).toBe(409);
  });

  test('that was not begun cannot be ended or confirmed with', async () => {
    const { browser } = await signInToDashboard(fixture);
    const body = { code: '123456' };
    expect((await browser.call('PUT', '/second-factor', { body })).status).toBe(409);
    expect((await browser.call('POST', '/second-factor/end', { body })).status).toBe(409);
    expect((await browser.call('POST', '/confirmation', { body })).status).toBe(409);
  });

  test('keeps neither the secret nor a recovery code in clear', async () => {
    const { secret, recoveryCodes } = await protectedOwner();
    const plain = recoveryCodes.map((code) => code.replaceAll('-', ''));
    for (const text of [secret, ...recoveryCodes, ...plain]) {
      const rows = await sql()`
        select 1 from second_factors f where strpos(f::text, ${text}) > 0
        union all select 1 from recovery_codes c where strpos(c::text, ${text}) > 0
        union all select 1 from audit_entries e where strpos(e::text, ${text}) > 0`;
      expect(rows).toHaveLength(0);
    }
  });
});

describe('signing in with it', () => {
  test('the platform’s word alone is no session, neither here nor on the person’s own page', async () => {
    const { platformId } = await protectedOwner();
    for (const next of ['/dashboard', '/me']) {
      const { browser, location } = await halfSignedIn(platformId, next);
      expect(location).toBe(`${codePath}?next=${encodeURIComponent(next)}`);
      expect(browser.cookies.has(sessionName)).toBe(true);
      expect(await isIn(browser)).toBe(false);
      expect((await browser.go('/me/export')).headers.get('content-disposition')).toBeNull();
    }
  });

  test('the code admits, under a new token, and leads on', async () => {
    const { platformId, secret } = await protectedOwner();
    const { browser } = await halfSignedIn(platformId);
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
    const { platformId, secret, browser: first } = await protectedOwner();
    const code = fixture.nextCode(secret);
    expect((await first.call('POST', '/confirmation', { body: { code } })).status).toBe(200);
    expect((await first.call('POST', '/confirmation', { body: { code } })).status).toBe(400);
    const { browser } = await halfSignedIn(platformId);
    const refused = await browser.post(codePath, { code });
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('was used before'),
    ]);
    expect(await isIn(browser)).toBe(false);
  });

  test('one code brought by many at once counts once', async () => {
    const { browser, secret } = await protectedOwner();
    const body = { code: fixture.nextCode(secret) };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => browser.call('POST', '/confirmation', { body })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
  });

  test('only the browser that began the sign-in is asked for the code, and only for ten minutes', async () => {
    const { platformId, secret } = await protectedOwner();
    const stranger = openDashboard(fixture);
    expect((await stranger.go(codePath)).headers.get('location')).toBe('/login?next=%2Fdashboard');
    const { browser } = await halfSignedIn(platformId);
    await sql()`update sessions set created_at = created_at - interval '10 minutes'
      where platform_id = ${platformId} and awaits_code`;
    const late = await browser.post(codePath, { code: fixture.nextCode(secret) });
    expect([late.status, late.headers.get('location')]).toEqual([303, '/login?next=%2Fdashboard']);
    expect(await isIn(browser)).toBe(false);
  });

  test('the code comes from our own page alone, and leads nowhere else', async () => {
    const { platformId, secret } = await protectedOwner();
    const { browser } = await halfSignedIn(platformId);
    const code = fixture.nextCode(secret);
    for (const origin of ['https://evil.example', 'null', '']) {
      expect((await browser.post(codePath, { code }, { origin })).status).toBe(403);
    }
    expect(await browser.text(`${codePath}?next=//evil.example`)).not.toContain('evil');
    const admitted = await browser.post(codePath, { code, next: '//evil.example' });
    expect(admitted.headers.get('location')).toBe('/dashboard');
  });

  test('a session that still needs its code is not listed, and is ended with all others', async () => {
    const { browser: first, platformId, secret } = await protectedOwner();
    const { browser } = await halfSignedIn(platformId);
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
    const { platformId, secret, browser: inside } = await protectedOwner();
    const { browser } = await halfSignedIn(platformId);
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
    await sql()`update second_factors set locked_until = locked_until - interval '15 minutes'
      where locked_until is not null`;
    await browser.post(codePath, { code: fixture.nextCode(secret) });
    expect(await isIn(browser)).toBe(true);
  });

  test('count wherever they are tried, and are counted from zero after a right one', async () => {
    const { platformId, secret, browser: inside } = await protectedOwner();
    const wrong = { body: { code: '000000' } };
    const confirm = async () => (await inside.call('POST', '/confirmation', wrong)).status;
    const { browser } = await halfSignedIn(platformId);
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
    const { browser, secret } = await protectedOwner();
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
      const { platformId } = await protectedOwner();
      const { browser } = await halfSignedIn(platformId);
      expect((await browser.post(codePath, { code })).status).toBe(403);
      expect(await isIn(browser)).toBe(false);
    },
  );
});

describe('a recovery code', () => {
  test('stands in for the authenticator once, however it is typed', async () => {
    const { platformId, recoveryCodes } = await protectedOwner();
    const [code = '', other = ''] = recoveryCodes;
    const { browser } = await halfSignedIn(platformId);
    await browser.post(codePath, { code: ` ${code.toLowerCase().replaceAll('-', ' ')} ` });
    expect(await isIn(browser)).toBe(true);
    const { browser: second } = await halfSignedIn(platformId);
    expect((await second.post(codePath, { code })).status).toBe(403);
    await second.post(codePath, { code: other });
    expect(await isIn(second)).toBe(true);
  });

  test('of somebody else is worth nothing', async () => {
    const [{ platformId }, { recoveryCodes }] = [await protectedOwner(), await protectedOwner()];
    const { browser } = await halfSignedIn(platformId);
    expect((await browser.post(codePath, { code: recoveryCodes[0] ?? '' })).status).toBe(403);
    expect(await isIn(browser)).toBe(false);
  });
});

describe('switching it off', () => {
  test('needs a code; after it nothing is left, and the platform’s word is enough again', async () => {
    const { browser, platformId, accountId, secret, recoveryCodes } = await protectedOwner();
    const end = (code: string) => browser.call('POST', '/second-factor/end', { body: { code } });
    expect((await end('000000')).status).toBe(400);
    expect((await end(fixture.nextCode(secret))).body.data).toEqual({ mfaEnabled: false });
    expect((await browser.call('GET', '/account')).body.data.mfaEnabled).toBe(false);
    const left = await sql()`select 1 from second_factors where account_id = ${accountId}
      union all select 1 from recovery_codes where account_id = ${accountId}`;
    expect(left).toHaveLength(0);
    expect((await end(recoveryCodes[0] ?? '')).status).toBe(409);
    expect((await halfSignedIn(platformId)).location).toBe('/dashboard');
    const [entry] = (await browser.call('GET', '/audit')).body.data;
    expect(entry).toMatchObject({ action: 'account.update', changes: { mfaEnabled: false } });
  });

  test('lets those in who were about to be asked', async () => {
    const { browser: inside, platformId, secret } = await protectedOwner();
    const { browser } = await halfSignedIn(platformId);
    const body = { code: fixture.nextCode(secret) };
    await inside.call('POST', '/second-factor/end', { body });
    expect(await isIn(browser)).toBe(false);
    await browser.post(codePath, { code: 'anything' });
    expect(await isIn(browser)).toBe(true);
  });
});

test('a member without an account signs in as ever, and is asked for no code', async () => {
  const { browser, location } = await halfSignedIn(randomPlatformId(), '/me');
  expect(location).toBe('/me');
  expect(await browser.text('/me')).toContain('You are signed in as');
});

test('a secret that was sealed under an older key still works once it is sealed again', async () => {
  const [olderKey, newerKey] = [generateMasterKey(), generateMasterKey()];
  const first = await startDashboardFixture({ ring: parseKeyRing(olderKey) });
  const { browser, platformId } = await signInToDashboard(first);
  const { secret } = await setUpSecondFactor(first, browser);
  const { db, databaseUrl } = first.service;
  const both = parseKeyRing(`${newerKey},${olderKey}`);
  const broken: unknown[] = [];
  const rewrap = () => rewrapFactors(db, both, (error) => broken.push(error));
  expect([await rewrap(), await rewrap(), broken]).toEqual([1, 0, []]);
  const second = await startDashboardFixture({ ring: parseKeyRing(newerKey), databaseUrl });
  const later = openDashboard(second);
  await later.signIn(platformId, '/dashboard');
  // That fixture's clock stands where this one began, and the first code was taken half a minute on.
  second.nextCode(secret);
  await later.post(codePath, { code: second.nextCode(secret) });
  expect((await later.call('GET', '/account')).status).toBe(200);
  await second.service.stop();
  await first.service.stop();
}, 60_000);
