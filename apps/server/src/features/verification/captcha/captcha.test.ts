import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { PageBrowser } from '../../../../test/harness/browser/page-browser.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import {
  startVerificationFixture,
  type VerificationFixture,
} from '../../../../test/harness/verification/fixture.ts';
import {
  attemptsOf,
  authorize,
  membersOf,
  newVerificationServer,
  solveOn,
} from '../../../../test/harness/verification/newcomer.ts';
import { Secret } from '../../../kernel/secret.ts';

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

let fixture: VerificationFixture;
beforeAll(async () => {
  const secret = new Secret('captcha-secret');
  const captcha = { siteKey: 'site-key', secret, verifyUrl: provider.url.href };
  fixture = await startVerificationFixture({ captcha });
});
afterAll(async () => {
  await fixture.stop();
  await provider.stop(true);
});

const reachCheck = async (browser: PageBrowser, server: { id: string }, person: string) => {
  const { back } = await authorize(browser, server, person);
  await browser.get(back);
  return browser.get(`/verify/${server.id}/check`);
};

const send = (browser: PageBrowser, server: { id: string }, fields: Record<string, string>) =>
  browser.post(`/verify/${server.id}/check`, fields);

test('a wrong solution is recorded, verifies no one, and can be tried again', async () => {
  const server = await newVerificationServer(fixture, { captchaType: 'POW' });
  const browser = fixture.newBrowser();
  const page = await reachCheck(browser, server, randomPlatformId());
  const solved = await solveOn(page);
  const wrong = JSON.stringify({ counter: 5, derivedKey: '00'.repeat(32) });
  const refused = await send(browser, server, { ...solved, solution: wrong });
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('Try again');
  expect(await attemptsOf(fixture, server)).toMatchObject([
    { stage: 'authorized', blockReason: 'CAPTCHA' },
  ]);
  const deep = `${solved.solution?.slice(0, -1)},"more":${'['.repeat(65)}${']'.repeat(65)}}`;
  for (const solution of ['', 'nonsense', '{"counter":-1}', '[]', '{"counter":1e99}', deep]) {
    expect((await send(browser, server, { ...solved, solution })).status).toBe(400);
  }
  expect(await membersOf(server)).toEqual([]);

  expect((await send(browser, server, solved)).status).toBe(303);
  expect(await membersOf(server)).toHaveLength(1);
  expect(await attemptsOf(fixture, server)).toMatchObject([
    { stage: 'verified', blockReason: null },
  ]);
});

test('a challenge that was made easier is rejected', async () => {
  const server = await newVerificationServer(fixture, { captchaType: 'POW' });
  const browser = fixture.newBrowser();
  const solved = await solveOn(await reachCheck(browser, server, randomPlatformId()));
  const challenge = JSON.parse(solved.challenge ?? '');
  challenge.parameters.expiresAt += 1000;
  const altered = await send(browser, server, { ...solved, challenge: JSON.stringify(challenge) });
  expect(altered.status).toBe(400);
  expect(await membersOf(server)).toEqual([]);
});

test('one solution verifies one person: not another, and not twice at once', async () => {
  const server = await newVerificationServer(fixture, { captchaType: 'POW' });
  const first = fixture.newBrowser();
  const solved = await solveOn(await reachCheck(first, server, randomPlatformId()));
  const replies = await Promise.all([1, 2, 3, 4].map(() => send(first, server, solved)));
  expect(replies.every(({ status }) => status === 303 || status === 400)).toBe(true);
  expect(await membersOf(server)).toHaveLength(1);

  const second = fixture.newBrowser();
  await reachCheck(second, server, randomPlatformId());
  const replayed = await send(second, server, solved);
  expect(replayed.status).toBe(400);
  expect(replayed.text).toContain('used before or took too long');
  expect(await membersOf(server)).toHaveLength(1);
  const blocked = (await attemptsOf(fixture, server)).filter(
    ({ blockReason }) => blockReason !== null,
  );
  expect(blocked).toEqual([]);
});

test.each([
  ['TURNSTILE', 'cf-turnstile', 'https://challenges.cloudflare.com'],
  ['HCAPTCHA', 'h-captcha', 'https://*.hcaptcha.com'],
])(
  '%s is asked with the secret and the solution, and nothing about the person',
  async (captchaType, widget, origin) => {
    const server = await newVerificationServer(fixture, { captchaType });
    const browser = fixture.newBrowser();
    const page = await reachCheck(browser, server, randomPlatformId());
    expect(page.text).toContain(`class="${widget}" data-sitekey="site-key"`);
    expect(page.headers.get('content-security-policy')).toContain(origin);
    const field = `${widget}-response`;

    answer = () => new Response('busy', { status: 500 });
    const silent = await send(browser, server, { [field]: 'token' });
    expect(silent.status).toBe(503);
    expect(silent.text).toContain('Try again');
    answer = () => Response.json({ success: false, 'error-codes': ['invalid-input-secret'] });
    expect((await send(browser, server, { [field]: 'token' })).status).toBe(503);
    answer = () => Response.json({ success: false, 'error-codes': ['timeout-or-duplicate'] });
    expect((await send(browser, server, { [field]: 'token' })).status).toBe(400);
    expect((await send(browser, server, {})).status).toBe(400);
    expect(await attemptsOf(fixture, server)).toMatchObject([
      { stage: 'authorized', blockReason: null },
    ]);
    answer = () => Response.json({ success: false, 'error-codes': ['invalid-input-response'] });
    expect((await send(browser, server, { [field]: 'token' })).status).toBe(400);
    expect(await attemptsOf(fixture, server)).toMatchObject([{ blockReason: 'CAPTCHA' }]);
    expect(await membersOf(server)).toEqual([]);

    answer = () => Response.json({ success: true });
    expect((await send(browser, server, { [field]: `good ${widget}` })).status).toBe(303);
    expect(await membersOf(server)).toHaveLength(1);
    expect(Object.fromEntries(asked.at(-1) ?? [])).toEqual({
      secret: 'captcha-secret',
      response: `good ${widget}`,
    });

    const other = fixture.newBrowser();
    await reachCheck(other, server, randomPlatformId());
    expect((await send(other, server, { [field]: `good ${widget}` })).status).toBe(400);
    expect(await membersOf(server)).toHaveLength(1);
  },
  30_000,
);
