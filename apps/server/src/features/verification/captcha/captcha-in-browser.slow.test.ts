import { afterAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  authorizeAs,
  expectUsable,
  inBrowser,
  waitForHeading,
} from '../../../../test/harness/browser/chromium.ts';
import { useVerificationInBrowser } from '../../../../test/harness/browser/verification.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import {
  membersOf,
  newVerificationServer,
  type VerificationServer,
} from '../../../../test/harness/verification/newcomer.ts';
import { Secret } from '../../../kernel/secret.ts';

/** The provider's address to ask at: it knows its own good answers. */
const goodAnswers = new Set<string>();
const provider = Bun.serve({
  port: 0,
  async fetch(request) {
    const asked = new URLSearchParams(await request.text());
    const success =
      asked.get('secret') === 'captcha-secret' && goodAnswers.has(asked.get('response') ?? '');
    return Response.json(
      success ? { success } : { success, 'error-codes': ['invalid-input-response'] },
    );
  },
});

const secret = new Secret('captcha-secret');
const captcha = { siteKey: 'site-key', secret, verifyUrl: provider.url.href };
const { chromium, fixture } = useVerificationInBrowser({ captcha });
afterAll(() => provider.stop(true));

type Widget = { name: string; hosts: string; script: string; frame: string; field: string };

const turnstile: Widget = {
  name: 'TURNSTILE',
  hosts: 'https://challenges.cloudflare.com',
  script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
  frame: 'https://challenges.cloudflare.com/cdn-cgi/challenge-platform/h/b/turnstile/if/ov2/',
  field: 'cf-turnstile-response',
};
const hcaptcha: Widget = {
  name: 'HCAPTCHA',
  hosts: 'https://hcaptcha.com https://*.hcaptcha.com',
  script: 'https://js.hcaptcha.com/1/api.js',
  frame: 'https://newassets.hcaptcha.com/captcha/v1/static/hcaptcha.html',
  field: 'h-captcha-response',
};

/**
 * What both providers document of their scripts: it finds its place by the class, stands there as a
 * frame of the provider's own host, 300 pixels wide, and fills in the form's field once the frame
 * has an answer; where the place names a callback, that is told too.
 */
const scriptOf = ({ field, frame }: Widget): string => `
  const place = document.querySelector('.${field.replace('-response', '')}[data-sitekey=site-key]');
  const answer = Object.assign(document.createElement('input'), { type: 'hidden', name: '${field}' });
  const frame = Object.assign(document.createElement('iframe'), {
    src: '${frame}', width: 300, height: 65, title: 'Widget of the provider',
  });
  addEventListener('message', ({ source, data }) => {
    if (source !== frame.contentWindow || typeof data !== 'string') return;
    answer.value = data;
    window[place.dataset.callback]?.(data);
  });
  place.append(frame, answer);`;

const frameOf = (answer: string): string => `<!doctype html><title>Widget</title>
  <p>I am a person</p><script>parent.postMessage('${answer}', '*')</script>`;

/** The provider's hosts answer from here, and its frame has that answer. */
const pretend = async (page: Page, widget: Widget, answer: string): Promise<void> => {
  const served = new Map([
    [widget.script, { contentType: 'text/javascript', body: scriptOf(widget) }],
    [widget.frame, { contentType: 'text/html', body: frameOf(answer) }],
  ]);
  await page.unrouteAll();
  await page.route(/^https:/, (route) => {
    const content = served.get(route.request().url());
    return content ? route.fulfill(content) : route.abort();
  });
};

const answerOn = async (page: Page, { field }: Widget, answer: string): Promise<void> => {
  await eventually(10_000, async () => {
    expect(await page.locator(`[name="${field}"]`).inputValue()).toBe(answer);
  });
  await page.getByRole('button', { name: 'Continue' }).click();
};

