import {
  newPageBrowser,
  type PageBrowser,
} from '../../apps/server/test/harness/browser/page-browser.ts';
import { createBot, createServer } from '../lib/contents.ts';
import type { Bench, Tenant } from '../lib/environment.ts';

/** A server that newcomers come to. */
export type Door = { id: string; owner: Tenant; clientSecret: string };

const clientId = 81;

export const makeServer = async (bench: Bench, captchaType: 'NONE' | 'POW'): Promise<Door> => {
  const owner = await bench.newTenant();
  const botId = await createBot(bench, owner, clientId);
  const id = await createServer(bench, owner, botId, 8100);
  const changed = await fetch(`${bench.service.url}/api/v1/servers/${id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ captchaType }),
  });
  if (!changed.ok) throw new Error(`No settings: ${await changed.text()}`);
  return { id, owner, clientSecret: `secret-${clientId}` };
};

/** A newcomer who has authorized and is about to return. */
type Newcomer = {
  search: string;
  cookie: string;
  /** Each comes from another one: what one address may do in a minute is bounded. */
  address: string;
  browser: PageBrowser;
  platformUrl: string;
};

let people = 0;

/** The page, the form, the platform's own page: as a browser without scripts goes. */
export const walkToPlatform = async (bench: Bench, server: Door): Promise<Newcomer> => {
  const origin = bench.service.url;
  people += 1;
  // Before anything is awaited: others count on meanwhile.
  const person = BigInt(people) + 10n ** 17n;
  const address = `10.${people >> 16}.${(people >> 8) & 255}.${people & 255}`;
  const browser = newPageBrowser((request) => fetch(request, { redirect: 'manual' }), origin, {
    headers: { 'x-forwarded-for': address },
  });
  await browser.get(`/verify/${server.id}`);
  const begun = await browser.post(`/verify/${server.id}`);
  if (begun.status !== 303) throw new Error(`Not begun: ${begun.status} ${begun.text}`);
  const authorizeUrl = new URL(begun.location ?? '');
  const agreed = await fetch(`${authorizeUrl.href}&sim_user=${person}`, { redirect: 'manual' });
  const { search } = new URL(agreed.headers.get('location') ?? '');
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return { search, cookie, address, browser, platformUrl: authorizeUrl.origin };
};
