// Takes about 30 s: started before shorter ones.
import { afterAll, beforeAll, expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  expectUsable,
  inBrowser,
  type Look,
  newChromium,
  type Window,
} from '../../harness/browser/chromium.ts';
import { signIn, waitForText } from '../../harness/browser/dashboard.ts';
import {
  backUp,
  damage,
  lose,
  openDemo,
  pullWithLost,
  repair,
  takeIntents,
  waitForQuota,
  wreck,
} from '../../harness/dashboard/demo-states.ts';
import { startLocalService } from '../../harness/local-service.ts';
import { stopServices } from '../../harness/running-service.ts';

setDefaultTimeout(240_000);

const chromium = newChromium();
let demo: Awaited<ReturnType<typeof openDemo>>;
let owner: Window;
let page: Page;
let backupId: string;

beforeAll(async () => {
  demo = await openDemo(await startLocalService());
  owner = await chromium.openWindow({ viewport: { width: 1280, height: 900 } });
  ({ page } = owner);
  await signIn(page, demo.service);
  await page.getByRole('heading', { level: 1 }).waitFor();
  ({ id: backupId } = await backUp(demo, 'Before the storm'));
  await damage(demo);
});
afterAll(async () => {
  await chromium.close();
  await stopServices();
});

const looks: Look[] = [
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 1280 },
];

