import { chromium } from 'playwright-core';
import { takeGuidePictures } from './guides.ts';
import { takeLandingPictures } from './landing.ts';
import { startLocalMode } from './local-mode.ts';
import { takeReadmeScreenshots } from './readme.ts';
import { seed } from './seed.ts';

/**
 * Makes the pictures of the guides from local mode, as a new owner sees it, and those of the README and of the
 * landing page after the demo community was wrecked.
 */
const local = await startLocalMode();
try {
  const browser = await chromium.launch({
    executablePath: Bun.which('chromium') ?? '',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  const folders = [await takeGuidePictures(local, browser)];
  const seeded = await seed(local, browser);
  folders.push(await takeReadmeScreenshots(local, browser, seeded));
  folders.push(await takeLandingPictures(local, browser, seeded));
  await browser.close();
  process.stdout.write(`The pictures are in:\n${folders.join('\n')}\n`);
} finally {
  await local.stop();
}
