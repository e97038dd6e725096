import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHoldfast, type Holdfast } from '@holdfast/sdk';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';

/**
 * Makes the screenshots of the README and of the landing page from local mode, after the demo community
 * was wrecked.
 */
const root = join(import.meta.dir, '../..');
const outputFolder = join(root, 'docs/screenshots');
const landingFolder = join(root, 'apps/server/src/http/landing/pictures');
const desktop = { width: 1280, height: 840 };
const phone = { width: 390, height: 720 };
/** For the landing page, where a picture fills half of a wide window: without the navigation. */
const half = { width: 880, height: 696 };
const headerHeight = 56;
const newcomers = 9;

type LocalMode = { url: string; simulatorUrl: string; holdfast: Holdfast; stop(): Promise<void> };

const startLocalMode = async (): Promise<LocalMode> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-screenshots-'));
  // PostgreSQL runs as another user, who must be able to enter the folder.
  await chmod(folder, 0o711);
  const log = join(folder, 'service.log');
  const service = Bun.spawn(['bun', '--no-env-file', join(root, 'apps/server/src/main/start.ts')], {
    env: {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: folder },
      ...{ PORT: await freePort(), SIMULATOR_PORT: '0' },
    },
    stdout: Bun.file(log),
    stderr: 'inherit',
  });
  const output = await readUntil(log, '"msg":"listening"');
  const find = (pattern: RegExp): string => pattern.exec(output)?.[1] ?? '';
  const url = find(/Service +(\S+)/);
  return {
    url,
    simulatorUrl: find(/Platform simulator +(\S+)/),
    holdfast: createHoldfast({ baseUrl: url, key: find(/Bearer (holdfast_\w+)/) }),
    async stop() {
      service.kill('SIGTERM');
      await service.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const freePort = async (): Promise<string> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(typeof address === 'object' && address ? address.port : 0);
};

const readUntil = async (log: string, end: string): Promise<string> => {
  for (let waited = 0; waited < 1200; waited++) {
    const read = await Bun.file(log).text();
    if (read.includes(end)) return read;
    await Bun.sleep(100);
  }
  throw new Error(`The service did not start:\n${await Bun.file(log).text()}`);
};

/** Creates what the pages show: newcomers, a good backup, a pull and deleted channels. */
const seed = async ({ holdfast, simulatorUrl, url }: LocalMode, browser: Browser) => {
  const [server] = (await holdfast.listServers()).data;
  if (!server) throw new Error('The demo has no server');
  const params = { id: server.id };
  await fetch(`${simulatorUrl}/__sim/limits`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ default: { limit: 1000, perMs: 1000 } }),
  });
  await holdfast.updateServer({
    params,
    body: { captchaType: 'NONE', firewallEnabled: true, backupSchedule: { everyHours: 24 } },
  });
  await holdfast.updateProtection({
    ...{ params, body: { antiNukeEnabled: true, antiRaidEnabled: true } },
  });
  for (let person = 0; person < newcomers; person++) await visit(browser, url, server.id, person);
  await holdfast.updateServer({ params, body: { captchaType: 'POW' } });
  const begun = await holdfast.createBackup({ params, body: { name: 'Before the storm' } });
  const backup = await holdfast.waitForBackup(begun);
  const pull = await holdfast.waitForPull(await holdfast.createPull({ params }));
  await waitForTestRestore(holdfast, backup);
  await wreck(simulatorUrl, server.platformGuildId);
  return { serverId: server.id, backupId: backup.id, pullId: pull.id };
};

