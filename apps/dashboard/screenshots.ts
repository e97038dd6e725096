import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHoldfast, type Holdfast } from '@holdfast/sdk';
import { type Browser, chromium, type Page } from 'playwright-core';

/**
 * The pictures of the README, made from local mode as anybody can start it: an evening on which the
 * demo community was wrecked.
 */
const root = join(import.meta.dir, '../..');
const pictures = join(root, 'docs/screenshots');
const desk = { width: 1280, height: 800 };
const phone = { width: 390, height: 720 };
const newcomers = 9;

type Place = { url: string; simulatorUrl: string; holdfast: Holdfast; stop(): Promise<void> };

const startLocalMode = async (): Promise<Place> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-pictures-'));
  // PostgreSQL's own user must be able to pass through it.
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
  const greeting = await readUntil(log, '"msg":"listening"');
  const find = (pattern: RegExp): string => pattern.exec(greeting)?.[1] ?? '';
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
  for (let waited = 0; waited < 300; waited++) {
    const read = await Bun.file(log).text();
    if (read.includes(end)) return read;
    await Bun.sleep(100);
  }
  throw new Error(`The service did not start:\n${await Bun.file(log).text()}`);
};

/** What the evening brings: newcomers, a good backup, a storm, and members who are called. */
const fill = async ({ holdfast, simulatorUrl, url }: Place, browser: Browser) => {
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
  for (let person = 0; person < newcomers; person++) await arrive(browser, url, server.id, person);
  await holdfast.updateServer({ params, body: { captchaType: 'POW' } });
  const begun = await holdfast.createBackup({ params, body: { name: 'Before the storm' } });
  const backup = await holdfast.waitForBackup(begun);
  const pull = await holdfast.waitForPull(await holdfast.createPull({ params }));
  await untilProved(holdfast, backup);
  await wreck(simulatorUrl, server.platformGuildId);
  return { serverId: server.id, backupId: backup.id, pullId: pull.id };
};

/** Two of three go all the way, the others think better of it. */
const arrive = async (browser: Browser, url: string, serverId: string, person: number) => {
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

const untilProved = async (
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

const take = async (page: Page, name: string): Promise<void> => {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForTimeout(1000);
    await page.screenshot({ path: join(pictures, `${name}-${colorScheme}.png`) });
  }
};

const takeAll = async (place: Place, browser: Browser): Promise<void> => {
  const { serverId, backupId, pullId } = await fill(place, browser);
  const page = await browser.newPage({ viewport: desk });
  await page.goto(`${place.url}/login?next=/dashboard`);
  await page.getByRole('button', { name: 'Authorize' }).click();
  const open = async (path: string) => {
    await page.goto(`${place.url}/dashboard${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  };
  await open('');
  await take(page, 'overview');
  await open(`/servers/${serverId}/backups/${backupId}`);
  await page.getByRole('button', { name: 'Show what would happen' }).click();
  await page.getByRole('button', { name: 'Restore this' }).scrollIntoViewIfNeeded();
  await take(page, 'preview');
  await open(`/servers/${serverId}/pulls/${pullId}`);
  await take(page, 'pull');
  await open(`/servers/${serverId}/analytics`);
  await take(page, 'analytics');
  const visitor = await browser.newPage({ viewport: phone });
  await visitor.goto(`${place.url}/verify/${serverId}`);
  await take(visitor, 'verify');
};

const place = await startLocalMode();
try {
  await mkdir(pictures, { recursive: true });
  const browser = await chromium.launch({
    executablePath: Bun.which('chromium') ?? '',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  await takeAll(place, browser);
  await browser.close();
  process.stdout.write('The pictures are in docs/screenshots\n');
} finally {
  await place.stop();
}
