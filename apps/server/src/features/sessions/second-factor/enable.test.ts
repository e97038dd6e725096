import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type DashboardBrowser,
  type DashboardFixture,
  openDashboard,
  setUpSecondFactor,
  signInToDashboard,
  startDashboardFixture,
} from '../../../../test/harness/dashboard/fixture.ts';

let fixture: DashboardFixture;
beforeAll(async () => {
  fixture = await startDashboardFixture();
});
afterAll(() => fixture.service.stop());

const isIn = async (browser: DashboardBrowser) => {
  const [page, api] = [await browser.text('/me'), await browser.call('GET', '/account')];
  return page.includes('You are signed in as') || api.status === 200;
};

describe('switching it on', () => {
  test('ends every other session of the person, and none of other people', async () => {
    const { browser, platformId } = await signInToDashboard(fixture);
    const { browser: other } = await signInToDashboard(fixture, platformId);
    const { browser: stranger } = await signInToDashboard(fixture);
    const onOwnPage = openDashboard(fixture);
    await onOwnPage.signIn(platformId, '/me');
    await setUpSecondFactor(fixture, browser);
    const all = [browser, other, onOwnPage, stranger];
    expect(await Promise.all(all.map(isIn))).toEqual([true, false, false, true]);
  });

  test('leaves no session without a code to those who sign in at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const { browser, platformId } = await signInToDashboard(fixture);
      const others = ['/dashboard', '/me', '/dashboard', '/me'].map((next) => ({
        next,
        browser: openDashboard(fixture),
      }));
      const { secret } = (await browser.call('POST', '/second-factor')).body.data;
      const body = { code: fixture.nextCode(secret) };
      const [switchedOn] = await Promise.all([
        browser.call('PUT', '/second-factor', { body }),
        ...others.map((other) => other.browser.signIn(platformId, other.next)),
      ]);
      expect(switchedOn.status).toBe(200);
      const statuses = others.map((other) => isIn(other.browser));
      expect(await Promise.all(statuses)).toEqual([false, false, false, false]);
    }
  });
});
