import { expect } from 'bun:test';
import { blockReasons } from '@holdfast/contract';
import { Hono } from 'hono';
import {
  sendErrorPage,
  sendTooManyAttempts,
} from '../../../src/features/verification/pages/error-pages.tsx';
import { raiseChecks } from '../../../src/features/verification/queries/raised-checks.ts';
import { roleTroubles } from '../../../src/features/verification/rules.ts';
import { verificationTexts } from '../../../src/features/verification/texts/verification-texts.ts';
import type { HttpEnv } from '../../../src/http/context.ts';
import type { Language } from '../../../src/http/languages/languages.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import type { PageBrowser } from '../browser/page-browser.ts';
import { eventually } from '../eventually.ts';
import { allLanguages } from '../languages.ts';
import { storeNewcomer, storeWave } from '../protection.ts';
import { randomPlatformId } from '../service.ts';
import type { VerificationFixture } from './fixture.ts';
import { authorize, deviceOf, newVerificationServer, solveOn, walkIn } from './newcomer.ts';

/** A provider of captchas that nobody reaches. */
export const silentCaptcha = {
  ...{ siteKey: 'site-key', secret: new Secret('secret'), verifyUrl: 'http://127.0.0.1:1/' },
};

export type StatePage = { state: string; language: Language; html: string };
type Ask = (browser: PageBrowser, language: Language) => Promise<{ text: string }>;

/** Every page of a verification in every state, in every language. */
export const renderStates = async (fixture: VerificationFixture): Promise<StatePage[]> => {
  const pages: StatePage[] = [];
  /** Asked for by the browser of `cookies`, as if it preferred each of the languages. */
  const show = async (state: string, cookies: Map<string, string>, ask: Ask) => {
    for (const language of allLanguages) {
      const browser = fixture.newBrowser(undefined, { 'accept-language': language });
      for (const [name, value] of cookies) browser.cookies.set(name, value);
      const { text } = await ask(browser, language);
      if (!text.startsWith('<!doctype')) throw new Error(`${state} is no page: ${text}`);
      pages.push({ state, language, html: text });
    }
  };
  const stage = { ...fixture, show };
  await showFirstPages(stage);
  await showChecks(stage);
  await showHeld(stage);
  await showBlocked(stage);
  await showDone(stage);
  await showErrors(stage);
  return pages;
};

type Stage = VerificationFixture & {
  show(state: string, cookies: Map<string, string>, ask: Ask): Promise<void>;
};

const visiting =
  (serverId: string, page = ''): Ask =>
  (browser) =>
    browser.get(`/verify/${serverId}${page}`);
const checking = (serverId: string, form: Record<string, string>): Ask => {
  return (browser) => browser.post(`/verify/${serverId}/check`, form);
};

const showFirstPages = async (stage: Stage) => {
  const plain = await newVerificationServer(stage, { verifiedRoleId: null });
  await stage.show('visit', new Map(), visiting(plain.id));
  const strict = await newVerificationServer(stage, { firewallEnabled: true });
  const rule = { body: { type: 'SERVER_ID', value: randomPlatformId() } };
  await strict.owner.call('POST', `/api/v1/servers/${strict.id}/firewall`, rule);
  const { accountId } = strict.owner;
  await stage.db.transaction((tx) =>
    raiseChecks(tx, {
      ...{ serverId: strict.id, accountId, captchaType: 'POW', minAccountAgeDays: 3 },
      until: new Date(Date.now() + 600_000),
    }),
  );
  await stage.show('visit-stricter', new Map(), visiting(strict.id));
};

const showChecks = async (stage: Stage) => {
  for (const captchaType of ['NONE', 'POW', 'TURNSTILE']) {
    const settings = { captchaType, altDetectEnabled: captchaType === 'NONE' };
    const server = await newVerificationServer(stage, settings);
    const browser = stage.newBrowser();
    await browser.get((await authorize(browser, server, randomPlatformId())).back);
    const { cookies } = browser;
    await stage.show(`check-${captchaType}`, cookies, visiting(server.id, '/check'));
    const solved = await solveOn(await browser.get(`/verify/${server.id}/check`));
    const forms: Record<string, Record<string, string>> = {
      NONE: {},
      POW: { ...solved, solution: JSON.stringify({ counter: 1, derivedKey: '00'.repeat(32) }) },
      TURNSTILE: { 'cf-turnstile-response': 'token' },
    };
    await stage.show(
      `refused-${captchaType}`,
      cookies,
      checking(server.id, forms[captchaType] ?? {}),
    );
    if (captchaType !== 'POW') continue;
    await stage.show('captcha-missing', cookies, checking(server.id, {}));
    await stage.show('captcha-stale', cookies, checking(server.id, { ...solved, seal: 'broken' }));
  }
};

