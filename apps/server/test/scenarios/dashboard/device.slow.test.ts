import { afterAll, beforeAll, expect } from 'bun:test';
import { createHoldfast, logInByDevice } from '@holdfast/sdk';
import type { Page } from 'playwright-core';
import {
  inBrowser,
  newChromium,
  type Window,
  waitForHeading,
} from '../../harness/browser/chromium.ts';
import { signIn, waitForText } from '../../harness/browser/dashboard.ts';
import { askForKey } from '../../harness/device-login.ts';
import { type LocalService, startLocalService } from '../../harness/local-service.ts';
import { stopServices } from '../../harness/running-service.ts';

const chromium = newChromium();
let service: LocalService;
let owner: Window;
let page: Page;
beforeAll(async () => {
  service = await startLocalService();
  owner = await chromium.openWindow({ viewport: { width: 1280, height: 900 } });
  page = owner.page;
  await signIn(page, service);
  await waitForHeading(page, 'Hello, Amber Otter');
});
afterAll(async () => {
  await chromium.close();
  await stopServices();
});

const open = async (path: string): Promise<void> => {
  await page.goto(`${service.url}/dashboard${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
};
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

inBrowser('a program shows its code and gets the key that the owner approves for it', async () => {
  let approved: Promise<void> | undefined;
  const approve = async (link: string) => {
    await page.goto(link);
    await waitForText(page, 'Approve only what you have started yourself');
    await page.getByRole('checkbox', { name: 'backups:restore' }).uncheck();
    await page.getByText('7 days').click();
    await press('Approve');
    await waitForText(page, 'You can close this page.');
  };
  const { key, scopes } = await logInByDevice({
    baseUrl: service.url,
    name: 'quay-laptop',
    scopes: ['servers:read', 'backups:restore'],
    onCode: ({ verificationUrlComplete }) => {
      approved = approve(verificationUrlComplete);
    },
  });
  await approved;
  expect(scopes).toEqual(['servers:read']);
  const { data } = await createHoldfast({ baseUrl: service.url, key }).listServers();
  expect(data).toBeArray();
  await open('/api-keys');
  await waitForText(page, 'CLI on quay-laptop');
});

inBrowser('what was decided about one code is not said of another', async () => {
  const [denied, waiting] = [await askForKey(service.url), await askForKey(service.url)];
  const enter = async (code: string) => {
    await page.getByRole('textbox', { name: 'Code' }).fill(code);
    await press('Continue');
    await waitForText(page, 'Approve only what you have started yourself');
  };
  const isVerdictShown = () => page.getByText('Denied. You can close this page.').isVisible();
  await open('/device');
  await enter(denied.toLowerCase().replace('-', ' '));
  await press('Deny');
  await waitForText(page, 'Denied. You can close this page.');
  await page.goBack();
  await enter(waiting);
  expect(await isVerdictShown()).toBe(false);
  await page.getByText(waiting, { exact: true }).waitFor();
  await press('Deny');
  await waitForText(page, 'Denied. You can close this page.');
  await page.reload();
  await waitForText(page, 'This code was used already');
  // That the code was used was said so.
  expect(owner.complaints.filter((line) => !line.includes('status of 409'))).toEqual([]);
});
