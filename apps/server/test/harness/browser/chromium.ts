import { expect } from 'bun:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { eventually } from '../eventually.ts';
import { testWith } from '../running-service.ts';

const executablePath = Bun.which('chromium');
const axePath = Bun.resolveSync('axe-core/axe.min.js', import.meta.dir);

/** A test in a real browser; skipped by name where the machine has none. */
export const inBrowser = testWith('Chromium', executablePath !== null);

type WindowOptions = BrowserContextOptions & {
  /** The client address, as a trusted proxy forwards it. */
  address?: string;
};

const phone = { width: 360, height: 800 };

/** Chromium, started with its first window. Windows share no state. */
export const newChromium = () => {
  let started: Promise<Browser> | undefined;
  return {
    async openWindow({ address, ...options }: WindowOptions = {}) {
      started ??= launch();
      const browser = await started;
      const context = await browser.newContext({
        viewport: phone,
        ...(address !== undefined && { extraHTTPHeaders: { 'x-forwarded-for': address } }),
        ...options,
      });
      const page = await context.newPage();
      return { page, complaints: await collectComplaints(page), close: () => context.close() };
    },
    async close(): Promise<void> {
      await (await started)?.close();
    },
  };
};

export type Window = Awaited<ReturnType<ReturnType<typeof newChromium>['openWindow']>>;

const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: executablePath ?? '',
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });

const reportViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('Against the policy: ' + event.violatedDirective + ' ' + event.blockedURI));`;

/** Collects dialogs, errors and violations of the content policy. */
const collectComplaints = async (page: Page): Promise<string[]> => {
  const complaints: string[] = [];
  const pages = new Set<string>();
  page.on('request', (request) => {
    if (request.isNavigationRequest()) pages.add(request.url());
  });
  page.on('dialog', (dialog) => {
    complaints.push(`Dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (line) => {
    // The browser logs an error for a page with a 4xx status; that is no complaint.
    const isStatus = line.text().startsWith('Failed to load resource: the server responded');
    if (line.type() !== 'error' || (isStatus && pages.has(line.location().url))) return;
    complaints.push(line.text());
  });
  await page.addInitScript({ content: reportViolations });
  return complaints;
};

export type Look = { colorScheme: 'light' | 'dark'; width: number };

const allLooks: Look[] = [
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 360 },
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
];

/**
 * Checks accessibility and width of a page, light and dark, narrow and wide. With SCREENSHOT_DIR set it
 * also takes pictures.
 */
export const expectUsable = async (page: Page, name: string, looks = allLooks): Promise<void> => {
  // Evaluated by the debugger: the page's content policy forbids other scripts.
  await page.evaluate(`${await Bun.file(axePath).text()}; 0`);
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: phone.height });
    const look = `${name}-${colorScheme}-${width}`;
    expect({ look, violations: await violationsOn(page) }).toEqual({ look, violations: [] });
    // Charts follow the width of the window a moment later.
    await eventually(3000, async () =>
      expect({ look, overflow: await overflowOf(page) }).toEqual({ look, overflow: 0 }),
    );
    const folder = process.env.SCREENSHOT_DIR;
    if (folder) await page.screenshot({ path: `${folder}/${look}.png`, fullPage: true });
  }
};

type AxeResult = { violations: { id: string; nodes: { html: string }[] }[] };

/** A page that is still animating is checked again after a moment. */
const violationsOn = async (page: Page): Promise<string[]> => {
  const found = await runAxe(page);
  if (found.length === 0) return found;
  await page.waitForTimeout(400);
  return runAxe(page);
};

const runAxe = async (page: Page): Promise<string[]> => {
  const { violations } = await page.evaluate<AxeResult>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

/** By how much the page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - innerWidth)');

/** Authorizes as that person, from the verification page and back to it. */
export const authorizeAs = async (page: Page, person: string): Promise<void> => {
  await page.getByRole('button', { name: 'Verify me' }).click();
  await page.getByLabel("Another user's id").fill(person);
  await page.getByRole('button', { name: 'Authorize' }).click();
};

export const waitForHeading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor({ timeout: 30_000 });

/** Names that break a page which does not escape them. */
export const hostileNames = {
  'a picture that runs a script': '<img src=x onerror=alert(1)>',
  'an end to every element':
    '"><svg onload=alert(1)></title></textarea><script>alert(1)</script>&lt;',
  'what turns writing around': '\u202e\u2067gnihton ot emoclew',
  'a hundred emoji': '🦭'.repeat(100),
};

/** What a page shows of such a name: without the characters that reverse the direction. */
export const shownOf = (name: string): string => name.replace(/[\u202e\u2067]/g, '');

/** The distance from a word's first letter to its second; negative where the direction is reversed. */
export const stepBetweenLetters = (page: Page, word: string): Promise<number> =>
  page.evaluate((wanted) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let node = walker.nextNode();
    while (node && !node.textContent?.includes(wanted)) node = walker.nextNode();
    if (!node) throw new Error(`The page has no ${wanted}`);
    const at = node.textContent?.indexOf(wanted) ?? 0;
    const range = document.createRange();
    const [first, second] = [0, 1].map((letter) => {
      range.setStart(node, at + letter);
      range.setEnd(node, at + letter + 1);
      return range.getBoundingClientRect().left;
    });
    return (second ?? 0) - (first ?? 0);
  }, word);
