// Takes about 30 s.
import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { inBrowser, newChromium, waitForHeading } from '../../harness/browser/chromium.ts';
import { waitForText } from '../../harness/browser/dashboard.ts';
import { type LocalService, startLocalService } from '../../harness/local-service.ts';
import { stopServices } from '../../harness/running-service.ts';
import { randomPlatformId } from '../../harness/service.ts';

const chromium = newChromium();
let service: LocalService;
beforeAll(async () => {
  service = await startLocalService();
});
afterAll(async () => {
  await chromium.close();
  await stopServices();
});

/** Counts what the owner presses; what they do in the developer portal is the platform's affair. */
const countingPresses = (page: Page) => {
  let presses = 0;
  const press = async (role: 'button' | 'link', name: string, on = page) => {
    presses += 1;
    await on.getByRole(role, { name, exact: true }).first().click();
  };
  return { press, pressed: (more: number) => (presses += more), total: () => presses };
};

/** A new application. */
const makeApplication = async (portal: Page) => {
  await portal.goto(`${service.simulatorUrl}/developers/applications`);
  await portal.getByLabel('Name of the new application').fill('Lantern Keeper');
  await portal.getByRole('button', { name: 'Create the application' }).click();
  await portal.getByRole('button', { name: 'Reset Token' }).click();
  const token = await portal.locator('#token').innerText();
  await portal.getByRole('button', { name: 'Reset Secret' }).click();
  return { token, secret: await portal.locator('#secret').innerText() };
};

/** In the portal, while the dashboard waits in another window; coming back to it is enough. */
const registerRedirect = async (portal: Page, page: Page): Promise<void> => {
  await portal.getByLabel('Redirects').fill(`${service.url}/verify/callback`);
  await portal.getByRole('button', { name: 'Add the redirect' }).click();
  await portal.getByText('/verify/callback').waitFor();
  await page.evaluate(() => dispatchEvent(new Event('focus')));
};

inBrowser(
  'a new owner gets from the landing page to a protected server with few presses',
  async () => {
    const { page, complaints } = await chromium.openWindow({
      viewport: { width: 1280, height: 900 },
    });
    page.setDefaultTimeout(60_000);
    const portal = await page.context().newPage();
    const { token, secret } = await makeApplication(portal);
    const { press, pressed, total } = countingPresses(page);

    await page.goto(service.url);
    await press('link', 'Sign in');
    await page.getByLabel("Another user's id").fill(randomPlatformId());
    await press('button', 'Authorize');
    await waitForHeading(page, 'Hello');
    await press('link', 'Add a bot');
    await page.getByRole('textbox', { name: 'Bot token' }).fill(token);
    await press('button', 'Find the bot');
    await waitForText(page, 'Register the redirect');
    await registerRedirect(portal, page);
    await waitForText(page, 'The redirect is registered');
    await page.getByRole('textbox', { name: 'Client secret' }).fill(secret);
    await press('button', 'Add this bot');

    const invite = page.getByRole('link', { name: 'Invite the bot to a server' });
    await portal.goto((await invite.getAttribute('href')) ?? '');
    pressed(1);
    await press('button', 'Authorize', portal);
    await press('button', 'Add the server');
    await page.waitForURL(/\/servers\/[0-9a-f-]{36}/);

    await press('link', 'Make a panel');
    // The only channel for newcomers is chosen already, and the way leads back to the checklist.
    await press('button', 'Post it');
    await waitForText(page, '5 of 7 done');
    await press('button', 'Back up daily');
    await press('button', 'Back up now');
    await page.getByRole('heading', { name: /^Set up/ }).waitFor({ state: 'detached' });
    await press('link', 'Overview');
    await waitForText(page, /^Nothing/);
    expect(total()).toBeLessThanOrEqual(20);
    expect(complaints).toEqual([]);
  },
);
