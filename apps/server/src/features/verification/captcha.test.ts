import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomPlatformId } from '../../../test/harness.ts';
import { attemptsOf, authorize, membersOf, newDoor, solveOn } from '../../../test/newcomer.ts';
import type { PageBrowser } from '../../../test/page-browser.ts';
import {
  startVerificationScene,
  type VerificationScene,
} from '../../../test/verification-scene.ts';
import { Secret } from '../../kernel/secret.ts';

/** What the provider is asked, and what it answers. */
let answer: () => Response = () => Response.json({ success: true });
const asked: URLSearchParams[] = [];
const provider = Bun.serve({
  port: 0,
  async fetch(request) {
    asked.push(new URLSearchParams(await request.text()));
    return answer();
  },
});

let scene: VerificationScene;
beforeAll(async () => {
  const secret = new Secret('captcha-secret');
  const captcha = { siteKey: 'site-key', secret, verifyUrl: provider.url.href };
  scene = await startVerificationScene({ captcha });
}, 60_000);
afterAll(async () => {
  await scene.stop();
  await provider.stop(true);
}, 30_000);

const reachCheck = async (browser: PageBrowser, door: { id: string }, person: string) => {
  const { back } = await authorize(browser, door, person);
  await browser.get(back);
  return browser.get(`/verify/${door.id}/check`);
};

const send = (browser: PageBrowser, door: { id: string }, fields: Record<string, string>) =>
  browser.post(`/verify/${door.id}/check`, fields);

test('a wrong solution counts as one, lets nobody in, and can be tried again', async () => {
  const door = await newDoor(scene, { captchaType: 'POW' });
  const browser = scene.newBrowser();
  const page = await reachCheck(browser, door, randomPlatformId());
  const solved = await solveOn(page);
  const wrong = JSON.stringify({ counter: 5, derivedKey: '00'.repeat(32) });
  const refused = await send(browser, door, { ...solved, solution: wrong });
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('Try again');
  expect(await attemptsOf(scene, door)).toMatchObject([
    { stage: 'authorized', blockReason: 'CAPTCHA' },
  ]);
  for (const solution of ['', 'nonsense', '{"counter":-1}', '[]', '{"counter":1e99}']) {
    expect((await send(browser, door, { ...solved, solution })).status).toBe(400);
  }
  expect(await membersOf(door)).toEqual([]);

  expect((await send(browser, door, solved)).status).toBe(303);
  expect(await membersOf(door)).toHaveLength(1);
  expect(await attemptsOf(scene, door)).toMatchObject([{ stage: 'verified', blockReason: null }]);
}, 30_000);

test('a challenge made easier by hand is worth nothing', async () => {
  const door = await newDoor(scene, { captchaType: 'POW' });
  const browser = scene.newBrowser();
  const solved = await solveOn(await reachCheck(browser, door, randomPlatformId()));
  const challenge = JSON.parse(solved.challenge ?? '');
  challenge.parameters.expiresAt += 1000;
  const altered = await send(browser, door, { ...solved, challenge: JSON.stringify(challenge) });
  expect(altered.status).toBe(400);
  expect(await membersOf(door)).toEqual([]);
}, 30_000);

test('one solution lets one person in: not the next, and not twice at once', async () => {
  const door = await newDoor(scene, { captchaType: 'POW' });
  const first = scene.newBrowser();
  const solved = await solveOn(await reachCheck(first, door, randomPlatformId()));
  const replies = await Promise.all([1, 2, 3, 4].map(() => send(first, door, solved)));
  expect(replies.every(({ status }) => status === 303 || status === 400)).toBe(true);
  expect(await membersOf(door)).toHaveLength(1);

  const second = scene.newBrowser();
  await reachCheck(second, door, randomPlatformId());
  const replayed = await send(second, door, solved);
  expect(replayed.status).toBe(400);
  expect(replayed.text).toContain('used before or took too long');
  expect(await membersOf(door)).toHaveLength(1);
  const blocked = (await attemptsOf(scene, door)).filter(({ blockReason }) => blockReason !== null);
  expect(blocked).toEqual([]);
}, 30_000);

test.each([
  ['TURNSTILE', 'cf-turnstile', 'https://challenges.cloudflare.com'],
  ['HCAPTCHA', 'h-captcha', 'https://*.hcaptcha.com'],
])(
  '%s is asked with the secret and the solution, and nothing about the person',
  async (captchaType, widget, origin) => {
    const door = await newDoor(scene, { captchaType });
    const browser = scene.newBrowser();
    const page = await reachCheck(browser, door, randomPlatformId());
    expect(page.text).toContain(`class="${widget}" data-sitekey="site-key"`);
    expect(page.headers.get('content-security-policy')).toContain(origin);
    const field = `${widget}-response`;

    answer = () => new Response('busy', { status: 500 });
    const silent = await send(browser, door, { [field]: 'token' });
    expect(silent.status).toBe(503);
    expect(silent.text).toContain('Try again');
    answer = () => Response.json({ success: false, 'error-codes': ['invalid-input-secret'] });
    expect((await send(browser, door, { [field]: 'token' })).status).toBe(503);
    answer = () => Response.json({ success: false, 'error-codes': ['timeout-or-duplicate'] });
    expect((await send(browser, door, { [field]: 'token' })).status).toBe(400);
    expect((await send(browser, door, {})).status).toBe(400);
    expect(await attemptsOf(scene, door)).toMatchObject([
      { stage: 'authorized', blockReason: null },
    ]);
    answer = () => Response.json({ success: false, 'error-codes': ['invalid-input-response'] });
    expect((await send(browser, door, { [field]: 'token' })).status).toBe(400);
    expect(await attemptsOf(scene, door)).toMatchObject([{ blockReason: 'CAPTCHA' }]);
    expect(await membersOf(door)).toEqual([]);

    answer = () => Response.json({ success: true });
    expect((await send(browser, door, { [field]: `good ${widget}` })).status).toBe(303);
    expect(await membersOf(door)).toHaveLength(1);
    expect(Object.fromEntries(asked.at(-1) ?? [])).toEqual({
      secret: 'captcha-secret',
      response: `good ${widget}`,
    });

    const other = scene.newBrowser();
    await reachCheck(other, door, randomPlatformId());
    expect((await send(other, door, { [field]: `good ${widget}` })).status).toBe(400);
    expect(await membersOf(door)).toHaveLength(1);
  },
  30_000,
);
