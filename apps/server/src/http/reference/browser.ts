/**
 * Runs in the browser, on a page that is complete without it: filters the endpoints, copies examples,
 * and marks the current section in the table of contents.
 */
const contents = document.querySelector<HTMLElement>('.contents');
const links = [...document.querySelectorAll<HTMLAnchorElement>('.contents a')];

const addFilter = (list: HTMLElement): void => {
  const input = document.createElement('input');
  input.type = 'search';
  input.placeholder = 'Find an endpoint';
  input.setAttribute('aria-label', 'Find an endpoint');
  input.addEventListener('input', () => filterContents(list, input.value.trim().toLowerCase()));
  list.prepend(input);
};

const filterContents = (list: HTMLElement, word: string): void => {
  for (const group of list.querySelectorAll('ul')) {
    const title = group.previousElementSibling as HTMLElement | null;
    const isWholeGroup = title?.textContent.toLowerCase().includes(word);
    const items = [...group.querySelectorAll('li')];
    for (const item of items) {
      item.hidden = !isWholeGroup && !item.textContent.toLowerCase().includes(word);
    }
    const isEmpty = items.every((item) => item.hidden);
    group.hidden = isEmpty;
    if (title) title.hidden = isEmpty;
  }
};

const addCopyButton = (figure: HTMLElement): void => {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  const title = figure.querySelector('figcaption');
  button.setAttribute('aria-label', `Copy: ${title?.textContent}`);
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('pre')?.textContent ?? '');
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1600);
  });
  title?.after(button);
};

const markCurrent = (id: string): void => {
  for (const link of links) {
    const isHere = link.hash === `#${id}`;
    if (isHere) link.setAttribute('aria-current', 'location');
    else link.removeAttribute('aria-current');
    if (isHere) bringIntoView(link);
  }
};

/** Scrolls the table of contents only: `scrollIntoView` would scroll the page too. */
const bringIntoView = (link: HTMLElement): void => {
  const frame = link.closest('nav');
  if (!frame || frame.scrollHeight <= frame.clientHeight) return;
  const { top, bottom } = link.getBoundingClientRect();
  const box = frame.getBoundingClientRect();
  if (top < box.top || bottom > box.bottom) frame.scrollTop += top - box.top - box.height / 2;
};

const watchCurrent = (): void => {
  const sections = new IntersectionObserver(
    (entries) => {
      const shown = entries.find(({ isIntersecting }) => isIntersecting);
      if (shown) markCurrent(shown.target.id);
    },
    { rootMargin: '-12% 0px -80% 0px' },
  );
  for (const section of document.querySelectorAll('.chapter[id], .operation[id]')) {
    sections.observe(section);
  }
};

/** Collapsed on small screens, where it would cover the page. */
const foldContents = (list: HTMLElement): void => {
  const folder = list.closest('details');
  const beside = matchMedia('(min-width: 64rem)');
  const fold = () => folder?.toggleAttribute('open', beside.matches);
  beside.addEventListener('change', fold);
  list.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) fold();
  });
  fold();
};

if (contents) {
  addFilter(contents);
  foldContents(contents);
}
// Browsers allow the clipboard only in secure contexts.
if (isSecureContext) document.querySelectorAll<HTMLElement>('figure.code').forEach(addCopyButton);
watchCurrent();

export {};
