// Takes about 70 s: started before shorter ones.
import { afterAll, beforeAll, expect, setDefaultTimeout } from 'bun:test';
import { scopes } from '@holdfast/contract';
import type { Page } from 'playwright-core';
import {
  expectUsable,
  hostileNames,
  inBrowser,
  type Look,
  newChromium,
  overflowOf,
} from '../../harness/browser/chromium.ts';
import { foreignOriginsOf, signIn } from '../../harness/browser/dashboard.ts';
import { type FilledDemo, fillDemo } from '../../harness/dashboard/demo-content.ts';
import { storeDemoIncidents } from '../../harness/dashboard/demo-incidents.ts';
import { askForKey } from '../../harness/device-login.ts';
import { eventually } from '../../harness/eventually.ts';
import { type LocalService, startLocalService } from '../../harness/local-service.ts';
import { stopServices } from '../../harness/running-service.ts';

setDefaultTimeout(360_000);

const chromium = newChromium();
let service: LocalService;
let demo: FilledDemo & Awaited<ReturnType<typeof storeDemoIncidents>> & { userCode: string };

/** Every name that somebody can choose is one that does harm where a page trusts it. */
beforeAll(async () => {
  service = await startLocalService();
  const name = hostileNames['an end to every element'];
  const filled = await fillDemo(service, name);
  const { serverId } = filled;
  const trusted = [{ platformId: '845678901234567890', note: name }];
  await filled.holdfast.updateProtection({ params: { id: serverId }, body: { trusted } });
  const incidents = await storeDemoIncidents(service, { serverId, name });
  demo = {
    ...filled,
    ...incidents,
    userCode: await askForKey(service.url, {
      ...{ device_name: name.slice(0, 64), scope: scopes.join(' ') },
    }),
  };
});
afterAll(async () => {
  await chromium.close();
  await stopServices();
});

/** Each page light and dark, on a phone and on a desk; with pictures wanted, every combination. */
const looks: Look[] = process.env.SCREENSHOT_DIR
  ? [360, 768, 1440].flatMap((width) => [
      { colorScheme: 'light', width },
      { colorScheme: 'dark', width },
    ])
  : [
      { colorScheme: 'light', width: 360 },
      { colorScheme: 'dark', width: 1440 },
    ];

/** Charts follow the width of the window a moment later. */
const expectToFit = async (page: Page, path: string, width: number): Promise<void> => {
  await page.setViewportSize({ width, height: 900 });
  await eventually(3000, async () =>
    expect({ path, width, overflow: await overflowOf(page) }).toEqual({ path, width, overflow: 0 }),
  );
};

const pagesOf = ({
  serverId,
  backupId,
  restoreId,
  pullId,
  orderId,
  listingId,
  sellerId,
  panelId,
  userCode,
  ...incidents
}: typeof demo) => [
  '',
  '/servers',
  '/servers/new',
  `/servers/${serverId}`,
  `/servers/${serverId}/settings`,
  `/servers/${serverId}/members`,
  `/servers/${serverId}/panels`,
  `/servers/${serverId}/verify-page`,
  `/servers/${serverId}/panels/new`,
  `/servers/${serverId}/panels/${panelId}`,
  `/servers/${serverId}/backups`,
  `/servers/${serverId}/backups/${backupId}`,
  `/servers/${serverId}/backups/${backupId}?tab=contents`,
  `/servers/${serverId}/backups/${backupId}?tab=compare`,
  `/servers/${serverId}/restores/${restoreId}`,
  `/servers/${serverId}/recover`,
  `/servers/${serverId}/recover?after=${restoreId}`,
  `/servers/${serverId}/pulls`,
  `/servers/${serverId}/pulls/${pullId}`,
  `/servers/${serverId}/protection`,
  `/servers/${serverId}/incidents`,
  `/servers/${serverId}/incidents/${incidents.attackId}`,
  `/servers/${serverId}/incidents/${incidents.raidId}`,
  `/servers/${serverId}/firewall`,
  `/servers/${serverId}/whitelist`,
  `/servers/${serverId}/appeals`,
  `/servers/${serverId}/analytics`,
  '/bots',
  '/blacklist',
  '/marketplace',
  '/marketplace?search=nothing+has+these+words',
  `/marketplace/listings/${listingId}`,
  `/marketplace/sellers/${sellerId}`,
  '/marketplace/selling',
  '/marketplace/orders',
  `/marketplace/orders/${orderId}`,
  '/alerts',
  '/alerts/settings',
  '/api-keys',
  '/device',
  `/device?code=${userCode}`,
  '/billing',
  '/audit',
  '/account',
  '/nowhere',
];

inBrowser(
  'every page is fit for everybody, runs nothing it was told, and asks nobody else',
  async () => {
    const window = await chromium.openWindow({ viewport: { width: 1440, height: 900 } });
    const { page, complaints } = window;
    await signIn(page, service);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const strangers = foreignOriginsOf(window, [service.url]);
    for (const path of pagesOf(demo)) {
      await page.goto(`${service.url}/dashboard${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      const name = `dashboard${path.replaceAll(/[/]|[0-9a-f-]{36}/g, '-')}`;
      await expectUsable(page, name, looks);
      for (const width of [768, 360]) await expectToFit(page, path, width);
      expect({ path, complaints, strangers }).toEqual({ path, complaints: [], strangers: [] });
    }
    await window.close();
  },
);

inBrowser('the keyboard leads past the navigation, and by name to every page', async () => {
  const { page, complaints, close } = await chromium.openWindow({
    viewport: { width: 1440, height: 900 },
  });
  await signIn(page, service);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate<string>('document.activeElement.id')).toBe('content');
  const goTo = async (words: string, heading: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Go to a page or a server' }).fill(words);
    await expectUsable(page, `palette-${words}`, [{ colorScheme: 'dark', width: 1440 }]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  };
  await goTo('bill', 'Billing');
  await page.goto(`${service.url}/dashboard/servers/${demo.serverId}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await goTo('verify page', 'Verify page');
  await page.getByRole('link', { name: 'Holdfast', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

/** What moved while the page was built, as browsers score it: 0.1 is where it begins to disturb. */
const layoutShiftOf = (page: Page): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) sum += value;
    }).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(sum), 300);
  })`);

inBrowser('the pages for everybody are fit for everybody, and lead an owner on', async () => {
  const window = await chromium.openWindow({ viewport: { width: 1440, height: 900 } });
  const { page, complaints } = window;
  const strangers = foreignOriginsOf(window, [service.url]);
  for (const path of ['/', '/docs', '/me', '/nowhere']) {
    await page.goto(`${service.url}${path}`);
    expect({ path, isSteady: (await layoutShiftOf(page)) < 0.05 }).toEqual({
      path,
      isSteady: true,
    });
    await expectUsable(page, `everybody${path.replaceAll('/', '-')}`, looks);
    for (const width of [768, 390, 360]) await expectToFit(page, path, width);
    expect({ path, complaints, strangers }).toEqual({ path, complaints: [], strangers: [] });
  }
  await page.getByRole('link', { name: 'Start page' }).click();
  await page.getByRole('link', { name: 'Sign in', exact: true }).first().click();
  await page.getByRole('button', { name: 'Authorize' }).click();
  await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor();
  await page.goto(service.url);
  await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/dashboard');
  await window.close();
});
