import { afterAll, beforeAll, expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { randomPlatformId } from '../../../test/harness.ts';
import { attemptsOf, membersOf, newDoor } from '../../../test/newcomer.ts';
import { testWith } from '../../../test/scenarios/scene.ts';
import {
  startVerificationScene,
  type VerificationScene,
} from '../../../test/verification-scene.ts';

const executablePath = Bun.which('chromium') ?? '';
const inBrowser = testWith('Chromium', existsSync(executablePath));
const axeSource = Bun.resolveSync('axe-core/axe.min.js', import.meta.dir);

let scene: VerificationScene;
let browser: Browser | undefined;
beforeAll(async () => {
  scene = await startVerificationScene();
  if (!existsSync(executablePath)) return;
  browser = await chromium.launch({
    executablePath,
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await scene.stop();
}, 30_000);

type Look = { colorScheme?: 'light' | 'dark'; width?: number; bypassCSP?: boolean };

/** A window of its own, and whatever its pages complained about. */
const openWindow = async ({ width = 360, ...look }: Look = {}) => {
  const context = await browser?.newContext({ ...look, viewport: { width, height: 800 } });
  const page = await context?.newPage();
  if (!context || !page) throw new Error('No window');
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Browsers look for this picture on every site.
    const isIcon = message.location().url.endsWith('/favicon.ico');
    if (message.type() === 'error' && !isIcon) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints, close: () => context.close() };
};

type Finding = { id: string; nodes: { html: string }[] };

const audit = async (page: Page): Promise<string[]> => {
  await page.addScriptTag({ path: axeSource });
  const violations = await page.evaluate(async (): Promise<Finding[]> => {
    // The script that was just added put it there.
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: Finding[] }> };
    };
    return (await axe.run()).violations;
  });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

const picture = (page: Page, name: string): Promise<unknown> => {
  const folder = process.env.SCREENSHOT_DIR;
  if (!folder) return Promise.resolve();
  return page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
};

/** From the first page through the platform's to ours again. */
const authorizeAs = async (page: Page, person: string): Promise<void> => {
  await page.getByRole('button', { name: 'Verify me' }).click();
  await page.getByLabel('Or as the user with this id').fill(person);
  await page.getByRole('button', { name: 'Authorize' }).click();
};

inBrowser(
  'a newcomer with a real browser visits, chooses, authorizes, proves work and is verified',
  async () => {
    const person = randomPlatformId();
    const door = await newDoor(scene, { captchaType: 'POW' }, [person]);
    const { page, complaints, close } = await openWindow();
    await page.goto(`${scene.baseUrl}/verify/${door.id}`);
    const recovery = page.getByLabel('Let the owner bring me back if the server is lost');
    expect(await recovery.isChecked()).toBe(false);
    await recovery.check();
    await authorizeAs(page, person);
    await page.getByRole('heading', { name: 'You are verified' }).waitFor({ timeout: 30_000 });
    await page.getByText('All done').waitFor({ timeout: 20_000 });

    const guild = await scene.simulator.control('GET', `/guilds/${door.guildId}`);
    expect(guild.members[0].roles).toEqual([door.roleId]);
    const [member] = await membersOf(door);
    expect(member).toMatchObject({ platformId: person, pullable: true });
    expect(member.fingerprint).toMatch(/^[\w-]{43}$/);
    expect(await attemptsOf(scene, door)).toMatchObject([{ stage: 'verified' }]);
    // No script of ours, and no word of anybody, did what the pages' policy forbids.
    expect(complaints).toEqual([]);
    await close();
  },
  90_000,
);

inBrowser(
  'every page can be used by everybody, light and dark, on a phone and on a desk',
  async () => {
    const name = '<img src=x onerror=document.title=1> Harbour of the very long name';
    for (const [colorScheme, width] of [
      ['light', 360],
      ['dark', 360],
      ['light', 1280],
      ['dark', 1280],
    ] as const) {
      const person = randomPlatformId();
      const door = await newDoor(scene, { captchaType: 'POW', name }, [person]);
      // The audit's own script has to get in.
      const { page, complaints, close } = await openWindow({ colorScheme, width, bypassCSP: true });
      const look = `${colorScheme}-${width}`;
      const globalName = '<img src=x onerror=document.title=1>';
      await scene.simulator.control('PUT', `/users/${person}`, { username: 'x', globalName });
      await page.goto(`${scene.baseUrl}/verify/${door.id}`);
      expect(await audit(page)).toEqual([]);
      await picture(page, `visit-${look}`);

      await page.route('**/pages/check.js', (route) => route.abort());
      await authorizeAs(page, person);
      await page.getByRole('heading', { name: 'One moment' }).waitFor();
      expect(await audit(page)).toEqual([]);
      await picture(page, `check-${look}`);
      await page.unroute('**/pages/check.js');
      complaints.length = 0;

      await page.reload();
      await page.getByText('All done').waitFor({ timeout: 30_000 });
      expect(await audit(page)).toEqual([]);
      await picture(page, `done-${look}`);

      await door.owner.call('POST', `/api/v1/servers/${door.id}/blacklist`, {
        body: { platformId: person },
      });
      await page.goto(`${scene.baseUrl}/verify/${door.id}`);
      await authorizeAs(page, person);
      await page.getByRole('heading', { name: 'You cannot come in' }).waitFor({ timeout: 30_000 });
      expect(await audit(page)).toEqual([]);
      await picture(page, `blocked-${look}`);
      await page.getByLabel('Tell the owner why they should let you in').fill('I am sorry.');
      await page.getByRole('button', { name: 'Send to the owner' }).click();
      await page.getByText('The owner has your message').waitFor();
      // That the page about being turned away is a 403, the browser calls an error.
      expect(complaints.filter((text) => !text.includes('403'))).toEqual([]);
      await close();
    }
  },
  240_000,
);
