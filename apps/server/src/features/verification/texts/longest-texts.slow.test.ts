import { expect } from 'bun:test';
import { inBrowser } from '../../../../test/harness/browser/chromium.ts';
import { useVerificationInBrowser } from '../../../../test/harness/browser/verification.ts';
import {
  renderStates,
  type StatePage,
  silentCaptcha,
} from '../../../../test/harness/verification/states.ts';

const { chromium, fixture } = useVerificationInBrowser({ captcha: silentCaptcha });

type Fault = { state: string; language: string; cut: string[]; overflow: number };

/** In the browser: shows one page after the other, and finds texts outside of their button or card. */
const findFaults = (pages: StatePage[]): Fault[] =>
  pages.flatMap(({ state, language, html }) => {
    document.documentElement.lang = language;
    document.body.innerHTML = /<body>(.*)<\/body>/s.exec(html)?.[1] ?? '';
    for (const details of document.querySelectorAll('details')) details.open = true;
    const cut = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const holder = node.parentElement?.closest('button, .button, .choice, main, footer');
      if (!holder || node.parentElement?.closest('noscript, .unseen, [hidden]')) continue;
      const box = holder.getBoundingClientRect();
      range.selectNodeContents(node);
      for (const { width, left, right, top, bottom } of range.getClientRects()) {
        const isInside = left > box.left - 1 && right < box.right + 1;
        const isWithin = top > box.top - 1 && bottom < box.bottom + 1;
        if (width > 0 && !(isInside && isWithin)) cut.add(node.textContent ?? '');
      }
    }
    const overflow = Math.max(0, document.documentElement.scrollWidth - innerWidth);
    return cut.size > 0 || overflow > 0 ? [{ state, language, cut: [...cut], overflow }] : [];
  });

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
