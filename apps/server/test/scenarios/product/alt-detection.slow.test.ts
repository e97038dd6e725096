import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from '../../harness/bots-and-servers.ts';
import { newPageBrowser } from '../../harness/browser/page-browser.ts';
import { freshDatabase } from '../../harness/database.ts';
import {
  createKey,
  makePlansFile,
  startService,
  stopServices,
  tenantAt,
} from '../../harness/running-service.ts';
import { randomPlatformId, type Tenant } from '../../harness/service.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';
import { sharedSimulator } from '../../harness/simulator/start.ts';
import {
  authorize,
  deviceOf,
  membersOf,
  newVerificationServer,
  type VerificationServer,
} from '../../harness/verification/newcomer.ts';

const baseUrl = 'http://localhost:3999';
let services: ServiceProcess[];
let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await freshDatabase();
  const env = { DATABASE_URL: databaseUrl, PLANS_FILE: await makePlansFile(), ROLE: 'api' };
  const start = () => startService({ ...env, BASE_URL: baseUrl, TRUSTED_PROXIES: '127.0.0.1' });
  services = await Promise.all([start(), start()]);
});
afterAll(stopServices);

const newTenant = async (): Promise<Tenant> =>
  tenantAt(services[0]?.url ?? '', await createKey(databaseUrl));

const newAltDoor = async (): Promise<VerificationServer> =>
  newVerificationServer(
    { service: { newTenant }, simulator: await sharedSimulator() },
    { altDetectEnabled: true },
  );

/** A browser at that address, at one of the processes, as behind a balancer in front of both. */
const browserAt = (process: number, address: string) => {
  const { url = '' } = services[process % services.length] ?? {};
  const send = (request: Request) => {
    const { pathname, search } = new URL(request.url);
    return fetch(new Request(`${url}${pathname}${search}`, request), { redirect: 'manual' });
  };
  return newPageBrowser(send, baseUrl, { headers: { 'x-forwarded-for': address } });
};

type Newcomer = { server: { id: string }; device: string; address: string };

/** Everybody walks up to the last step, and all take it at once; tells what each was told. */
const comeAtOnce = async (newcomers: Newcomer[]): Promise<string[]> => {
  const ready = await Promise.all(
    newcomers.map(async ({ server, device, address }, at) => {
      const browser = browserAt(at, address);
      const { back } = await authorize(browser, server, randomPlatformId());
      await browser.get(back);
      return { browser, path: `/verify/${server.id}/check`, fingerprint: deviceOf(device) };
    }),
  );
  await Promise.all(
    ready.map(({ browser, path, fingerprint }) => browser.post(path, { fingerprint })),
  );
  return Promise.all(
    ready.map(async ({ browser, path }) => {
      const { location, text } = await browser.get(path);
      if (location?.endsWith('/done')) return 'verified';
      return text.includes('You seem to be here already') ? 'alt' : text;
    }),
  );
};

const eight = <Value>(valueAt: (at: number) => Value): Value[] =>
  Array.from({ length: 8 }, (_, at) => valueAt(at));
const oneOfEight = ['alt', 'alt', 'alt', 'alt', 'alt', 'alt', 'alt', 'verified'];

test('of eight people who come at once with one device, one is verified', async () => {
  for (let round = 0; round < 3; round++) {
    const server = await newAltDoor();
    const told = await comeAtOnce(
      eight((at) => ({ server, device: 'one laptop', address: `9.9.${round}.${at + 1}` })),
    );
    expect(told.toSorted()).toEqual(oneOfEight);
    expect(await membersOf(server)).toHaveLength(1);
  }
});

test('of eight people who come at once from one address, one is verified', async () => {
  const server = await newAltDoor();
  const told = await comeAtOnce(
    eight((at) => ({ server, device: `laptop ${at}`, address: '9.9.9.9' })),
  );
  expect(told.toSorted()).toEqual(oneOfEight);
  expect(await membersOf(server)).toHaveLength(1);
});

test('it makes no difference that they come to several servers of one owner', async () => {
  const server = await newAltDoor();
  const otherId = await createServer(server.owner, { name: 'Second' });
  const body = { captchaType: 'NONE', altDetectEnabled: true };
  await server.owner.call('PUT', `/api/v1/servers/${otherId}`, { body });
  const told = await comeAtOnce(
    eight((at) => ({
      server: at % 4 < 2 ? server : { id: otherId },
      device: 'one laptop',
      address: `9.8.7.${at + 1}`,
    })),
  );
  expect(told.toSorted()).toEqual(oneOfEight);
});

test('eight people who share nothing are all verified', async () => {
  const server = await newAltDoor();
  const told = await comeAtOnce(
    eight((at) => ({ server, device: `laptop ${at}`, address: `9.7.7.${at + 1}` })),
  );
  expect(new Set(told)).toEqual(new Set(['verified']));
  expect(await membersOf(server)).toHaveLength(8);
});
