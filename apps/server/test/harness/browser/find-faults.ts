import type { StatePage } from '../verification/states.ts';

type Fault = { state: string; language: string; cut: string[]; overflow: number };

/** In the browser: shows one page after the other, and finds texts outside of their button or card. */
export const findFaults = (pages: StatePage[]): Fault[] =>
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
