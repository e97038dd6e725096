import { type Browser, type BrowserContext, type CDPSession, chromium } from 'playwright-core';

/** Bytes and times of a page. */
export type PageLoad = {
  parts: PagePart[];
  firstByteMs: number;
  firstPaintMs: number;
  loadMs: number;
};
/** Of one kind: as it came over the wire, with its headers, and as the browser unpacked it. */
type PagePart = { kind: string; wireBytes: number; plainBytes: number };

/** As Chromium's own developer tools slow a page down. */
type Slowness = { bitsPerSecond: number; latencyMs: number; processorFactor: number };

export const launchBrowser = async (): Promise<Browser | undefined> => {
  const executablePath = Bun.which('chromium');
  if (!executablePath) return undefined;
  return chromium.launch({
    executablePath,
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });
};

/** A phone with an empty cache; cookies may be given. */
export const openPhone = async (
  browser: Browser,
  cookies: ReadonlyMap<string, string>,
): Promise<BrowserContext> => {
  const viewport = { width: 360, height: 800 };
  const phone = await browser.newContext({ viewport, isMobile: true, hasTouch: true });
  const given = [...cookies].map(([name, value]) => ({ name, value, url: 'https://localhost/' }));
  await phone.addCookies(given.map((cookie) => ({ ...cookie, secure: true, httpOnly: true })));
  return phone;
};

/** From the request until everything of the page is there; where it then goes on to does not count. */
export const loadPage = async (
  phone: BrowserContext,
  url: string,
  slowness?: Slowness,
): Promise<PageLoad> => {
  const page = await phone.newPage();
  const session = await phone.newCDPSession(page);
  const watched = await watch(session);
  if (slowness) await slowDown(session, slowness);
  const answer = await page.goto(url, { waitUntil: 'load' });
  if (answer?.status() !== 200) throw new Error(`${url} was answered ${answer?.status()}`);
  const firstPaintMs = await page.evaluate(untilPaint);
  const load = await watched.whenFinished();
  await page.close();
  return { ...load, firstPaintMs };
};

/** Runs in the page, which may be painted only after all of it is there. */
const untilPaint = (): Promise<number> =>
  new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const [painted] = list.getEntriesByName('first-contentful-paint');
      if (painted) resolve(painted.startTime);
    }).observe({ type: 'paint', buffered: true });
  });

const slowDown = async (session: CDPSession, slowness: Slowness): Promise<void> => {
  const bytesPerSecond = slowness.bitsPerSecond / 8;
  await session.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: slowness.latencyMs },
    ...{ downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond },
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowness.processorFactor });
};

type Asked = { kind: string; loaderId: string; wireBytes?: number; plainBytes: number };

/** By the browser's own events, which know what came over the wire; pages themselves do not. */
const watch = async (session: CDPSession) => {
  const asked = new Map<string, Asked>();
  let document: { loaderId: string; sentAt: number } | undefined;
  let [firstByteAt, loadedAt] = [Number.NaN, Number.NaN];
  session.on('Network.requestWillBeSent', ({ requestId, loaderId, type = '', ...sent }) => {
    document ??= { loaderId, sentAt: sent.timestamp };
    if (!sent.request.url.startsWith('data:')) {
      asked.set(requestId, { kind: type, loaderId, plainBytes: 0 });
    }
  });
  session.on('Network.responseReceived', ({ requestId, timestamp, loaderId }) => {
    if (requestId === loaderId && loaderId === document?.loaderId) firstByteAt = timestamp;
  });
  session.on('Network.dataReceived', ({ requestId, dataLength }) => {
    const part = asked.get(requestId);
    if (part) part.plainBytes += dataLength;
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const part = asked.get(requestId);
    if (part) part.wireBytes = encodedDataLength;
  });
  session.on('Page.loadEventFired', ({ timestamp }) => {
    if (Number.isNaN(loadedAt)) loadedAt = timestamp;
  });
  await session.send('Network.enable');
  await session.send('Page.enable');

  return {
    async whenFinished() {
      const ofPage = () =>
        [...asked.values()].filter((part) => part.loaderId === document?.loaderId);
      while (ofPage().some(({ wireBytes }) => wireBytes === undefined)) await Bun.sleep(20);
      const since = (at: number) => (at - (document?.sentAt ?? Number.NaN)) * 1000;
      return {
        parts: sumByKind(ofPage()),
        firstByteMs: since(firstByteAt),
        loadMs: since(loadedAt),
      };
    },
  };
};

const sumByKind = (asked: Asked[]): PagePart[] =>
  Object.entries(Object.groupBy(asked, ({ kind }) => kind)).map(([kind, parts = []]) => ({
    kind,
    wireBytes: parts.reduce((sum, { wireBytes = 0 }) => sum + wireBytes, 0),
    plainBytes: parts.reduce((sum, { plainBytes }) => sum + plainBytes, 0),
  }));
