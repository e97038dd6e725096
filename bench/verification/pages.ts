import type { Browser } from 'playwright-core';
import type { Bench } from '../lib/environment.ts';
import { milliseconds, print, printTable, verdict } from '../lib/print.ts';
import { median } from '../lib/statistics.ts';
import { launchBrowser, loadPage, openPhone, type PageLoad } from './browser.ts';
import { type Door, walkToPlatform } from './server.ts';

const goalBytes = 60_000;
const loads = 7;
/** A slow mobile connection. */
const slowness = { bitsPerSecond: 400_000, latencyMs: 400, processorFactor: 4 };

/** How much a newcomer's browser fetches for each of the two pages, and how long that takes it. */
export const measurePages = async (bench: Bench, server: Door): Promise<void> => {
  const browser = await launchBrowser();
  if (!browser) return print('verification: no Chromium here, so no page is measured\n');
  try {
    const pages: Page[] = [];
    for (const [name, open] of Object.entries({ visit: openVisit, check: openCheck })) {
      const seen: PageLoad[] = [];
      while (seen.length < loads) seen.push(await open(browser, bench, server));
      pages.push({ name, loads: seen });
    }
    reportBytes(pages);
    reportTimes(pages);
  } finally {
    await browser.close();
  }
};

type Page = { name: string; loads: PageLoad[] };
type Cookies = ReadonlyMap<string, string>;

const openVisit = (browser: Browser, bench: Bench, server: Door): Promise<PageLoad> =>
  load(browser, bench, `/verify/${server.id}`, new Map());

/** The page on which the browser shows that it is one, by a proof of work. */
const openCheck = async (browser: Browser, bench: Bench, server: Door): Promise<PageLoad> => {
  const { browser: newcomer, search } = await walkToPlatform(bench, server);
  await newcomer.get(`/verify/callback${search}`);
  return load(browser, bench, `/verify/${server.id}/check`, newcomer.cookies);
};

/** Nothing is in the phone's cache. By this name the browser takes secure cookies without TLS. */
const load = async (browser: Browser, bench: Bench, path: string, cookies: Cookies) => {
  const phone = await openPhone(browser, cookies);
  const origin = bench.service.url.replace('127.0.0.1', 'localhost');
  try {
    return await loadPage(phone, `${origin}${path}`, slowness);
  } finally {
    await phone.close();
  }
};

const kinds = { html: 'Document', style: 'Stylesheet', script: 'Script', pictures: 'Image' };

const reportBytes = (pages: readonly Page[]): void => {
  print('verification: bytes of a page over the wire, headers included');
  printTable(
    ['', ...Object.keys(kinds), 'in all', 'uncompressed', `goal < ${kilobytes(goalBytes)}`],
    pages.map(({ name, loads: [first] }) => {
      const parts = first?.parts ?? [];
      const inAll = parts.reduce((sum, { wireBytes }) => sum + wireBytes, 0);
      const plain = parts.reduce((sum, { plainBytes }) => sum + plainBytes, 0);
      const ofKind = (kind: string) =>
        kilobytes(parts.find((part) => part.kind === kind)?.wireBytes ?? 0);
      const cells = [...Object.values(kinds).map(ofKind), kilobytes(inAll), kilobytes(plain)];
      return [name, ...cells, verdict(inAll > 0 && inAll < goalBytes)];
    }),
  );
};

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

const reportTimes = (pages: readonly Page[]): void => {
  const { bitsPerSecond, latencyMs, processorFactor } = slowness;
  print(`\nverification: median of ${loads} first loads at 360 px, ${bitsPerSecond / 1000} kbit/s, \
${latencyMs} ms, processor ${processorFactor} times slower`);
  printTable(
    ['', 'first byte', 'first paint', 'load'],
    pages.map((page) => {
      const middle = (part: 'firstByteMs' | 'firstPaintMs' | 'loadMs') =>
        milliseconds(median(page.loads.map((seen) => seen[part])));
      return [page.name, middle('firstByteMs'), middle('firstPaintMs'), middle('loadMs')];
    }),
  );
  print();
};