const policyOf = (header = ''): Record<string, string> =>
  Object.fromEntries(
    header.split('; ').map((part) => {
      const [name = '', ...sources] = part.split(' ');
      return [name, sources.join(' ')];
    }),
  );

const reachCheck = async (page: Page, server: VerificationServer): Promise<void> => {
  await page.goto(`${fixture.baseUrl}/verify/${server.id}`);
  await authorizeAs(page, randomPlatformId());
  await waitForHeading(page, 'One moment');
};

const blockReasonsOf = async ({ owner, id }: VerificationServer) =>
  (await owner.call('GET', `/api/v1/servers/${id}/analytics`)).body.data.blockReasons;

for (const widget of [turnstile, hcaptcha]) {
  inBrowser(`with ${widget.name} a good answer passes and a bad one does not`, async () => {
    const server = await newVerificationServer(fixture, { captchaType: widget.name });
    const { page, complaints, close } = await chromium.openWindow();
    await pretend(page, widget, 'bad answer');
    await reachCheck(page, server);
    await expectUsable(page, `widget-${widget.name}`);
    await answerOn(page, widget, 'bad answer');
    await waitForHeading(page, 'The check did not work');
    expect(await membersOf(server)).toEqual([]);
    expect(await blockReasonsOf(server)).toMatchObject({ CAPTCHA: 1 });

    const good = `good answer of ${widget.name}`;
    goodAnswers.add(good);
    await pretend(page, widget, good);
    await page.getByRole('link', { name: 'Try again' }).click();
    await answerOn(page, widget, good);
    await waitForHeading(page, 'You are verified');
    expect(await membersOf(server)).toHaveLength(1);
    expect(await blockReasonsOf(server)).toMatchObject({ CAPTCHA: 0 });
    expect(complaints).toEqual([]);
    await close();
  });

  inBrowser(`with ${widget.name} only the provider's scripts run in the page`, async () => {
    const server = await newVerificationServer(fixture, { captchaType: widget.name });
    const { page, complaints, close } = await chromium.openWindow();
    await pretend(page, widget, 'answer');
    await reachCheck(page, server);
    const response = await page.reload();
    const policy = policyOf(response?.headers()['content-security-policy']);
    expect(policy['script-src']).toBe(`'self' ${widget.hosts}`);
    expect(policy['frame-src']).toBe(widget.hosts);
    expect(complaints).toEqual([]);
    await page.evaluate(() => {
      for (const kind of ['script', 'iframe'] as const) {
        const element = document.createElement(kind);
        element.src = 'https://elsewhere.example/';
        document.body.append(element);
      }
    });
    await eventually(10_000, async () => {
      const violations = complaints.filter((words) => words.startsWith('Against the policy'));
      expect(violations.map((words) => words.split(' ')[3]).sort()).toEqual([
        'frame-src',
        'script-src-elem',
      ]);
    });
    await close();
  });
}

const cheat = `const form = document.querySelector('form[data-check]');
form.elements.solution.value = JSON.stringify({ counter: 1, derivedKey: '00'.repeat(32) });
form.requestSubmit();`;

inBrowser('a wrong proof of work verifies no one, is counted, and can be tried again', async () => {
  const server = await newVerificationServer(fixture, { captchaType: 'POW' });
  const { page, complaints, close } = await chromium.openWindow();
  await page.route('**/pages/check.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: cheat }),
  );
  await page.goto(`${fixture.baseUrl}/verify/${server.id}`);
  await authorizeAs(page, randomPlatformId());
  await waitForHeading(page, 'The check did not work');
  await expectUsable(page, 'check-failed');
  expect(await blockReasonsOf(server)).toMatchObject({ CAPTCHA: 1 });
  expect(await membersOf(server)).toEqual([]);
  await page.unrouteAll();
  await page.getByRole('link', { name: 'Try again' }).click();
  await waitForHeading(page, 'You are verified');
  expect(complaints).toEqual([]);
  await close();
});
