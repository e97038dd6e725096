// Takes about 60 s: started before shorter ones.
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
import { enterCode, setUpSecondFactor } from '../../harness/browser/second-factor.ts';
import { addAdmin, deleteChannelsAs, raid } from '../../harness/dashboard/attack-demo.ts';
import { backUp, openDemo } from '../../harness/dashboard/demo-states.ts';
import { communityOf } from '../../harness/dashboard/recovery.ts';
import { eventually, patience } from '../../harness/eventually.ts';
import { startLocalService } from '../../harness/local-service.ts';
import { connectSql, stopServices } from '../../harness/running-service.ts';

setDefaultTimeout(240_000);

/** An owner on the worst evening: what is protected, an attack, a false alarm, and two raids. */
const chromium = newChromium();
let demo: Awaited<ReturnType<typeof openDemo>>;
let owner: Window;
let page: Page;
let codes: string[];

beforeAll(async () => {
  demo = await openDemo(await startLocalService());
  await backUp(demo, 'Before the storm');
  owner = await chromium.openWindow({ viewport: { width: 1280, height: 900 } });
  ({ page } = owner);
  page.setDefaultTimeout(60_000 * patience);
  await signIn(page, demo.service);
  await page.getByRole('heading', { level: 1 }).waitFor();
});
afterAll(async () => {
  await chromium.close();
  await stopServices();
});

const looks: Look[] = process.env.SCREENSHOT_DIR
  ? [390, 1280].flatMap((width) => [
      { colorScheme: 'light', width },
      { colorScheme: 'dark', width },
    ])
  : [
      { colorScheme: 'dark', width: 360 },
      { colorScheme: 'light', width: 1280 },
    ];

const expectFit = async (name: string): Promise<void> => {
  await expectUsable(page, `protection-${name}`, looks);
  await page.setViewportSize({ width: 1280, height: 900 });
  // That a code is asked for is said so.
  const complaints = owner.complaints.filter((line) => !line.includes('status of 403'));
  expect({ name, complaints }).toEqual({ name, complaints: [] });
};