const open = async (path: string): Promise<void> => {
  await page.goto(`${demo.service.url}/dashboard${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
};
const ofServer = (path: string): string => `/servers/${demo.serverId}${path}`;

const press = (name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

/** Usable as it is shown now, and without a complaint of the browser. */
const expectFit = async (name: string): Promise<void> => {
  await expectUsable(page, `state-${name}`, looks);
  expect({ name, complaints: owner.complaints }).toEqual({ name, complaints: [] });
};

const shownText = (): Promise<string> => page.locator('main').innerText();

inBrowser('settings are saved also where their page was opened by its own address', async () => {
  // What the closed part of the form asks for comes after the page is shown.
  const guilds = '**/bots/*/guilds';
  const { promise: isShown, resolve: release } = Promise.withResolvers<void>();
  await page.route(guilds, async (route) => {
    await isShown;
    await route.continue();
  });
  const answered = page.waitForResponse(guilds);
  await open(ofServer('/settings'));
  release();
  await answered;
  await page.unroute(guilds);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Harbour of today');
  await press('Save');
  await waitForText(page, 'The settings were saved');
  await page.reload();
  await expectName('Harbour of today');
});

const expectName = async (name: string) => {
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe(name);
};

inBrowser('a preview says field by field what changes, in words and by names', async () => {
  await open(ofServer(`/backups/${backupId}`));
  await press('Show what would happen');
  await page.getByRole('button', { name: 'Restore this' }).waitFor();
  const text = await shownText();
  expect(text).toContain('Who are you? – A sailor');
  expect(text).not.toMatch(/[{}]|_ids?\b/);
  await expectFit('preview');
  await press('Restore this');
  await expectFit('restore-dialog');
});

inBrowser('a comparison with the server, and the form of a download', async () => {
  await open(ofServer(`/backups/${backupId}?tab=compare`));
  await waitForText(page, 'Only in this backup');
  await expectFit('comparison');
  await press('Download');
  await page.getByRole('dialog').getByLabel('With people').check();
  await expectFit('download-dialog');
});

inBrowser('what a server points to and no longer has is said where it can be mended', async () => {
  await takeIntents(demo);
  await backUp(demo, 'After the storm');
  await open('');
  await waitForText(page, 'The role for verified members is gone');
  await expectFit('broken-pointers');
  await page.getByRole('link', { name: 'Open the settings' }).first().click();
  await waitForText(page, 'The server no longer has this role');
  await expectFit('broken-settings');
});

inBrowser('a bot without intents says which switches are off', async () => {
  await open('/bots');
  await waitForText(page, 'Server Members Intent');
  await expectFit('intents');
});

inBrowser('a repair ends with the addresses of new webhooks, which are shown once', async () => {
  const restoreId = await repair(demo, backupId);
  await open(ofServer(`/restores/${restoreId}`));
  await press('Show the addresses');
  await page.getByRole('dialog').getByRole('button', { name: 'Show them' }).click();
  await waitForText(page, 'Copy them now');
  await waitForText(page, /^News in #/);
  await expectFit('webhook-addresses');
});

inBrowser('a pull asks first, and calls back by an invite who is not authorised', async () => {
  await open(ofServer('/pulls'));
  await page.getByText('Roles with dangerous permissions', { exact: true }).waitFor();
  expect(await shownText()).not.toMatch(/[A-Z]+_[A-Z]+/);
  await press('Bring members back');
  await page.getByRole('dialog').waitFor();
  await expectFit('pull-dialog');
  await open(ofServer(`/pulls/${await pullWithLost(demo)}`));
  await press('Show the invite');
  await waitForText(page, 'For 1 member');
  await expectFit('recall');
});

inBrowser('a damaged server leads to its recovery, or is accepted as it is', async () => {
  await wreck(demo);
  await backUp(demo, 'After the wreck');
  await open('');
  await waitForText(page, 'of the last good backup are missing');
  await expectFit('damaged-overview');
  await open(ofServer(''));
  const recover = page.getByRole('alert').getByRole('link', { name: 'Recover' });
  await recover.waitFor();
  await expectFit('damaged-server');
  await press('This is how it should be');
  await page.getByRole('dialog').waitFor();
  await expectFit('accept-dialog');
  await open(ofServer(''));
  await recover.click();
  await page.getByRole('button', { name: 'Restore the server' }).waitFor();
});

inBrowser('a restore that waits for a quota says until when', async () => {
  await open(ofServer(`/restores/${await waitForQuota(demo, backupId)}`));
  await waitForText(page, 'Waits until');
  await expectFit('quota');
  await open(ofServer('/backups'));
  await waitForText(page, 'A restore is waiting');
});

inBrowser('a lost server leads to a new one, and to where it is moved by hand', async () => {
  await lose(demo);
  await open('');
  await waitForText(page, 'The server was deleted on the platform');
  await expectFit('lost-overview');
  await page.getByRole('link', { name: 'Recover' }).first().click();
  await waitForText(page, 'The server is gone while it is being restored');
  await expectFit('lost-while-restoring');
  await press('Stop the restore');
  await page.getByRole('dialog').getByRole('button', { name: 'Stop the restore' }).click();
  await page.getByRole('heading', { name: 'The new server' }).waitFor();
  await expectFit('new-server');
  await open(ofServer('/settings#move'));
  await page.getByRole('heading', { name: 'Move to another server' }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('move');
  await expectFit('move');
});

inBrowser(
  'a page whose code cannot be loaded says so, and is there after another attempt',
  async () => {
    const { page: other } = await chromium.openWindow({ viewport: { width: 1280, height: 900 } });
    await signIn(other, demo.service);
    await other.getByRole('heading', { level: 1 }).waitFor();
    await other.route('**/*.js', (route) => route.abort());
    await other.getByRole('link', { name: 'API keys' }).click();
    await waitForText(other, 'This page could not be shown');
    await other.getByRole('link', { name: 'Overview', exact: true }).click();
    await other.getByRole('heading', { level: 1, name: /^Hello/ }).waitFor();
    await other.getByRole('link', { name: 'API keys' }).click();
    await waitForText(other, 'This page could not be shown');
    await other.unroute('**/*.js');
    await other.getByRole('button', { name: 'Load the page again' }).click();
    await other.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await other.route('**/rest-*.js', (route) => route.abort());
    await other.goto(`${demo.service.url}/dashboard`);
    await other.getByRole('heading', { level: 1, name: /^Hello/ }).waitFor();
    await other.waitForTimeout(500);
    expect(await other.getByRole('heading', { level: 1, name: /^Hello/ }).count()).toBe(1);
  },
);
