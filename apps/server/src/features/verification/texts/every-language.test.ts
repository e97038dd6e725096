import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  allLanguages,
  expectAllSeen,
  expectOnlyLanguage,
  expectTranslated,
  leavesOf,
  readPage,
} from '../../../../test/harness/languages.ts';
import {
  startVerificationFixture,
  type VerificationFixture,
} from '../../../../test/harness/verification/fixture.ts';
import {
  renderStates,
  type StatePage,
  silentCaptcha,
} from '../../../../test/harness/verification/states.ts';
import { languages } from '../../../http/languages/languages.ts';
import { verificationTexts } from './verification-texts.ts';

test('every text of a verification is written in every language', () => {
  expectTranslated(verificationTexts);
});

let fixture: VerificationFixture;
let pages: StatePage[];
beforeAll(async () => {
  fixture = await startVerificationFixture({ captcha: silentCaptcha });
  pages = await renderStates(fixture);
}, 240_000);
afterAll(() => fixture.stop());

const english = leavesOf(verificationTexts.en);
const pagesIn = (language: string) => pages.filter((page) => page.language === language);

test.each(allLanguages)(
  'every state is shown in %s, without a word of another language',
  (code) => {
    const { direction } = languages[code];
    for (const { html } of pagesIn(code)) {
      expect(html).toStartWith(`<!doctype html><html lang="${code}" dir="${direction}">`);
    }
    const texts = pagesIn(code).map(({ html }) => readPage(html));
    expectOnlyLanguage(code, texts, english);
    expectAllSeen(leavesOf(verificationTexts[code]), texts);
  },
);

test('every page can be read in another language, and choosing one leads back to it', () => {
  const withoutSwitch = pagesIn('en').filter(({ html }) => !html.includes('class="languages"'));
  // Without the address of a server there is no page to come back to.
  expect(withoutSwitch.map(({ state }) => state)).toEqual([
    'error-tooMany',
    'error-without-server',
    'no-server',
  ]);
  for (const { html } of pagesIn('en')) {
    for (const [, back] of html.matchAll(/\/language\?to=\w+&amp;back=([^"]*)"/g)) {
      expect(decodeURIComponent(back ?? '')).toMatch(/^\/verify\/[\w-]+(\/check|\/done)?$/);
    }
  }
});

test('the style of the pages knows no left and no right', async () => {
  for (const name of ['pages.css', 'parts.css', 'held.css']) {
    const path = new URL(`../../../http/pages/${name}`, import.meta.url);
    expect(await Bun.file(path).text()).not.toMatch(/\b(left|right)\b/);
  }
});
