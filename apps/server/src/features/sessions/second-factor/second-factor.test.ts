import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  openDashboard,
  setUpSecondFactor,
  signInToDashboard,
  startDashboardFixture,
} from '../../../../test/harness/dashboard/fixture.ts';
import {
  codePath,
  isIn,
  type SecondFactorFixture,
  startSecondFactorFixture,
} from '../../../../test/harness/dashboard/second-factor.ts';
import { generateMasterKey, parseKeyRing } from '../../../kernel/seal.ts';
import { verifyChain } from '../../audit/chain/verify-chain.ts';
import { rewrapFactors } from './factor-secret.ts';

let fixture: SecondFactorFixture;
beforeAll(async () => {
  fixture = await startSecondFactorFixture();
});
afterAll(() => fixture.service.stop());

describe('setting it up', () => {
  test('asks for nothing until a code of the new secret has come back', async () => {
    const { browser, platformId } = await signInToDashboard(fixture);
    const begun = await browser.call('POST', '/second-factor');
    expect(begun.status).toBe(201);
    const { secret, uri } = begun.body.data;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).toContain(`secret=${secret}`);
    expect((await browser.call('GET', '/account')).body.data.mfaEnabled).toBe(false);
    expect((await fixture.halfSignedIn(platformId)).location).toBe('/dashboard');
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
    const { secret, recoveryCodes } = await fixture.protectedOwner();
    const plain = recoveryCodes.map((code) => code.replaceAll('-', ''));
    for (const text of [secret, ...recoveryCodes, ...plain]) {
      const rows = await fixture.sql`
        select 1 from second_factors f where strpos(f::text, ${text}) > 0
        union all select 1 from recovery_codes c where strpos(c::text, ${text}) > 0
        union all select 1 from audit_entries e where strpos(e::text, ${text}) > 0`;
      expect(rows).toHaveLength(0);
    }
  });
});

describe('switching it off', () => {
  test('needs a code; after it nothing is left, and the platform’s word is enough again', async () => {
    const { browser, platformId, accountId, secret, recoveryCodes } =
      await fixture.protectedOwner();
    const end = (code: string) => browser.call('POST', '/second-factor/end', { body: { code } });
    expect((await end('000000')).status).toBe(400);
    expect((await end(fixture.nextCode(secret))).body.data).toEqual({ mfaEnabled: false });
    expect((await browser.call('GET', '/account')).body.data.mfaEnabled).toBe(false);
    const left = await fixture.sql`select 1 from second_factors where account_id = ${accountId}
      union all select 1 from recovery_codes where account_id = ${accountId}`;
    expect(left).toHaveLength(0);
    expect((await end(recoveryCodes[0] ?? '')).status).toBe(409);
    expect((await fixture.halfSignedIn(platformId)).location).toBe('/dashboard');
    const [entry] = (await browser.call('GET', '/audit')).body.data;
    expect(entry).toMatchObject({ action: 'account.update', changes: { mfaEnabled: false } });
  });

  test('lets those in who were about to be asked', async () => {
    const { browser: inside, platformId, secret } = await fixture.protectedOwner();
    const { browser } = await fixture.halfSignedIn(platformId);
    const body = { code: fixture.nextCode(secret) };
    await inside.call('POST', '/second-factor/end', { body });
    expect(await isIn(browser)).toBe(false);
    await browser.post(codePath, { code: 'anything' });
    expect(await isIn(browser)).toBe(true);
  });
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
});
