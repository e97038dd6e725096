// Takes about 65 s: started before shorter ones.
import { afterAll, beforeAll, expect } from 'bun:test';
import { eventsPath } from '@holdfast/contract';
import type { Page } from 'playwright-core';
import { inBrowser, newChromium } from '../../harness/browser/chromium.ts';
import { signIn, waitForText } from '../../harness/browser/dashboard.ts';
import { openDemo } from '../../harness/dashboard/demo-states.ts';
import { eventually, patience } from '../../harness/eventually.ts';
import { startLocalService } from '../../harness/local-service.ts';
import { stopServices } from '../../harness/running-service.ts';

const chromium = newChromium();
let demo: Awaited<ReturnType<typeof openDemo>>;

beforeAll(async () => {
  demo = await openDemo(await startLocalService());
});
afterAll(async () => {
  await chromium.close();
  await stopServices();
});

/** Longer than the list of backups waits between two reads where it is polled. */
const quietMs = 11_000;

/** A window of a person who is signed in, on the list of backups. */
const openBackups = async (prepare: (page: Page) => Promise<unknown> = async () => undefined) => {
  const { page } = await chromium.openWindow({ viewport: { width: 1280, height: 900 } });
  await prepare(page);
  const reads: string[] = [];
  let streams = 0;
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname === eventsPath) streams++;
    else if (pathname.startsWith('/dashboard/api/')) reads.push(pathname);
  });
  await signIn(page, demo.service, { next: `/dashboard/servers/${demo.serverId}/backups` });
  await page.getByRole('heading', { level: 1, name: 'Backups' }).waitFor();
  return { page, reads, streams: () => streams };
};

/** A backup of somebody else, such as a script with a key. */
const createBackup = (name: string) =>
  demo.holdfast.createBackup({ params: { id: demo.serverId }, body: { name } });

/** The row of that backup once it is completed. */
const waitForCompleted = async (page: Page, name: string) => {
  await waitForText(page, name);
  const row = page.getByRole('row').filter({ hasText: name });
  await row.getByRole('link', { name: /^Restore from/ }).waitFor({ timeout: 30_000 });
};

const listPath = () => `/dashboard/api/servers/${demo.serverId}/backups`;

/** While nothing changes, the list is not read: soon there is a while without a reading. */
const expectNoPolling = (page: Page, reads: string[]) =>
  eventually(20_000, async () => {
    reads.splice(0);
    await page.waitForTimeout(quietMs);
    expect(reads).not.toContain(listPath());
  });

inBrowser('a page shows what others change without asking again and again', async () => {
  const { page, reads, streams } = await openBackups();
  await eventually(10_000, () => expect(streams()).toBe(1));
  await expectNoPolling(page, reads);
  await createBackup('Told by the stream');
  await page
    .getByText('Told by the stream')
    .first()
    .waitFor({ timeout: 5000 * patience });
  await waitForCompleted(page, 'Told by the stream');
  expect(reads).toContain(listPath());
  expect(streams()).toBe(1);
});

inBrowser('a page whose stream is refused polls, until it has one again', async () => {
  // Pages try again after 5, 10 and 20 seconds.
  const refusals = 3;
  const refuse = (page: Page) =>
    page.route(`**${eventsPath}`, (route) => route.fulfill({ status: 503, body: '{}' }), {
      times: refusals,
    });
  const { page, reads, streams } = await openBackups(refuse);
  await createBackup('Found by polling');
  await waitForCompleted(page, 'Found by polling');
  expect(streams()).toBeLessThanOrEqual(refusals);

  await eventually(60_000, () => expect(streams()).toBe(refusals + 1));
  await expectNoPolling(page, reads);
});
