import { expect } from 'bun:test';
import {
  type DashboardBrowser,
  openDashboard,
  setUpSecondFactor,
  signInToDashboard,
  startDashboardFixture,
} from './fixture.ts';

export const codePath = '/login/code';

/** People who sign in with a second factor, or are about to. */
export const startSecondFactorFixture = async () => {
  const fixture = await startDashboardFixture();
  return {
    ...fixture,
    sql: fixture.service.db.$client,

    /** Somebody with a second factor, who is signed in. */
    async protectedOwner() {
      const owner = await signInToDashboard(fixture);
      return { ...owner, ...(await setUpSecondFactor(fixture, owner.browser)) };
    },

    /** Another browser of theirs, for which the platform has spoken and no code yet. */
    async halfSignedIn(platformId: string, next = '/dashboard') {
      const browser = openDashboard(fixture);
      const answer = await browser.signIn(platformId, next);
      return { browser, location: answer.headers.get('location') };
    },
  };
};

export type SecondFactorFixture = Awaited<ReturnType<typeof startSecondFactorFixture>>;

/** Both by the person's own page and by the dashboard's API. */
export const isIn = async (browser: DashboardBrowser): Promise<boolean> => {
  const [page, api] = [await browser.text('/me'), await browser.call('GET', '/account')];
  expect(page.includes('You are signed in as')).toBe(api.status === 200);
  return api.status === 200;
};
