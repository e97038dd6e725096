import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { inBothSchemes, openDashboard, scrollTo } from './capture.ts';
import { type LocalMode, root } from './local-mode.ts';
import type { Seeded } from './seed.ts';

const folder = join(root, 'docs/screenshots');
const desktop = { width: 1280, height: 840 };
const phone = { width: 390, height: 720 };

export const takeReadmeScreenshots = async (
  local: LocalMode,
  browser: Browser,
  { serverId, backupId, pullId }: Seeded,
): Promise<string> => {
  await mkdir(folder, { recursive: true });
  const { context, page, open } = await openDashboard(local, browser, { viewport: desktop });
  await open('');
  await takeScreenshots(page, 'overview');
  await open(`/servers/${serverId}/backups/${backupId}`);
  await page.getByRole('button', { name: 'Show what would happen' }).click();
  await scrollTo(page.getByRole('heading', { name: 'Created', exact: true }));
  await takeScreenshots(page, 'preview');
  await open(`/servers/${serverId}/pulls/${pullId}`);
  await takeScreenshots(page, 'pull');
  await open(`/servers/${serverId}/analytics`);
  await takeScreenshots(page, 'analytics');
  await context.close();
  const visitor = await browser.newPage({ viewport: phone });
  await visitor.goto(`${local.url}/verify/${serverId}`);
  await takeScreenshots(visitor, 'verify');
  await visitor.close();
  return folder;
};

const takeScreenshots = (page: Page, name: string): Promise<void> =>
  inBothSchemes(page, (scheme) => page.screenshot({ path: join(folder, `${name}-${scheme}.png`) }));
