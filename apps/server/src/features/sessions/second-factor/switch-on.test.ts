import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  type DashboardBrowser,
  type DashboardScene,
  openDashboard,
  setUpSecondFactor,
  signInToDashboard,
  startDashboardScene,
} from '../../../../test/dashboard-scene.ts';

setDefaultTimeout(120_000);

let scene: DashboardScene;
beforeAll(async () => {
  scene = await startDashboardScene();
}, 60_000);
afterAll(() => scene.service.stop());

const isIn = async (browser: DashboardBrowser) => {
  const [page, api] = [await browser.text('/me'), await browser.call('GET', '/account')];
  return page.includes('You are signed in as') || api.status === 200;
};

describe('switching it on', () => {
  test('ends every other session of the person, and nobody else’s', async () => {
    const { browser, platformId } = await signInToDashboard(scene);
    const { browser: other } = await signInToDashboard(scene, platformId);
    const { browser: stranger } = await signInToDashboard(scene);
    const onOwnPage = openDashboard(scene);
    await onOwnPage.signIn(platformId, '/me');
    await setUpSecondFactor(scene, browser);
    const all = [browser, other, onOwnPage, stranger];
    expect(await Promise.all(all.map(isIn))).toEqual([true, false, false, true]);
  });

  test('leaves no session without a code to those who sign in at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const { browser, platformId } = await signInToDashboard(scene);
      const others = ['/dashboard', '/me', '/dashboard', '/me'].map((next) => ({
        next,
        browser: openDashboard(scene),
      }));
      const { secret } = (await browser.call('POST', '/second-factor')).body.data;
      const body = { code: scene.nextCode(secret) };
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
