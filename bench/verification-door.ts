import { newPageBrowser, type PageBrowser } from '../apps/server/test/page-browser.ts';
import { createBot, createServer } from './contents.ts';
import type { Tenant, World } from './world.ts';

/** A server that newcomers come to. */
export type Door = { id: string; owner: Tenant; clientSecret: string };

const clientId = 81;

export const makeDoor = async (world: World, captchaType: 'NONE' | 'POW'): Promise<Door> => {
  const owner = await world.newTenant();
  const botId = await createBot(world, owner, clientId);
  const id = await createServer(world, owner, botId, 8100);
  const changed = await fetch(`${world.service.url}/api/v1/servers/${id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ captchaType }),
  });
  if (!changed.ok) throw new Error(`No settings: ${await changed.text()}`);
  return { id, owner, clientSecret: `secret-${clientId}` };
};

/** Somebody who has agreed at the platform and is about to come back. */
export type Newcomer = {
  search: string;
  cookie: string;
  /** Each comes from another one: what one address may do in a minute is bounded. */
  address: string;
  browser: PageBrowser;
  platformUrl: string;
};

let people = 0;

/** The page, the form, the platform's own page: as a browser without scripts goes. */
export const walkToPlatform = async (world: World, door: Door): Promise<Newcomer> => {
  const origin = world.service.url;
  people += 1;
  const address = `10.${people >> 16}.${(people >> 8) & 255}.${people & 255}`;
  const browser = newPageBrowser((request) => fetch(request, { redirect: 'manual' }), origin, {
    headers: { 'x-forwarded-for': address },
  });
  await browser.get(`/verify/${door.id}`);
  const begun = await browser.post(`/verify/${door.id}`);
  if (begun.status !== 303) throw new Error(`Not begun: ${begun.status} ${begun.text}`);
  const authorizeUrl = new URL(begun.location ?? '');
  const person = BigInt(people) + 10n ** 17n;
  const agreed = await fetch(`${authorizeUrl.href}&sim_user=${person}`, { redirect: 'manual' });
  const { search } = new URL(agreed.headers.get('location') ?? '');
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return { search, cookie, address, browser, platformUrl: authorizeUrl.origin };
};
