import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import {
  openBrowser,
  type PeopleFixture,
  startPeopleFixture,
} from '../../../../test/harness/erasure/people.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';

let fixture: PeopleFixture;
beforeAll(async () => {
  fixture = await startPeopleFixture();
});
afterEach(() => fixture.simulator.control('DELETE', '/faults'));
afterAll(() => fixture.stop());

/** When the server closes a connection on which nothing happens. */
const cutOffMs = 10_000;

test.each([
  ['does not answer the exchange of the code', { method: 'POST', route: '/oauth2/token' }],
  ['does not answer who they are', { method: 'GET', route: '/users/@me' }],
])(
  'who signs in gets a page before the connection is cut where the platform %s',
  async (_, match) => {
    const browser = openBrowser(fixture);
    const back = await browser.agree(randomPlatformId(), '/dashboard');
    await fixture.simulator.control('POST', '/faults', { match, action: 'hang', times: 9 });
    const page = await Promise.race([browser.go(back), Bun.sleep(cutOffMs)]);
    expect(page?.status).toBe(400);
    expect(await page?.text()).toContain('the platform did not answer');
    expect(browser.cookies.has('__Host-session')).toBe(false);
  },
  30_000,
);