/** Two of three verify, the others only open the page. */
const visit = async (browser: Browser, url: string, serverId: string, person: number) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/verify/${serverId}`);
  if (person % 3 !== 2) {
    await page.getByRole('button', { name: 'Verify me' }).click();
    await page.getByLabel('Or as the user with this id').fill(`7159288472991170${10 + person}`);
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.waitForURL(/\/(done|check)/);
    await page.waitForTimeout(500);
  }
  await context.close();
};

const waitForTestRestore = async (
  holdfast: Holdfast,
  { id, serverId }: { id: string; serverId: string },
) => {
  for (let waited = 0; waited < 60; waited++) {
    const { restorable } = await holdfast.getBackup({ params: { id: serverId, backupId: id } });
    if (restorable !== null) return;
    await Bun.sleep(1000);
  }
};

const wreck = async (simulatorUrl: string, guildId: string): Promise<void> => {
  const headers = { authorization: 'Bot anyone' };
  const channelsUrl = `${simulatorUrl}/api/v10/guilds/${guildId}/channels`;
  const channels: { id: string }[] = await (await fetch(channelsUrl, { headers })).json();
  for (const { id } of channels.slice(0, 14)) {
    await fetch(`${simulatorUrl}/api/v10/channels/${id}`, { method: 'DELETE', headers });
  }
};

const schemes = ['light', 'dark'] as const;

const takeScreenshots = async (page: Page, name: string): Promise<void> => {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForTimeout(1000);
    await page.screenshot({ path: join(outputFolder, `${name}-${colorScheme}.png`) });
  }
};

type Seeded = Awaited<ReturnType<typeof seed>>;

/** A window in which the demo's owner is signed in, and what opens a page of the dashboard in it. */
const openDashboard = async (
  local: LocalMode,
  browser: Browser,
  options: { viewport: typeof desktop; deviceScaleFactor?: number },
) => {
  const page = await browser.newPage(options);
  await page.goto(`${local.url}/login?next=/dashboard`);
  await page.getByRole('button', { name: 'Authorize' }).click();
  const open = async (path: string) => {
    await page.goto(`${local.url}/dashboard${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  };
  return { page, open };
};

const takeReadmeScreenshots = async (
  local: LocalMode,
  browser: Browser,
  { serverId, backupId, pullId }: Seeded,
): Promise<void> => {
  const { page, open } = await openDashboard(local, browser, { viewport: desktop });
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
  const visitor = await browser.newPage({ viewport: phone });
  await visitor.goto(`${local.url}/verify/${serverId}`);
  await takeScreenshots(visitor, 'verify');
};

const takeLandingPictures = async (
  local: LocalMode,
  browser: Browser,
  { serverId, backupId, pullId }: Seeded,
): Promise<void> => {
  const { page, open } = await openDashboard(local, browser, {
    ...{ viewport: half, deviceScaleFactor: 1.5 },
  });
  await open(`/servers/${serverId}/backups/${backupId}`);
  await page.getByRole('button', { name: 'Show what would happen' }).click();
  await scrollTo(page.getByRole('heading', { name: 'Created', exact: true }));
  await takeLandingPicture(browser, page, { name: 'preview' });
  await open(`/servers/${serverId}/pulls/${pullId}`);
  await takeLandingPicture(browser, page, { name: 'pull' });
  await open(`/servers/${serverId}/protection`);
  await scrollTo(page.getByRole('heading', { name: 'What is stopped' }));
  await takeLandingPicture(browser, page, { name: 'protection' });
  await page.goto(`${local.url}/verify/${serverId}`);
  await takeLandingPicture(browser, page, { name: 'verify', top: 0 });
};

/** Puts what a page shows from this element on at its top, below the header that stays. */
const scrollTo = (place: Locator): Promise<void> =>
  place.evaluate((element, top) => scrollBy(0, element.getBoundingClientRect().top - top), 84);

const takeLandingPicture = async (
  browser: Browser,
  page: Page,
  { name, top = headerHeight }: { name: string; top?: number },
): Promise<void> => {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForTimeout(1000);
    const clip = { ...half, x: 0, y: top, height: half.height - headerHeight };
    const picture = await page.screenshot({ clip });
    await Bun.write(
      join(landingFolder, `${name}-${colorScheme}.webp`),
      await toWebp(browser, picture),
    );
  }
};

/** Chromium encodes it, in a window of its own: the dashboard's policy forbids it there. */
const toWebp = async (browser: Browser, png: Buffer): Promise<Buffer> => {
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

const local = await startLocalMode();
try {
  await mkdir(outputFolder, { recursive: true });
  const browser = await chromium.launch({
    executablePath: Bun.which('chromium') ?? '',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  const seeded = await seed(local, browser);
  await takeReadmeScreenshots(local, browser, seeded);
  await takeLandingPictures(local, browser, seeded);
  await browser.close();
  process.stdout.write(`The screenshots are in ${outputFolder} and ${landingFolder}\n`);
} finally {
  await local.stop();
}
