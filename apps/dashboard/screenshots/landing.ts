import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { type Box, inBothSchemes, openDashboard, pixelRatio, toWebp } from './capture.ts';
import { type LocalMode, root } from './local-mode.ts';
import type { Seeded } from './seed.ts';

const folder = join(root, 'apps/server/src/http/landing/pictures');
/** A picture fills half of a wide window: without the navigation. */
const half = { width: 880, height: 696 };
/** One card fills the picture, so that its text can be read on a phone. */
const card = { width: 640, height: 3000 };
const visitor = { width: 660, height: 720 };
const headerHeight = 56;
const margin = 24;

export const takeLandingPictures = async (
  local: LocalMode,
  browser: Browser,
  { serverId, backupId, pullId }: Seeded,
): Promise<string> => {
  const { context, page, open } = await openDashboard(local, browser, {
    ...{ viewport: half, deviceScaleFactor: pixelRatio },
  });
  await open(`/servers/${serverId}/pulls/${pullId}`);
  const results = await insideOf(cardOf(page, 'Results'));
  const height = results.y + results.height + margin - headerHeight;
  await takePicture(browser, page, 'pull', { ...half, x: 0, y: headerHeight, height });
  await page.setViewportSize(card);
  await open(`/servers/${serverId}/backups/${backupId}`);
  await page.getByRole('button', { name: 'Show what would happen' }).click();
  const created = cardOf(page, 'Created');
  await created.getByRole('button', { name: /Channels and categories/ }).click();
  // What the mouse is over looks chosen.
  await page.mouse.move(0, 0);
  await takePicture(browser, page, 'preview', await insideOf(created));
  await open(`/servers/${serverId}/protection`);
  await takePicture(browser, page, 'protection', await insideOf(cardOf(page, 'What is stopped')));
  await page.setViewportSize(visitor);
  await page.goto(`${local.url}/verify/${serverId}`);
  await takePicture(browser, page, 'verify', { ...visitor, x: 0, y: 0 });
  await context.close();
  return folder;
};

/** The innermost card around this heading. */
const cardOf = (page: Page, heading: string): Locator =>
  page
    .locator('.mantine-Paper-root')
    .filter({ has: page.getByRole('heading', { name: heading, exact: true }) })
    .last();

/** Without its frame: the landing page has one of its own. */
const insideOf = async (part: Locator): Promise<Box> => {
  await part.page().waitForTimeout(1000);
  const box = await part.boundingBox();
  if (!box) throw new Error('What the picture should show is not on the page');
  const [x, y] = [Math.ceil(box.x) + 1, Math.ceil(box.y) + 1];
  const [right, bottom] = [box.x + box.width, box.y + box.height].map((end) => Math.floor(end) - 1);
  return { x, y, width: (right ?? x) - x, height: (bottom ?? y) - y };
};

const takePicture = (browser: Browser, page: Page, name: string, clip: Box): Promise<void> =>
  inBothSchemes(page, async (scheme) => {
    const webp = await toWebp(browser, await page.screenshot({ clip }));
    await Bun.write(join(folder, `${name}-${scheme}.webp`), webp);
  });
