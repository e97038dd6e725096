import { afterAll, beforeAll, expect, test } from 'bun:test';
import { newBotBody } from '../../../../test/harness/bots-and-servers.ts';
import {
  type DashboardFixture,
  signInToDashboard,
  startDashboardFixture,
} from '../../../../test/harness/dashboard/fixture.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { darkVariantOf } from './page-style.ts';

let fixture: DashboardFixture;
beforeAll(async () => {
  fixture = await startDashboardFixture();
});
afterAll(() => fixture.service.stop());

/** An owner who is signed in, and a server of theirs. */
const newOwner = async () => {
  const { browser } = await signInToDashboard(fixture);
  const bot = await browser.call('POST', '/bots', { body: newBotBody() });
  const server = { platformGuildId: randomPlatformId(), name: 'Harbour' };
  const added = await browser.call('POST', '/servers', {
    body: { ...server, customBotId: bot.body.data.id },
  });
  return { browser, path: `/dashboard/verify-preview/${added.body.data.id}` };
};

const token = 'a'.repeat(43);
const unsaved = new URLSearchParams({
  ...{ title: 'Ahoy <b>', welcome: 'Good to see you', accent: '#2F5D62', scheme: 'dark' },
  ...{ logo: token, background: token },
});

test('an owner sees the page with settings that are not saved, in a frame of ours alone', async () => {
  const { browser, path } = await newOwner();
  const answer = await browser.go(`${path}?${unsaved}`);
  const page = await answer.text();
  expect(answer.status).toBe(200);
  expect(page).toContain('Ahoy &lt;b&gt;');
  expect(page).toContain('Good to see you');
  expect(page).toContain(`/uploads/${token}.webp`);
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("frame-ancestors 'self'");
  expect(policy).toContain("default-src 'none'");

  const href = /href="([^"]*verify-preview[^"]*)"/.exec(page)?.[1] ?? '';
  const style = await (await browser.go(href.replaceAll('&amp;', '&'))).text();
  expect(style).toContain(`--accent: ${darkVariantOf('#2F5D62')}`);
  expect(style).toContain(`url("/uploads/${token}.webp")`);
  // In place of what the browser prefers.
  expect(style).not.toContain('prefers-color-scheme');
  expect(style).toContain('color-scheme:dark');
});

test('it is nobody else’s, and what is not valid is left out', async () => {
  const [owner, stranger] = [await newOwner(), await newOwner()];
  expect((await stranger.browser.go(owner.path)).status).toBe(404);
  expect((await fixture.send(owner.path)).status).toBe(404);
  const odd = new URLSearchParams({
    ...{ accent: '#777777;}', logo: '../../x', background: '")', scheme: 'pink' },
    ...{ title: 'x'.repeat(101), welcome: 'y'.repeat(1001) },
  });
  const answer = await owner.browser.go(`${owner.path}?${odd}`);
  const page = await answer.text();
  expect(answer.status).toBe(200);
  for (const left of ['777777', '../', 'xxxx', 'yyyy', 'pink']) expect(page).not.toContain(left);
});

test('a preview is no visit', async () => {
  const { browser, path } = await newOwner();
  await browser.go(path);
  const id = path.split('/').at(-1);
  const { body } = await browser.call('GET', `/servers/${id}/analytics`);
  expect(body.data.funnel.visited).toBe(0);
});