const open = async (path: string): Promise<void> => {
  await page.goto(`${demo.service.url}/dashboard/servers/${demo.serverId}${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
};
const press = (name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click();

/** Each recovery code counts once. */
const nextCode = (): string => codes.pop() ?? '';

/** In the dialog that asks before something dangerous is done. */
const confirm = async (label: string): Promise<void> => {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Code of your authenticator').fill(nextCode());
  await dialog.getByRole('button', { name: label, exact: true }).click();
};

/** Somebody who is searched by name or ID; the list shows what was found. */
const trust = async (typed: string, shown: string): Promise<void> => {
  await page.getByRole('combobox', { name: 'Person or bot' }).fill(typed);
  const found = page.getByRole('option', { name: shown });
  await found.or(page.getByText(shown)).first().waitFor();
  if (await found.isVisible()) {
    await found.click();
    await press('Trust');
  }
};

const protectionNow = () => demo.holdfast.getProtection({ params: { id: demo.serverId } });

inBrowser('protection is switched on without a code, and tested', async () => {
  await open('/protection');
  await waitForText(page, 'Protection is off');
  await expectFit('off');
  await press('Turn on');
  await waitForText(page, 'Protection is on, and the bot can act');
  expect(await page.getByLabel('Stop raids').isChecked()).toBe(true);
  await page.getByLabel('Delay before protection can be lowered').fill('60');
  await press('Save');
  await waitForText(page, 'The settings were saved');
  await press('Start a fire drill');
  await press('Test protection');
  await waitForText(page, 'Passed: the bot can do everything that protection needs.');
  await expectFit('tested');
});

inBrowser('a weakening asks for the code, waits, and is taken back', async () => {
  ({ recoveryCodes: codes } = await setUpSecondFactor(page, demo.service));
  await connectSql(demo.service.databaseUrl)`update sessions set confirmed_at = null`;
  await open('/protection');
  await press('Thresholds');
  const bans = page.getByLabel('Members banned: how many');
  await bans.fill('999');
  expect(await bans.inputValue()).toBe('5');
  await bans.fill('20');
  await trust('nobody of that name', 'No verified member of that name');
  await trust('845678901234567890', 'ID 845678901234567890');
  await waitForText(page, 'This weakens protection');
  await expectFit('weakening');
  await press('Save');
  await (await enterCode(page, nextCode())).click();
  await waitForText(page, '2 weakenings wait to take effect');
  await expectFit('pending');
  expect(await protectionNow()).toMatchObject({
    ...{ trusted: [], thresholds: { bans: { count: 5 } } },
    pending: [expect.anything(), expect.anything()],
  });
  await press('Keep as it is: Members banned');
  await waitForText(page, '1 weakening waits to take effect');
  await press('Keep as it is: Trusted people and bots');
  await page.getByText('to take effect').waitFor({ state: 'detached' });
  expect(await protectionNow()).toMatchObject({ pending: [], trusted: [] });
});

inBrowser('an attack appears while the page is open, is repaired, and roles go back', async () => {
  const before = await communityOf(demo.service, demo.guildId);
  const attacker = await addAdmin(demo, 'stowaway');
  await open('/incidents');
  await waitForText(page, 'No incidents');
  await expectFit('no-incidents');
  const lost = await deleteChannelsAs(demo, attacker.personId);
  await page.getByRole('link', { name: 'Attack by stowaway' }).click();
  await page.getByText('You were alerted').waitFor();
  await waitForText(page, `deleted ${lost} channels`);
  await expectFit('contained');
  await page.getByRole('button', { name: 'Show each' }).first().click();
  await page.waitForURL(new RegExp(`by=${attacker.personId}&act=channelDeleted`));
  await press('Show what a repair would do');
  await page.getByRole('button', { name: 'Repair', exact: true }).click();
  await confirm('Repair');
  await page.getByRole('heading', { level: 1, name: /Repair|Restore/ }).waitFor();
  await page.goBack();
  await waitForText(page, 'What the attackers did is undone');
  await expectFit('repaired');
  const { channels } = await communityOf(demo.service, demo.guildId);
  expect(channels).toEqual(before.channels);
  expect(await attacker.hasRole()).toBe(false);
  await press('Give roles back');
  await confirm('Give them back');
  await waitForText(page, /^Given back/);
  expect(await attacker.hasRole()).toBe(true);
});

inBrowser('honest work that was stopped is dismissed', async () => {
  const honest = await addAdmin(demo, 'gardener');
  const lost = await deleteChannelsAs(demo, honest.personId);
  expect(lost).toBeGreaterThan(0);
  await open('');
  await page.getByRole('link', { name: 'Look and repair' }).click();
  await page.getByText('You were alerted').waitFor();
  expect(await honest.hasRole()).toBe(false);
  await press('Dismiss as honest');
  await confirm('Dismiss it');
  await waitForText(page, 'It was declared honest work');
  await eventually(20_000, async () => expect(await honest.hasRole()).toBe(true));
  await waitForText(page, /^Given back/);
  await expectFit('dismissed');
});

inBrowser('a raid is decided about once: all are let in, or all are banned', async () => {
  const bannedBefore = await countBans();
  await raid(demo, 25);
  await open('/incidents');
  await page.getByRole('link', { name: 'Raid' }).click();
  await waitForText(page, 'raider_1024');
  await expectFit('raid');
  await press('Let 25 in');
  await confirm('Let 25 in');
  await waitForText(page, 'The newcomers were let in');
  expect(await page.getByRole('button', { name: /^Ban / }).count()).toBe(0);

  await raid(demo, 60);
  await open('/incidents');
  const raids = page.getByRole('link', { name: 'Raid' });
  // The newest is the first, once it is there.
  await raids.nth(1).waitFor();
  await raids.first().click();
  await press('Ban 60');
  await confirm('Ban 60');
  await waitForText(page, '60 newcomers were banned.');
  expect(await page.getByRole('button', { name: /^Let / }).count()).toBe(0);
  await expectFit('raid-banned');
  expect(await countBans()).toBe(bannedBefore + 60);
});

const countBans = async (): Promise<number> =>
  (await demo.service.control('GET', `/guilds/${demo.guildId}`)).bans.length;

inBrowser('a fire drill tells what would be lost, also on the page of the server', async () => {
  await open('/protection');
  await waitForText(page, 'Repaired after');
  await expectFit('drilled');
  await open('');
  const card = page.getByRole('region', { name: 'Last fire drill' });
  await card.getByText('Stopped after').waitFor();
  await expectFit('server-with-drill');
});
