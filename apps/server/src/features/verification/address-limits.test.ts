import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { and, count, eq, ne } from 'drizzle-orm';
import { newDoor, type TestDoor } from '../../../test/newcomer.ts';
import {
  startVerificationScene,
  type VerificationScene,
} from '../../../test/verification-scene.ts';
import { authorizations } from './table.ts';

setDefaultTimeout(30_000);

let scene: VerificationScene;
let door: TestDoor;
beforeAll(async () => {
  scene = await startVerificationScene();
  door = await newDoor(scene);
});
afterAll(() => scene.stop());

const countRows = async (): Promise<number> => {
  const ofServer = eq(authorizations.serverId, door.id);
  const [counted] = await scene.db.select({ total: count() }).from(authorizations).where(ofServer);
  return counted?.total ?? 0;
};

const statusesOf = (pages: { status: number }[]) => new Set(pages.map(({ status }) => status));

describe('one address', () => {
  test('begins 60 verifications in a minute, and leaves no more rows than that', async () => {
    const begin = () => scene.newBrowser('198.51.100.7').post(`/verify/${door.id}`);
    const pages = await Promise.all(Array.from({ length: 200 }, begin));
    expect(pages.filter(({ status }) => status === 303)).toHaveLength(60);
    expect(statusesOf(pages)).toEqual(new Set([303, 429]));
    const refused = pages.find(({ status }) => status === 429);
    expect(refused?.headers.get('retry-after')).toBe('60');
    expect(await countRows()).toBe(60);
    const other = await scene.newBrowser('198.51.100.8').post(`/verify/${door.id}`);
    expect(other.status).toBe(303);
  });

  test('is a whole /64 of IPv6', async () => {
    const begin = (_: unknown, place: number) =>
      scene.newBrowser(`2001:db8::${place.toString(16)}`).post(`/verify/${door.id}`);
    const pages = await Promise.all(Array.from({ length: 100 }, begin));
    expect(pages.filter(({ status }) => status === 303)).toHaveLength(60);
  });

  test.each(['/verify/callback', '/own/way/back'])(
    'comes back to %s 120 times in a minute, both together',
    async (path) => {
      const address = '203.0.113.9';
      const comeBack = () => scene.newBrowser(address).get(`${path}?state=none&code=none`);
      const pages = await Promise.all(Array.from({ length: 130 }, comeBack));
      const passed = pages.filter(({ status }) => status === 400);
      expect(passed).toHaveLength(path === '/verify/callback' ? 120 : 0);
    },
  );
});

test('a server keeps its 5,000 newest verifications, and newcomers from new addresses can still begin', async () => {
  await scene.db.$client`
    insert into verification_authorizations (state_hash, browser_hash, server_id, bot_id, attempt_id,
      code_verifier, redirect_uri, scopes, expires_at)
    select 'flood-' || i, 'browser', server.id, server.custom_bot_id, gen_random_uuid(), 'verifier',
      'http://localhost/back', '[]', now() + i * interval '1 millisecond'
    from servers as server, generate_series(1, 5010) as i where server.id = ${door.id}`;
  const addresses = Array.from({ length: 12 }, (_, place) => `192.0.2.${place}`);
  for (const address of addresses) {
    const page = await scene.newBrowser(address).post(`/verify/${door.id}`);
    expect(page.status).toBe(303);
  }
  expect(await countRows()).toBe(5000);
  const newcomers = await scene.db
    .select({ stateHash: authorizations.stateHash })
    .from(authorizations)
    .where(and(eq(authorizations.serverId, door.id), ne(authorizations.browserHash, 'browser')));
  expect(newcomers.length).toBeGreaterThanOrEqual(addresses.length);
});

test('what never came back is forgotten once its ten minutes are over', async () => {
  const expiresAt = new Date(Date.now() - 1000);
  await scene.db.update(authorizations).set({ expiresAt });
  await scene.forget();
  expect(await countRows()).toBe(0);
});
