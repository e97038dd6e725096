import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { count, eq } from 'drizzle-orm';
import { eventually } from '../../../../test/harness/eventually.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import {
  startVerificationFixture,
  type VerificationFixture,
} from '../../../../test/harness/verification/fixture.ts';
import {
  authorize,
  newVerificationServer,
  type VerificationServer,
} from '../../../../test/harness/verification/newcomer.ts';
import { pendingVerifications } from '../table.ts';

let fixture: VerificationFixture;
let server: VerificationServer;
beforeAll(async () => {
  fixture = await startVerificationFixture();
  server = await newVerificationServer(fixture);
});
afterEach(() => fixture.simulator.control('DELETE', '/faults'));
afterAll(() => fixture.stop());

/** When the server closes a connection on which nothing happens. */
const cutOffMs = 10_000;

const countPendingOf = async (platformId: string): Promise<number> => {
  const [counted] = await fixture.db
    .select({ total: count() })
    .from(pendingVerifications)
    .where(eq(pendingVerifications.platformId, platformId));
  return counted?.total ?? 0;
};

const comeBack = async (fault: object) => {
  const person = randomPlatformId();
  const browser = fixture.newBrowser();
  const { back } = await authorize(browser, server, person);
  await fixture.simulator.control('DELETE', '/log');
  await fixture.simulator.control('POST', '/faults', fault);
  const page = await Promise.race([browser.get(back), Bun.sleep(cutOffMs)]);
  return { person, page };
};

test.each([
  ['does not answer the exchange of the code', { method: 'POST', route: '/oauth2/token' }],
  ['does not answer who they are', { method: 'GET', route: '/users/@me' }],
])(
  'a newcomer gets a page before the connection is cut where the platform %s',
  async (_, match) => {
    const { person, page } = await comeBack({ match, action: 'hang', times: 9 });
    expect(page?.text).toMatch(/platform/i);
    expect(page?.text).toContain(`/verify/${server.id}`);
    expect(await countPendingOf(person)).toBe(0);
  },
  30_000,
);

test('what the platform answers too late is not kept, and the token is revoked', async () => {
  const match = { method: 'GET', route: '/users/@me' };
  const { person, page } = await comeBack({ match, action: 'delay', ms: 8500 });
  expect(page?.text).toMatch(/platform/i);
  await eventually(10_000, async () => {
    const calls: { route: string | null }[] = await fixture.simulator.control('GET', '/log');
    expect(calls.map(({ route }) => route)).toContain('/oauth2/token/revoke');
  });
  expect(await countPendingOf(person)).toBe(0);
});
