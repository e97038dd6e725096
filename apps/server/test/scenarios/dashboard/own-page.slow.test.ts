import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  expectUsable,
  hostileNames,
  inBrowser,
  newChromium,
  overflowOf,
  shownOf,
  stepBetweenLetters,
  waitForHeading,
} from '../../harness/browser/chromium.ts';
import { findFaults } from '../../harness/browser/find-faults.ts';
import { type PeopleFixture, startPeopleFixture } from '../../harness/erasure/people.ts';
import { allLanguages } from '../../harness/languages.ts';
import { listMembers, newServer, type OwnedServer } from '../../harness/members.ts';
import { randomPlatformId } from '../../harness/service.ts';
import { insertAppeal, insertDeviceHash } from '../../harness/verification/rows.ts';
import type { StatePage } from '../../harness/verification/states.ts';

let answer: (request: Request) => Response | Promise<Response> = () =>
  new Response('', { status: 503 });
const server = Bun.serve({ port: 0, hostname: 'localhost', fetch: (request) => answer(request) });
const baseUrl = `http://localhost:${server.port}`;
const chromium = newChromium();
let fixture: PeopleFixture;
beforeAll(async () => {
  fixture = await startPeopleFixture({ baseUrl });
  answer = (request) => fixture.app.fetch(request, { peerAddress: () => '127.0.0.1' });
});
afterAll(async () => {
  await chromium.close();
  await server.stop(true);
  await fixture.stop();
});

const signIn = async (page: Page, platformId: string): Promise<void> => {
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel("Another user's id").fill(platformId);
  await page.getByRole('button', { name: 'Authorize' }).click();
  await page.waitForURL(`${baseUrl}/me`);
};

const erase = async (page: Page, word: string): Promise<void> => {
  await page.getByLabel('Type ERASE to confirm').fill(word);
  await page.getByRole('button', { name: 'Erase everything about me' }).click();
};

type Named = { name: string; username: string; displayName: string };

/** A server of that name, and all it can hold about a person of those. */
const fill = async (
  platformId: string,
  { name, username, displayName }: Named,
): Promise<OwnedServer> => {
  const place = await newServer(fixture.service);
  const { db } = fixture.service;
  const user = { username, globalName: displayName };
  await fixture.simulator.control('PUT', `/users/${platformId}`, user);
  await place.owner.call('PUT', `/api/v1/servers/${place.serverId}`, { body: { name } });
  const from = { country: 'DE', region: 'DE-HH', asn: 64502 };
  await fixture.addMember(place, platformId, { username, displayName, ...from });
  await insertAppeal(db, place, platformId, `I am ${displayName}, let me in.`);
  await insertDeviceHash(db, place, platformId);
  return place;
};

/** No text is cut or too wide on a narrow phone. */
const expectFitInAllLanguages = async (page: Page): Promise<void> => {
  const pages: StatePage[] = [];
  for (const language of allLanguages) {
    await page.goto(`${baseUrl}/language?to=${language}&back=%2Fme`);
    expect(await page.locator('html').getAttribute('lang')).toBe(language);
    pages.push({ state: 'me', language, html: await page.content() });
  }
  const phone = page.viewportSize() ?? { width: 390, height: 844 };
  await page.setViewportSize({ width: 360, height: 640 });
  expect(await page.evaluate(findFaults, pages)).toEqual([]);
  await page.setViewportSize(phone);
  await page.goto(`${baseUrl}/language?to=en&back=%2Fme`);
};

inBrowser(
  'a person sees, takes back and erases what is held about them in a real browser',
  async () => {
    const platformId = randomPlatformId();
    const names = { name: 'Harbour', username: 'ada', displayName: 'Ada of the Lighthouse' };
    const place = await fill(platformId, names);
    const { page, complaints, close } = await chromium.openWindow();
    await page.goto(`${baseUrl}/me`);
    await expectUsable(page, 'me-stranger');
    await signIn(page, platformId);
    expect(await page.getByRole('heading', { level: 2, name: names.name }).count()).toBe(1);
    await expectUsable(page, 'me');
    await expectFitInAllLanguages(page);

    await page.getByRole('button', { name: 'Do not bring me back' }).click();
    await page.waitForURL(`${baseUrl}/me`);
    expect(await page.getByRole('button', { name: 'Do not bring me back' }).count()).toBe(0);
    expect((await listMembers(place)).body.data[0].pullable).toBe(false);

    await erase(page, 'no');
    expect(await page.getByRole('alert').innerText()).toContain('Nothing was erased');
    await expectUsable(page, 'me-unconfirmed');
    await erase(page, 'erase');
    await waitForHeading(page, 'Everything about you is erased');
    await expectUsable(page, 'me-erased');
    expect((await listMembers(place)).body.data).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  },
  90_000,
);

inBrowser('the pages of signing in and out can be used by everybody', async () => {
  const { page, complaints, close } = await chromium.openWindow();
  await page.goto(`${baseUrl}/me`);
  await signIn(page, randomPlatformId());
  await expectUsable(page, 'me-nothing');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await waitForHeading(page, 'You are signed out');
  await expectUsable(page, 'signed-out');
  await page.getByRole('link', { name: 'Sign in again' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await waitForHeading(page, 'You are not signed in');
  await expectUsable(page, 'not-signed-in');
  expect(complaints).toEqual([]);
  await close();
});

inBrowser(
  'no name of a server or person does anything on a person’s own pages but stand there',
  async () => {
    for (const hostile of Object.values(hostileNames)) {
      const platformId = randomPlatformId();
      // The platform takes no longer ones.
      const [username, displayName] = [hostile.slice(0, 100), hostile.slice(0, 100)];
      await fill(platformId, { name: hostile, username, displayName });
      const { page, complaints, close } = await chromium.openWindow();
      await page.goto(`${baseUrl}/me`);
      await signIn(page, platformId);
      expect(await page.locator('section.card h2').first().textContent()).toBe(shownOf(hostile));
      const signedInAs = page.locator('main > p strong').first();
      expect(await signedInAs.textContent()).toBe(shownOf(displayName));
      expect(await stepBetweenLetters(page, 'platform id')).toBeGreaterThan(0);
      expect(await overflowOf(page)).toBe(0);
      await erase(page, hostile.slice(0, 20));
      await page.getByRole('alert').waitFor();
      await erase(page, 'ERASE');
      await waitForHeading(page, 'Everything about you is erased');
      expect(complaints).toEqual([]);
      await close();
    }
  },
  90_000,
);
