import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { inBothSchemes, openDashboard, pixelRatio, scrollTo, toWebp } from './capture.ts';
import { type LocalMode, root } from './local-mode.ts';
import type { Seeded } from './seed.ts';

const folder = join(root, 'apps/server/src/http/landing/pictures');
/** A picture fills half of a wide window: without the navigation. */
const half = { width: 880, height: 696 };
const headerHeight = 56;

export const takeLandingPictures = async (
  local: LocalMode,
  browser: Browser,
  { serverId, backupId, pullId }: Seeded,
): Promise<string> => {
  const { context, page, open } = await openDashboard(local, browser, {
    ...{ viewport: half, deviceScaleFactor: pixelRatio },
  });
  await open(`/servers/${serverId}/backups/${backupId}`);
  await page.getByRole('button', { name: 'Show what would happen' }).click();
  await scrollTo(page.getByRole('heading', { name: 'Created', exact: true }));
  await takePicture(browser, page, { name: 'preview' });
  await open(`/servers/${serverId}/pulls/${pullId}`);
  await takePicture(browser, page, { name: 'pull' });
  await open(`/servers/${serverId}/protection`);
  await scrollTo(page.getByRole('heading', { name: 'What is stopped' }));
  await takePicture(browser, page, { name: 'protection' });
  await page.goto(`${local.url}/verify/${serverId}`);
  await takePicture(browser, page, { name: 'verify', top: 0 });
  await context.close();
  return folder;
};

const takePicture = (
  browser: Browser,
  page: Page,
  { name, top = headerHeight }: { name: string; top?: number },
): Promise<void> =>
  inBothSchemes(page, async (scheme) => {
    const clip = { ...half, x: 0, y: top, height: half.height - headerHeight };
    const webp = await toWebp(browser, await page.screenshot({ clip }));
    await Bun.write(join(folder, `${name}-${scheme}.webp`), webp);
  });
