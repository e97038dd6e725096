import { afterAll, beforeAll, expect, setDefaultTimeout } from 'bun:test';
import type { TOTP } from 'otpauth';
import type { Locator, Page } from 'playwright-core';
import {
  expectUsable,
  inBrowser,
  type Look,
  newChromium,
  type Window,
} from '../../harness/browser/chromium.ts';
import { signIn, waitForText } from '../../harness/browser/dashboard.ts';
import { enterCode, setUpSecondFactor } from '../../harness/browser/second-factor.ts';
import { backUp, lose, openDemo } from '../../harness/dashboard/demo-states.ts';
import {
  type Community,
  communityOf,
  settleMembers,
  strike,
} from '../../harness/dashboard/recovery.ts';
import { startLocalService } from '../../harness/local-service.ts';
import { connectSql, stopServices } from '../../harness/running-service.ts';

setDefaultTimeout(240_000);

/** The worst evening of an owner, twice: a server that was wrecked, and then one that is gone. */
const chromium = newChromium();
let demo: Awaited<ReturnType<typeof openDemo>>;
let sql: ReturnType<typeof connectSql>;
let owner: Window;
let page: Page;
let before: Community;
let settled: string[];
let clicks = 0;

beforeAll(async () => {
  demo = await openDemo(await startLocalService());
  // Of the plans this one has no cooldown between pulls.
  sql = connectSql(demo.service.databaseUrl);
  await sql`update accounts set plan = 'ENTERPRISE'`;
  settled = await settleMembers(demo);
  await backUp(demo, 'Before the storm');
  before = await communityOf(demo.service, demo.guildId);
  owner = await chromium.openWindow({ viewport: { width: 1280, height: 900 } });
  ({ page } = owner);
  page.setDefaultTimeout(60_000);
  await signIn(page, demo.service);
  await page.getByRole('heading', { level: 1 }).waitFor();
});
afterAll(async () => {
  await chromium.close();
  await stopServices();
});

const looks: Look[] = process.env.SCREENSHOT_DIR
  ? [360, 1280].flatMap((width) => [
      { colorScheme: 'light', width },
      { colorScheme: 'dark', width },
    ])
  : [
      { colorScheme: 'dark', width: 360 },
      { colorScheme: 'light', width: 1280 },
    ];

const expectFit = async (name: string): Promise<void> => {
  await expectUsable(page, `recover-${name}`, looks);
  await page.setViewportSize({ width: 1280, height: 900 });
  // That a code is asked for is said so.
  const complaints = owner.complaints.filter((line) => !line.includes('status of 403'));
  expect({ name, complaints }).toEqual({ name, complaints: [] });
};

const press = async (target: Locator): Promise<void> => {
  clicks++;
  await target.click();
};
const button = (name: string | RegExp): Locator => page.getByRole('button', { name });

/** From the overview, which is red, to the page that recovers the server. */
const beginFromOverview = async (reason: string | RegExp): Promise<void> => {
  await page.goto(`${demo.service.url}/dashboard`);
  await waitForText(page, reason);
  clicks = 0;
};
const recoverLink = () =>
  page.getByRole('region', { name: 'Needs your attention' }).getByRole('link', { name: 'Recover' });

/** Nothing is kept in the page: it goes on where it was. */
const reload = async (): Promise<void> => {
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Recover' }).waitFor();
};

inBrowser('a server of which nothing was detected can be recovered too', async () => {
  await page.goto(`${demo.service.url}/dashboard/servers/${demo.serverId}`);
  await page.getByRole('main').getByRole('link', { name: 'Recover' }).click();
  await waitForText(page, 'The server is as in the backup');
  await waitForText(page, 'Nobody was lost');
  await expectFit('nothing-to-do');
});

inBrowser(
  'a damaged server is back after a few clicks, with those who were thrown out',
  async () => {
    const expelled = await strike(demo, settled);
    await beginFromOverview('of the last good backup are missing');
    await expectFit('damaged-overview');
    await press(recoverLink());
    await waitForText(page, 'Missing, and created again:');
    await expectFit('plan');
    await reload();
    await press(button('Restore the server'));
    await page.getByRole('progressbar').first().waitFor();
    await reload();
    await waitForText(page, 'The server is restored');
    await reload();
    await waitForText(page, `${expelled.length} members can be brought back`);
    await expectFit('members');
    await press(button(`Bring ${expelled.length} members back`));
    await waitForText(page, `${expelled.length} members came back`);
    await expectFit('done');
    expect(clicks).toBe(3);
    expect(await communityOf(demo.service, demo.guildId)).toEqual(before);
  },
);

inBrowser(
  'a server that is gone is back in a new one, also where a code is asked for',
  async () => {
    const { totp } = await setUpSecondFactor(page, demo.service);
    await sql`update sessions set confirmed_at = null`;
    await lose(demo);
    await beginFromOverview('The server was deleted on the platform');
    await press(recoverLink());
    await waitForText(page, 'Waiting for the bot to be in a new server');
    await expectFit('new-server');
    const opened = page.waitForEvent('popup');
    await press(page.getByRole('link', { name: 'Invite the bot' }));
    const platform = await opened;
    await press(platform.getByRole('button', { name: 'Authorize' }));
    await platform.getByRole('heading', { name: /is in New server now/ }).waitFor();
    await platform.close();
    await page.getByRole('radio', { name: /New server/ }).waitFor();
    await expectFit('new-server-found');
    await press(button('Move there and restore'));
    await confirmByCode(totp);
    await page.getByRole('progressbar').first().waitFor();
    await reload();
    await waitForText(page, 'The server is restored');
    await expectFit('new-server-members');
    await renewConfirmation();
    await press(button(/^Bring \d+ members back$/));
    await reload();
    await waitForText(page, /\d+ members came back/);
    await expectFit('new-server-done');
    expect(clicks).toBe(6);
    await expectSameIn(await newGuildId());
  },
);

/** A code counts once: the one that switched it on does not count again. */
const confirmByCode = async (totp: TOTP): Promise<void> => {
  const code = totp.generate({ timestamp: Date.now() + 30_000 });
  await press(await enterCode(page, code));
};

/** It holds for two minutes, which pass slowly for an owner and fast on a busy machine. */
const renewConfirmation = () => sql`update sessions set confirmed_at = now()`;

const newGuildId = async (): Promise<string> =>
  (await demo.holdfast.getServer({ params: { id: demo.serverId } })).platformGuildId;

/** Everything is there, beside the two channels that the platform makes with a guild. */
const expectSameIn = async (guildId: string): Promise<void> => {
  expect(guildId).not.toBe(demo.guildId);
  const now = await communityOf(demo.service, guildId);
  expect(now.channels).toEqual(expect.arrayContaining(before.channels));
  expect(now.roles).toEqual(before.roles);
  for (const id of settled) expect([id, now.members[id]]).toEqual([id, before.members[id]]);
};
