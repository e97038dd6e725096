import { afterAll, beforeAll, expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  expectUsable,
  hostileNames,
  inBrowser,
  newChromium,
  type Window,
} from '../../harness/browser/chromium.ts';
import { signIn, waitForText } from '../../harness/browser/dashboard.ts';
import { openDemo } from '../../harness/dashboard/demo-states.ts';
import { startLocalService } from '../../harness/local-service.ts';
import { stopServices } from '../../harness/running-service.ts';

setDefaultTimeout(240_000);

const name = hostileNames['a picture that runs a script'];
const chromium = newChromium();
let demo: Awaited<ReturnType<typeof openDemo>>;
let owner: Window;
let page: Page;

beforeAll(async () => {
  demo = await openDemo(await startLocalService());
  await renameGuild();
  await demo.holdfast.updateServer({ params: { id: demo.serverId }, body: { name } });
  owner = await chromium.openWindow({ viewport: { width: 1280, height: 900 } });
  ({ page } = owner);
  await signIn(page, demo.service);
  await page.getByRole('heading', { level: 1 }).waitFor();
});
afterAll(async () => {
  await chromium.close();
  await stopServices();
});

/** The server is named after it as soon as its bot is connected. */
const renameGuild = async (): Promise<void> => {
  const { control } = demo.service;
  const path = `/guilds/${demo.guildId}`;
  const { guild, ...rest } = await control('GET', path);
  await control('PUT', path, { ...rest, guild: { ...guild, name } });
};

const bell = (label: string) => page.getByRole('button', { name: label, exact: true });

const open = async (path: string): Promise<void> => {
  await page.goto(`${demo.service.url}/dashboard${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
};

inBrowser('the bell counts what is new, leads to it, and is silent once it is read', async () => {
  const params = { id: demo.serverId };
  await bell('Alerts').click();
  await waitForText(page, 'No alerts yet.');
  await page.keyboard.press('Escape');
  const pull = await demo.holdfast.waitForPull(await demo.holdfast.createPull({ params }));
  await open('');
  await bell('Alerts: 1 new').click();
  const dialog = page.getByRole('dialog', { name: 'Alerts' });
  const title = `of ${name} came back`;
  await dialog.getByRole('link', { name: title }).waitFor();
  await expectUsable(page, 'alerts-bell');
  await dialog.getByRole('link', { name: title }).click();
  await page.waitForURL(`**/servers/${demo.serverId}/pulls/${pull.id}`);
  await dialog.waitFor({ state: 'hidden' });

  await bell('Alerts: 1 new').click();
  await dialog.getByRole('button', { name: 'Mark all as read' }).click();
  await bell('Alerts').waitFor();
  await dialog.getByRole('link', { name: 'All alerts' }).click();
  await page.waitForURL('**/dashboard/alerts');
  await page.getByRole('main').getByRole('link', { name: title }).waitFor();
  expect(await page.getByRole('button', { name: 'Mark all as read' }).count()).toBe(0);
  expect(owner.complaints).toEqual([]);
});

inBrowser('an owner chooses which alerts are mailed, and the choice is kept', async () => {
  await open('/alerts/settings');
  const box = page.getByLabel('Members brought back: E-mail');
  expect(await box.isChecked()).toBe(false);
  await box.check();
  await waitForText(page, '1 change not saved');
  await expectUsable(page, 'alert-settings-unsaved');
  await page.getByRole('button', { name: 'Discard' }).click();
  expect(await box.isChecked()).toBe(false);
  await box.check();
  await page.getByLabel('Appeal: Dashboard').uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await waitForText(page, 'The settings were saved');
  await open('/alerts/settings');
  expect(await box.isChecked()).toBe(true);
  expect(await demo.holdfast.getAlertSettings()).toMatchObject({
    PULL_ENDED: { email: true, channel: false, dashboard: true },
    APPEAL_OPENED: { email: false, channel: false, dashboard: false },
  });
  expect(owner.complaints).toEqual([]);
});
