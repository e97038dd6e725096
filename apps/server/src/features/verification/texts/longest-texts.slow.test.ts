import { expect } from 'bun:test';
import { inBrowser } from '../../../../test/harness/browser/chromium.ts';
import { findFaults } from '../../../../test/harness/browser/find-faults.ts';
import { useVerificationInBrowser } from '../../../../test/harness/browser/verification.ts';
import {
  renderStates,
  type StatePage,
  silentCaptcha,
} from '../../../../test/harness/verification/states.ts';

const { chromium, fixture } = useVerificationInBrowser({ captcha: silentCaptcha });

/** In the browser: how high each page is. */
const measureHeights = (pages: StatePage[]): Record<string, number> =>
  Object.fromEntries(
    pages.map(({ language, html }) => {
      document.body.innerHTML = /<body>(.*)<\/body>/s.exec(html)?.[1] ?? '';
      return [language, document.documentElement.scrollHeight];
    }),
  );

/** In the browser: the pages whose button is not in sight before anything is scrolled. */
const findHiddenButtons = (pages: StatePage[]): string[] =>
  pages.flatMap(({ state, language, html }) => {
    document.body.innerHTML = /<body>(.*)<\/body>/s.exec(html)?.[1] ?? '';
    const button = document.querySelector('form[method=post] button')?.getBoundingClientRect();
    return button && button.bottom <= innerHeight ? [] : [`${state} ${language}`];
  });

inBrowser(
  'no text is cut or too wide on a narrow phone, and the first page fits a phone, its button a small one',
  async () => {
    const pages = await renderStates(fixture);
    const firstPages = pages.filter(({ state }) => state === 'visit');
    const { page, close } = await chromium.openWindow({ viewport: { width: 390, height: 844 } });
    await page.goto(`${fixture.baseUrl}/verify/nowhere`);
    const heights = await page.evaluate(measureHeights, firstPages);
    expect(Object.keys(heights)).toHaveLength(8);
    for (const [language, height] of Object.entries(heights)) {
      expect({ language, isTooHigh: height > 844 }).toEqual({ language, isTooHigh: false });
    }
    await page.setViewportSize({ width: 360, height: 640 });
    const visits = pages.filter(({ state }) => state.startsWith('visit'));
    expect(await page.evaluate(findHiddenButtons, visits)).toEqual([]);
    expect(pages.length).toBeGreaterThan(8 * 30);
    expect(await page.evaluate(findFaults, pages)).toEqual([]);
    await close();
  },
  90_000,
);
