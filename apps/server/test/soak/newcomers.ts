import { newPageBrowser } from '../harness/browser/page-browser.ts';
import { randomPlatformId } from '../harness/service.ts';
import { walkIn } from '../harness/verification/newcomer.ts';
import type { Client } from './client.ts';
import { type Installation, ofRole } from './installation.ts';
import type { Protocol } from './protocol.ts';

/** People who verify by the page, and who begin anew when a step fails. */
export type Newcomers = { comeOnce(): Promise<void>; check(): Promise<void> };

const beginAnewAfterMs = 300;
const verifiedWithinMs = 90_000;
/** They come again and again, so that the list of members does not grow. */
const people = 30;

export const createNewcomers = (
  installation: Installation,
  { client, serverId }: { client: Client; serverId: string },
  { count, violate }: Protocol,
): Newcomers => {
  const known = Array.from({ length: people }, randomPlatformId);
  const verified = new Set<string>();
  return {
    async comeOnce() {
      const platformId = known[Math.floor(Math.random() * known.length)] ?? '';
      const deadline = Date.now() + verifiedWithinMs;
      while (!(await verifyByPage(installation, serverId, platformId))) {
        count('newcomers began anew');
        if (Date.now() > deadline) throw new Error('A newcomer could not verify');
        await Bun.sleep(beginAnewAfterMs);
      }
      count('newcomers verified');
      verified.add(platformId);
    },
    async check() {
      const path = `/api/v1/servers/${serverId}/members?limit=100`;
      const { data }: { data: { platformId: string }[] } = (await client.call('GET', path)).body;
      const found = data.map(({ platformId }) => platformId);
      for (const platformId of verified) {
        const times = found.filter((one) => one === platformId).length;
        if (times !== 1) violate(`a verified newcomer is ${times} times among the members`);
      }
    },
  };
};

/** Each step at another process; false where one of them failed. */
const verifyByPage = async (
  installation: Installation,
  serverId: string,
  platformId: string,
): Promise<boolean> => {
  const urls = ofRole(installation, 'api').map(({ url }) => url);
  let turn = Math.floor(Math.random() * urls.length);
  const send = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const to = `${urls[turn++ % urls.length]}${pathname}${search}`;
    const { method, headers } = request;
    const body = method === 'POST' ? await request.text() : undefined;
    return fetch(to, { method, headers, body, redirect: 'manual' });
  };
  const address = `10.${Array.from({ length: 3 }, () => Math.floor(Math.random() * 255)).join('.')}`;
  const headers = { 'x-forwarded-for': address };
  try {
    const browser = newPageBrowser(send, installation.baseUrl, { headers });
    const { status } = await walkIn(browser, { id: serverId }, platformId);
    return status === 200;
  } catch {
    // A connection broke, or a step was refused.
    return false;
  }
};
