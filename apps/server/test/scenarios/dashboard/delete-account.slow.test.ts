import { afterAll, beforeAll, expect } from 'bun:test';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { connectDatabase } from '../../../src/db/connect.ts';
import { inBrowser, newChromium, overflowOf } from '../../harness/browser/chromium.ts';
import { demoOwner, signIn, waitForText } from '../../harness/browser/dashboard.ts';
import { eventually } from '../../harness/eventually.ts';
import { type LocalService, startLocalService } from '../../harness/local-service.ts';
import { credit } from '../../harness/marketplace/fixture.ts';
import { connectSql, stopServices } from '../../harness/running-service.ts';
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

const looks = [360, 1440].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

/** The page must not scroll sideways; where pictures are wanted they are taken. */
const lookAt = async (page: Page, name: string): Promise<void> => {
  const folder = process.env.SCREENSHOT_DIR;
  for (const { width, colorScheme } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await eventually(3000, async () =>
      expect({ name, width, overflow: await overflowOf(page) }).toEqual({
        ...{ name, width, overflow: 0 },
      }),
    );
    if (folder) await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
  }
};

const openDangerZone = async (person: string) => {
  const window = await chromium.openWindow();
  const { page } = window;
  page.setDefaultTimeout(30_000);
  await signIn(page, service, { person, next: '/dashboard/account' });
  const button = page.getByRole('button', { name: 'Delete the account' });
  await button.waitFor();
  await button.scrollIntoViewIfNeeded();
  return { ...window, button, dialog: page.getByRole('dialog') };
};

const usernameOf = async (person: string): Promise<string> => {
  const [row] = await connectSql(service.databaseUrl)`
    select username from accounts where platform_id = ${person}`;
  return row.username;
};

const isDeleted = async (username: string): Promise<boolean> => {
  const rows = await connectSql(
    service.databaseUrl,
  )`select from accounts where username = ${username}`;
  return rows.length === 0;
};

inBrowser('whoever types their own name, and nothing else, deletes their account', async () => {
  const person = randomPlatformId();
  const { page, button, dialog } = await openDangerZone(person);
  const username = await usernameOf(person);
  await lookAt(page, 'danger-zone');
  await button.click();
  const submit = dialog.getByRole('button', { name: 'Delete the account', exact: true });
  const field = dialog.getByLabel(/^Type/);
  for (const wrong of ['', `${username}x`, username.toUpperCase()]) {
    await field.fill(wrong);
    expect(await submit.isDisabled()).toBe(true);
  }
  await lookAt(page, 'dialog');
  await field.fill(username);
  await submit.click();
  await eventually(10_000, async () => expect(await isDeleted(username)).toBe(true));
});

inBrowser('what is still open is named, and the account stays', async () => {
  const db = connectDatabase(service.databaseUrl, { name: 'test', poolSize: 1 });
  const { page, button, dialog } = await openDangerZone(demoOwner);
  const [user] =
    await db.$client`select id, username from accounts where platform_id = ${demoOwner}`;
  await credit({ db, accountId: user.id }, 2500);
  await credit({ db, accountId: user.id }, 700, 'CREDIT');
  await page.reload();
  await button.click();
  await waitForText(page, /credit of \$7\.00/);
  await dialog.getByLabel(/^Type/).fill(user.username);
  await dialog.getByRole('button', { name: 'Delete the account', exact: true }).click();
  await waitForText(page, /Still open: .*\$25\.00 that you have earned/);
  await lookAt(page, 'still-open');
  expect(await isDeleted(user.username)).toBe(false);
  await db.$client.close();
});

inBrowser('with a second factor a wrong code deletes nothing, and a good one does', async () => {
  const person = randomPlatformId();
  const { page, button, dialog } = await openDangerZone(person);
  const username = await usernameOf(person);
  const { origin } = new URL(service.url);
  const ask = (method: string, data: object = {}) =>
    page.request.fetch(`${origin}/dashboard/api/second-factor`, {
      ...{ method, data, headers: { origin } },
    });
  const { secret } = (await (await ask('POST')).json()).data;
  expect((await ask('PUT', { code: new TOTP({ secret }).generate() })).status()).toBe(200);
  const sql = connectSql(service.databaseUrl);
  // As if it had been set up a while ago: the code that did it counts once, and confirmed the session.
  await sql`update second_factors set last_step = 0`;
  await sql`update sessions set confirmed_at = null`;
  await page.reload();
  await button.click();
  await dialog.getByLabel(/^Type/).fill(username);
  const code = dialog.getByLabel(/code/i).first();
  const submit = dialog.getByRole('button', { name: 'Delete the account', exact: true });
  expect(await submit.isDisabled()).toBe(true);
  await code.fill('000000');
  await submit.click();
  await dialog.getByRole('alert').waitFor();
  await lookAt(page, 'wrong-code');
  expect(await isDeleted(username)).toBe(false);
  await code.fill(new TOTP({ secret }).generate());
  await submit.click();
  await eventually(10_000, async () => expect(await isDeleted(username)).toBe(true));
});
