import { join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { type Box, inBothSchemes, openDashboard, pixelRatio, toWebp } from './capture.ts';
import { type LocalMode, root } from './local-mode.ts';

const folder = join(root, 'docs/guides/pictures');
/** As wide as a guide shows it; high enough that no page has to be scrolled. */
const column = { width: 780, height: 2000 };
/** Where a form and its preview stand side by side. */
const wide = { width: 1210, height: 1000 };
const phone = { width: 390, height: 720 };
const margin = 16;
const newOwner = '715928847299117001';
const guild = { id: '198622483471925248', name: 'Lantern Bay' };

/** The pictures follow a new owner from the bot to the first backup. */
export const takeGuidePictures = async (local: LocalMode, browser: Browser): Promise<string> => {
  const sharp = { viewport: column, deviceScaleFactor: pixelRatio };
  const { context, page, open } = await openDashboard(local, browser, sharp, newOwner);
  const take = pictureTaker(browser, page);
  const { token, secret } = await makeApplication(local, context);

  await open('/servers/new');
  await addBot(page, token, secret);
  await take('bot', [step(page, 'The bot')]);
  await page.getByRole('button', { name: 'Add this bot' }).click();
  await page.getByRole('link', { name: 'Invite the bot to a server' }).waitFor();
  await take('invite', [step(page, 'The server')]);
  await inviteBot(local, context, page);
  await take('server', [step(page, 'The server')]);
  await page.getByRole('button', { name: 'Add the server' }).click();
  await page.waitForURL(/\/servers\/[0-9a-f-]{36}$/);
  const serverId = page.url().slice(page.url().lastIndexOf('/') + 1);

  await open('');
  await take('checklist', [section(page, /^Set up/)]);
  await open(`/servers/${serverId}/panels/new`);
  await page.setViewportSize(wide);
  await choose(page, 'Channel', /welcome|general/);
  await take('panel', [section(page, 'The message'), section(page, 'Preview')]);
  await page.getByRole('button', { name: 'Post it' }).click();
  await page.getByText('Posted').first().waitFor();
  await page.setViewportSize(column);
  await takeVerifyPage(local, browser, serverId);

  await open('');
  await page.getByRole('button', { name: 'Back up daily' }).click();
  await page.getByRole('button', { name: 'Back up now' }).click();
  await open(`/servers/${serverId}/backups`);
  await waitForTestRestores(section(page, 'All backups'));
  await take('backup', [page.getByRole('heading', { level: 1 }), section(page, 'All backups')]);
  await open(`/servers/${serverId}/members/verify`);
  await take('existing-members', [
    ...[page.getByRole('heading', { level: 1 }), section(page, 'Who gets the role')],
  ]);
  await open('/billing');
  await page.getByRole('button', { name: 'Choose Premium' }).click();
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await page.getByText('the plan is active').waitFor();
  await open('/billing');
  await take('billing', [section(page, /^Your plan/)]);
  await context.close();
  return folder;
};

/** Of the backup made by hand and of the first one that the schedule makes. */
const waitForTestRestores = async (backups: Locator): Promise<void> => {
  await backups.getByText('Passed').nth(1).waitFor({ timeout: 180_000 });
  await backups.getByText('Not yet').first().waitFor({ state: 'detached', timeout: 60_000 });
};

/** At the simulator's developer portal, as the guide describes it. */
const makeApplication = async (local: LocalMode, context: BrowserContext) => {
  const portal = await context.newPage();
  await portal.goto(`${local.simulatorUrl}/developers/applications`);
  await portal.getByLabel('Name of the new application').fill('Lantern Keeper');
  await portal.getByRole('button', { name: 'Create the application' }).click();
  await portal.getByLabel('Redirects').fill(`${local.url}/verify/callback`);
  await portal.getByRole('button', { name: 'Add the redirect' }).click();
  await portal.getByRole('button', { name: 'Reset Token' }).click();
  const token = await portal.locator('#token').innerText();
  await portal.getByRole('button', { name: 'Reset Secret' }).click();
  const secret = await portal.locator('#secret').innerText();
  await portal.close();
  return { token, secret };
};

const addBot = async (page: Page, token: string, secret: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Bot token' }).fill(token);
  await page.getByRole('button', { name: 'Find the bot' }).click();
  await page.getByText('The redirect is registered').waitFor();
  await page.getByRole('textbox', { name: 'Client secret' }).fill(secret);
};

const inviteBot = async (
  { simulatorUrl }: LocalMode,
  context: BrowserContext,
  page: Page,
): Promise<void> => {
  const link = page.getByRole('link', { name: 'Invite the bot to a server' });
  const platform = await context.newPage();
  await platform.goto((await link.getAttribute('href')) ?? '');
  await platform.getByLabel("Another server's id").fill(guild.id);
  await platform.getByRole('button', { name: 'Authorize' }).click();
  await fetch(`${simulatorUrl}/api/v10/guilds/${guild.id}`, {
    method: 'PATCH',
    headers: { authorization: 'Bot anyone', 'content-type': 'application/json' },
    body: JSON.stringify({ name: guild.name }),
  });
  await platform.close();
  await page.getByText(guild.name).first().waitFor();
};

const takeVerifyPage = async ({ url }: LocalMode, browser: Browser, serverId: string) => {
  const visitor = await browser.newPage({ viewport: phone, deviceScaleFactor: pixelRatio });
  await visitor.goto(`${url}/verify/${serverId}`);
  await pictureTaker(browser, visitor)('verify', [visitor.locator('html')], 0);
  await visitor.close();
};

const section = (page: Page, name: string | RegExp): Locator => page.getByRole('region', { name });
const step = (page: Page, name: string): Locator => section(page, new RegExp(`${name}$`));

const choose = async (page: Page, label: string, option: RegExp): Promise<void> => {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option }).first().click();
};

/** A picture of these parts of the page, and of what lies between them. */
const pictureTaker =
  (browser: Browser, page: Page) =>
  async (name: string, parts: Locator[], around = margin): Promise<void> => {
    await page.locator('.mantine-Notification-root').first().waitFor({ state: 'detached' });
    // The browser's own fields differ by a pixel between the schemes; the pictures must not.
    const clip = await boxAround(parts, around);
    await inBothSchemes(page, async (scheme) => {
      const webp = await toWebp(browser, await page.screenshot({ clip }));
      await Bun.write(join(folder, `${name}-${scheme}.webp`), webp);
    });
  };

const boxAround = async (parts: Locator[], around: number): Promise<Box> => {
  const found = await Promise.all(parts.map((part) => part.boundingBox()));
  const boxes = found.filter((box) => box !== null);
  const x = Math.min(...boxes.map((box) => box.x)) - around;
  const y = Math.min(...boxes.map((box) => box.y)) - around;
  const right = Math.max(...boxes.map((box) => box.x + box.width)) + around;
  const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + around;
  return { x, y, width: right - x, height: bottom - y };
};
