import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  authorizeAs,
  hostileNames,
  inBrowser,
  overflowOf,
  shownOf,
  stepBetweenLetters,
  type Window,
  waitForHeading,
} from '../../../../test/harness/browser/chromium.ts';
import { useVerificationInBrowser } from '../../../../test/harness/browser/verification.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import {
  newVerificationServer,
  type VerificationServer,
} from '../../../../test/harness/verification/newcomer.ts';

const { chromium, fixture } = useVerificationInBrowser();

/** A server, its role and a person, all of that name. */
const nameAll = async (name: string) => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture, { captchaType: 'POW', name }, [person]);
  const { control } = fixture.simulator;
  const guild = await control('GET', `/guilds/${server.guildId}`);
  const roles = guild.roles.map((role: object) => ({ ...role, name }));
  await control('PUT', `/guilds/${server.guildId}`, { ...guild, roles });
  // The platform accepts no longer ones.
  const personName = name.slice(0, 100);
  const user = { username: personName, globalName: personName };
  await control('PUT', `/users/${person}`, user);
  return { server, person, personName };
};

/** The page is loaded, shows the name unchanged, and is no wider than its window. */
const expectNamed = async (page: Page, heading: string, name: string): Promise<void> => {
  await waitForHeading(page, heading);
  expect(await page.locator('.server .quiet').textContent()).toBe(shownOf(name));
  expect(await overflowOf(page)).toBe(0);
};

const checkScript = '**/pages/check.js';
const runInstead = (page: Page, body: string) =>
  page.route(checkScript, (route) => route.fulfill({ contentType: 'text/javascript', body }));

const cheat = `const form = document.querySelector('form[data-check]');
form.elements.solution.value = JSON.stringify({ counter: 1, derivedKey: '00'.repeat(32) });
form.requestSubmit();`;

type Named = Awaited<ReturnType<typeof nameAll>> & { name: string };

const comeIn = async ({ page }: Window, { server, person, personName, name }: Named) => {
  await page.goto(`${fixture.baseUrl}/verify/${server.id}`);
  await expectNamed(page, 'Verify to come in', name);
  expect(await page.title()).toBe(`Verify for ${name}`);
  expect(await stepBetweenLetters(page, 'wants to know')).toBeGreaterThan(0);
  await runInstead(page, '');
  await authorizeAs(page, person);
  await expectNamed(page, 'One moment', name);
  expect(await page.locator('main > p strong').textContent()).toBe(shownOf(personName));
  await page.unroute(checkScript);
  await runInstead(page, cheat);
  await page.reload();
  await expectNamed(page, 'The check did not work', name);
  await page.unroute(checkScript);
  await page.getByRole('link', { name: 'Try again' }).click();
  await expectNamed(page, 'You are verified', name);
  await page.getByText('All done').waitFor({ timeout: 20_000 });
};

const beTurnedAway = async ({ page }: Window, { server, person, name }: Named) => {
  const entry = { body: { platformId: person } };
  await server.owner.call('POST', `/api/v1/servers/${server.id}/blacklist`, entry);
  await page.goto(`${fixture.baseUrl}/verify/${server.id}`);
  await authorizeAs(page, person);
  await expectNamed(page, 'You cannot come in', name);
  const message = page.getByLabel('Tell the owner why they should let you in');
  await message.evaluate((field) => field.removeAttribute('maxlength'));
  await message.fill(`${name} ${'x'.repeat(500)}`);
  await page.getByRole('button', { name: 'Send to the owner' }).click();
  await page.getByRole('alert').waitFor();
  expect(await message.inputValue()).toStartWith(name);
  await message.fill(name);
  await page.getByRole('button', { name: 'Send to the owner' }).click();
  await page.getByText('The owner has your message').waitFor();
  await expectNamed(page, 'Waiting for the owner', name);
};

const goAstray = async (
  { page }: Window,
  { server, name }: { server: VerificationServer; name: string },
) => {
  await page.goto(`${fixture.baseUrl}/verify/${server.id}`);
  await page.getByRole('button', { name: 'Verify me' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await waitForHeading(page, 'You did not agree');
  await page.reload();
  await waitForHeading(page, 'Please start again');
  const words = encodeURIComponent(name);
  await page.goto(`${fixture.baseUrl}/verify/callback?state=${words}&error=${words}`);
  await waitForHeading(page, 'Please start again');
  await page.goto(`${fixture.baseUrl}/verify/${words}`);
  await waitForHeading(page, 'There is no such server here');
};

for (const [what, name] of Object.entries(hostileNames)) {
  inBrowser(
    `${what} as the name of server, role and person is shown as plain text on every page of a verification`,
    async () => {
      const named = { ...(await nameAll(name)), name };
      const window = await chromium.openWindow();
      await comeIn(window, named);
      await beTurnedAway(window, named);
      await goAstray(window, named);
      expect(window.complaints).toEqual([]);
      await window.close();
    },
  );
}