const showHeld = async (stage: Stage) => {
  const server = await newVerificationServer(stage);
  const [browser, platformId] = [stage.newBrowser(), randomPlatformId()];
  const owner = { db: stage.db, accountId: server.owner.accountId };
  const incidentId = await storeWave(owner, server.id);
  await storeNewcomer(owner, { serverId: server.id, incidentId, platformId });
  await walkIn(browser, server, platformId);
  const form = { fingerprint: deviceOf(platformId) };
  await stage.show('held', browser.cookies, checking(server.id, form));
  await stage.show('visit-held', browser.cookies, visiting(server.id));
};

const showBlocked = async (stage: Stage) => {
  const [browser, person] = [stage.newBrowser(), randomPlatformId()];
  const server = await newVerificationServer(stage);
  const { cookies } = browser;
  await server.owner.call('POST', `/api/v1/servers/${server.id}/blacklist`, {
    body: { platformId: person },
  });
  await walkIn(browser, server, person);
  const sql = stage.db.$client;
  for (const reason of blockReasons) {
    await sql`update pending_verifications set block_reason = ${reason} where platform_id = ${person}`;
    await stage.show(`blocked-${reason}`, cookies, visiting(server.id, '/check'));
  }
  await stage.show('visit-refused', cookies, visiting(server.id));
  const appeal = (message: string) => (sender: PageBrowser) =>
    sender.post(`/verify/${server.id}/appeal`, { message });
  await stage.show('appeal-invalid', cookies, appeal(' '));
  await appeal('Please.')(browser);
  for (const status of ['OPEN', 'ACCEPTED', 'REJECTED']) {
    await sql`
      update appeals set status = ${status}, decided_at = now() where platform_id = ${person}`;
    await stage.show(`appeal-${status}`, cookies, visiting(server.id, '/check'));
    await stage.show(`visit-${status}`, cookies, visiting(server.id));
  }
};

const showDone = async (stage: Stage) => {
  const [browser, person] = [stage.newBrowser(), randomPlatformId()];
  const server = await newVerificationServer(stage, {}, [person]);
  const { cookies } = browser;
  await walkIn(browser, server, person, { form: { recover: 'yes' } });
  const sql = stage.db.$client;
  const setRole = (status: string, error: string | null) => sql`
    update role_assignments set status = ${status}, error = ${error}
    where platform_id = ${person}`;
  // The job that gives the role has ended before the test says how it ended.
  await eventually(30_000, async () => {
    const [row] = await sql`select status from role_assignments where platform_id = ${person}`;
    expect(row.status).toBe('done');
  });
  for (const trouble of roleTroubles) {
    await setRole(trouble === 'platformSilent' ? 'waiting' : 'failed', trouble);
    await stage.show(`done-${trouble}`, cookies, visiting(server.id, '/done'));
  }
  await setRole('waiting', null);
  await stage.show('done-waiting', cookies, visiting(server.id, '/done'));
  await setRole('done', null);
  await stage.show('done', cookies, visiting(server.id, '/done'));
  await sql`update members set consented_at = null where platform_id = ${person}`;
  await stage.show('done-without-recovery', cookies, visiting(server.id, '/done'));
  await stage.show('visit-verified', cookies, visiting(server.id));
};

/** Each way to them has a test of its own: here only their texts matter. */
const errorPages = new Hono<HttpEnv>();
const { startAgain: _button, openLink: _link, ...errors } = verificationTexts.en.errors;
// `Object.keys` forgets the type of the keys.
const errorCodes = Object.keys(errors) as (keyof typeof errors)[];
for (const error of errorCodes) {
  errorPages.get(`/${error}`, (context) => sendErrorPage(context, error, randomPlatformId()));
}
errorPages.get('/tooMany', (context) => sendTooManyAttempts(context));

const showErrors = async (stage: Stage) => {
  const noCookies = new Map<string, string>();
  for (const error of [...errorCodes, 'tooMany']) {
    await stage.show(`error-${error}`, noCookies, async (_, language) => {
      const headers = { 'accept-language': language };
      return { text: await (await errorPages.request(`/${error}`, { headers })).text() };
    });
  }
  const lost = '/verify/callback?state=lost&code=1';
  await stage.show('error-without-server', noCookies, (browser) => browser.get(lost));
  await stage.show('no-server', noCookies, visiting('nowhere'));
};
