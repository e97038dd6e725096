import { afterAll, beforeAll, expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { randomPlatformId } from '../harness.ts';
import { listMembers, newPlace, type Place } from '../member-rows.ts';
import { type PeopleScene, startPeopleScene } from '../people-scene.ts';
import { putAppeal, putTrace } from '../way-in-rows.ts';
import { testWith } from './scene.ts';

const executablePath = '/usr/bin/chromium';
const isThere = existsSync(executablePath);
const testInChromium = testWith('Chromium', isThere);
const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let answer: (request: Request) => Response | Promise<Response> = () =>
  new Response('', { status: 503 });
const server = Bun.serve({ port: 0, hostname: 'localhost', fetch: (request) => answer(request) });
const baseUrl = `http://localhost:${server.port}`;
let scene: PeopleScene;
let browser: Browser | undefined;
beforeAll(async () => {
  scene = await startPeopleScene({ baseUrl });
  answer = (request) => scene.app.fetch(request, { peerAddress: () => '127.0.0.1' });
  if (isThere) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await server.stop(true);
  await scene.stop();
});

const hostile = '<img src=x onerror=alert(1)>';

/** What a page says to those who look into it, and what it did although it may not. */
const openPage = async (colorScheme: 'light' | 'dark', width: number) => {
  if (!browser) throw new Error('No browser');
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (line) => {
    if (line.type() === 'error') faults.push(line.text());
  });
  return { page, faults, close: () => context.close() };
};

type AxeResult = { violations: { id: string; nodes: { html: string }[] }[] };

const violationsOn = async (page: Page): Promise<string[]> => {
  const source = await Bun.file(axePath).text();
  // By the debugger rather than as a script of the page, whose policy forbids foreign ones.
  const { violations } = await page.evaluate<AxeResult>(`${source}; axe.run()`);
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
};

const signIn = async (page: Page, platformId: string): Promise<void> => {
  await page.goto(`${baseUrl}/me`);
  expect(await violationsOn(page)).toEqual([]);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.goto(`${page.url()}&sim_user=${platformId}`);
  await page.waitForURL(`${baseUrl}/me`);
};

const fill = async (place: Place, platformId: string): Promise<void> => {
  const { db } = scene.service;
  await scene.simulator.control('PUT', `/users/${platformId}`, { username: hostile });
  await place.owner.call('PUT', `/api/v1/servers/${place.serverId}`, { body: { name: hostile } });
  const names = { username: hostile, displayName: hostile, country: 'DE', region: hostile };
  await scene.addMember(place, platformId, names);
  await putAppeal(db, place, platformId, hostile);
  await putTrace(db, place, platformId);
};

for (const [colorScheme, width] of [
  ['light', 360],
  ['dark', 1280],
] as const) {
  testInChromium(
    `a person sees, takes back and erases what is held about them in a real browser, ${colorScheme}`,
    async () => {
      const platformId = randomPlatformId();
      const place = await newPlace(scene.service);
      await fill(place, platformId);
      const { page, faults, close } = await openPage(colorScheme, width);
      await signIn(page, platformId);
      expect(await page.getByRole('heading', { level: 2, name: hostile }).count()).toBe(1);
      expect(await violationsOn(page)).toEqual([]);
      const overflow = 'document.documentElement.scrollWidth - innerWidth';
      expect(await page.evaluate<number>(overflow)).toBeLessThanOrEqual(0);

      await page.getByRole('button', { name: 'Do not bring me back' }).click();
      await page.waitForURL(`${baseUrl}/me`);
      expect(await page.getByRole('button', { name: 'Do not bring me back' }).count()).toBe(0);
      expect((await listMembers(place)).body.data[0].pullable).toBe(false);

      await page.getByLabel('Type ERASE to confirm').fill('no');
      await page.getByRole('button', { name: 'Erase everything about me' }).click();
      expect(await page.getByRole('alert').innerText()).toContain('Nothing was erased');
      expect(await violationsOn(page)).toEqual([]);
      // A 400 is told on the console; it is what was to be seen.
      faults.splice(0);
      await page.getByLabel('Type ERASE to confirm').fill('erase');
      await page.getByRole('button', { name: 'Erase everything about me' }).click();
      await page.getByRole('heading', { name: 'Everything about you is erased' }).waitFor();
      expect(await violationsOn(page)).toEqual([]);
      expect((await listMembers(place)).body.data).toEqual([]);
      expect(faults).toEqual([]);
      await close();
    },
    60_000,
  );
}
