import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { and, count, eq, ne } from 'drizzle-orm';
import {
  startVerificationFixture,
  type VerificationFixture,
} from '../../../../test/harness/verification/fixture.ts';
import {
  newVerificationServer,
  type VerificationServer,
} from '../../../../test/harness/verification/newcomer.ts';
import { authorizations } from '../table.ts';

let fixture: VerificationFixture;
let server: VerificationServer;
beforeAll(async () => {
  fixture = await startVerificationFixture();
  server = await newVerificationServer(fixture);
});
afterAll(() => fixture.stop());

const countRows = async (): Promise<number> => {
  const ofServer = eq(authorizations.serverId, server.id);
  const [counted] = await fixture.db
    .select({ total: count() })
    .from(authorizations)
    .where(ofServer);
  return counted?.total ?? 0;
};

const statusesOf = (pages: { status: number }[]) => new Set(pages.map(({ status }) => status));

test('the first visit sets one cookie, which the browser keeps', async () => {
  const browser = fixture.newBrowser('198.51.100.77');
  const first = await browser.get(`/verify/${server.id}`);
  const names = first.headers.getSetCookie().map((line) => line.split('=')[0]);
  expect(names.filter((name) => name === '__Host-browser')).toHaveLength(1);
  expect(new Set(names).size).toBe(names.length);
  const second = await browser.get(`/verify/${server.id}`);
  expect(second.headers.getSetCookie()).toEqual([]);
});

describe('one address', () => {
  test('begins 60 verifications in a minute, and leaves no more rows than that', async () => {
    const begin = () => fixture.newBrowser('198.51.100.7').post(`/verify/${server.id}`);
    const pages = await Promise.all(Array.from({ length: 200 }, begin));
    expect(pages.filter(({ status }) => status === 303)).toHaveLength(60);
    expect(statusesOf(pages)).toEqual(new Set([303, 429]));
    const refused = pages.find(({ status }) => status === 429);
    expect(refused?.headers.get('retry-after')).toBe('60');
    expect(await countRows()).toBe(60);
    const other = await fixture.newBrowser('198.51.100.8').post(`/verify/${server.id}`);
    expect(other.status).toBe(303);
  });

  test('is a whole /64 of IPv6', async () => {
    const begin = (_: unknown, index: number) =>
      fixture.newBrowser(`2001:db8::${index.toString(16)}`).post(`/verify/${server.id}`);
    const pages = await Promise.all(Array.from({ length: 100 }, begin));
    expect(pages.filter(({ status }) => status === 303)).toHaveLength(60);
  });

  test.each(['/verify/callback', '/own/way/back'])(
    'comes back to %s 120 times in a minute, both together',
    async (path) => {
      const address = '203.0.113.9';
      const comeBack = () => fixture.newBrowser(address).get(`${path}?state=none&code=none`);
      const pages = await Promise.all(Array.from({ length: 130 }, comeBack));
      const passed = pages.filter(({ status }) => status === 400);
      expect(passed).toHaveLength(path === '/verify/callback' ? 120 : 0);
    },
  );
});

test('a server keeps its 5,000 newest verifications, and newcomers from new addresses can still begin', async () => {
  await fixture.db.$client`
    insert into verification_authorizations (state_hash, browser_hash, server_id, bot_id, attempt_id,
      code_verifier, redirect_uri, scopes, expires_at)
    select 'flood-' || i, 'browser', server.id, server.custom_bot_id, gen_random_uuid(), 'verifier',
      'http://localhost/back', '[]', now() + i * interval '1 millisecond'
    from servers as server, generate_series(1, 5010) as i where server.id = ${server.id}`;
  const addresses = Array.from({ length: 12 }, (_, index) => `192.0.2.${index}`);
  for (const address of addresses) {
    const page = await fixture.newBrowser(address).post(`/verify/${server.id}`);
    expect(page.status).toBe(303);
  }
  expect(await countRows()).toBe(5000);
  const newcomers = await fixture.db
    .select({ stateHash: authorizations.stateHash })
    .from(authorizations)
    .where(and(eq(authorizations.serverId, server.id), ne(authorizations.browserHash, 'browser')));
  expect(newcomers.length).toBeGreaterThanOrEqual(addresses.length);
});

test('authorizations that never came back are deleted after ten minutes', async () => {
  const expiresAt = new Date(Date.now() - 1000);
  await fixture.db.update(authorizations).set({ expiresAt });
  await fixture.forget();
  expect(await countRows()).toBe(0);
});
