import type { Browser, Locator, Page } from 'playwright-core';
import type { LocalMode } from './local-mode.ts';

export type Scheme = 'light' | 'dark';
export type Box = { x: number; y: number; width: number; height: number };

/** For pages that show pictures at half their width or less: text stays sharp, files stay small. */
export const pixelRatio = 1.5;

/** Hands the page over in both colour schemes, when nothing moves any more. */
export const inBothSchemes = async (
  page: Page,
  capture: (scheme: Scheme) => Promise<unknown>,
): Promise<void> => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForTimeout(1000);
    await capture(colorScheme);
  }
};

/** What opens a page of the dashboard, and waits for what it shows. */
export const openerOf =
  ({ url }: LocalMode, page: Page) =>
  async (path: string): Promise<void> => {
    await page.goto(`${url}/dashboard${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  };

/** A window in which somebody is signed in: the demo's owner, unless another person is named. */
export const openDashboard = async (
  local: LocalMode,
  browser: Browser,
  options: { viewport: { width: number; height: number }; deviceScaleFactor?: number },
  person?: string,
) => {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(`${local.url}/login?next=/dashboard`);
  if (person) await page.getByLabel("Another user's id").fill(person);
  await page.getByRole('button', { name: 'Authorize' }).click();
  await page.waitForURL(/\/dashboard/);
  return { context, page, open: openerOf(local, page) };
};

/** Puts what a page shows from this element on at its top, below the header that stays. */
export const scrollTo = (place: Locator): Promise<void> =>
  place.evaluate((element, top) => scrollBy(0, element.getBoundingClientRect().top - top), 84);

/** Chromium encodes it, in a window of its own: the dashboard's policy forbids it there. */
export const toWebp = async (browser: Browser, png: Buffer): Promise<Buffer> => {
  const blank = await browser.newPage();
  const url = await blank.evaluate(
    async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      canvas.getContext('2d')?.drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', 0.82);
    },
    `data:image/png;base64,${png.toString('base64')}`,
  );
  await blank.close();
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
};
