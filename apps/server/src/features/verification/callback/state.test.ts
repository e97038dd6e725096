import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { count, eq } from 'drizzle-orm';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import {
  startVerificationFixture,
  type VerificationFixture,
} from '../../../../test/harness/verification/fixture.ts';
import {
  authorize,
  membersOf,
  newVerificationServer,
  type VerificationServer,
  walkIn,
} from '../../../../test/harness/verification/newcomer.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import { memberTokens } from '../../vault/table.ts';
import { authorizations, pendingVerifications } from '../table.ts';

let fixture: VerificationFixture;
let server: VerificationServer;
beforeAll(async () => {
  fixture = await startVerificationFixture();
  server = await newVerificationServer(fixture);
});
afterAll(() => fixture.stop());

const countPendingOf = async (platformId: string): Promise<number> => {
  const [counted] = await fixture.db
    .select({ total: count() })
    .from(pendingVerifications)
    .where(eq(pendingVerifications.platformId, platformId));
  return counted?.total ?? 0;
};

const stateOf = (back: string): string => new URL(back).searchParams.get('state') ?? '';

const arrive = async () => {
  const person = randomPlatformId();
  const browser = fixture.newBrowser();
  const { back } = await authorize(browser, server, person);
  return { person, browser, back };
};

const expectStartAgain = (page: { status: number; text: string }) => {
  expect(page.status).toBe(400);
  expect(page.text).toMatch(/start again|start from the beginning/i);
};

describe('a callback stores nothing and says how to start again when its state', () => {
  test('is missing or invented', async () => {
    const { browser, person, back } = await arrive();
    const { searchParams } = new URL(back);
    const code = searchParams.get('code') ?? '';
    expectStartAgain(await browser.get('/verify/callback'));
    expectStartAgain(await browser.get(`/verify/callback?code=${code}`));
    expectStartAgain(await browser.get(`/verify/callback?code=${code}&state=%00made-up`));
    expect(await countPendingOf(person)).toBe(0);
  });

  test('began in another browser, which can still end it', async () => {
    const { browser, person, back } = await arrive();
    const page = await fixture.newBrowser().get(back);
    expectStartAgain(page);
    expect(page.text).toContain(`/verify/${server.id}`);
    expect(await countPendingOf(person)).toBe(0);
    expect((await browser.get(back)).location).toBe(`/verify/${server.id}/check`);
  });

  test('was used before', async () => {
    const { browser, person, back } = await arrive();
    expect((await browser.get(back)).status).toBe(303);
    expectStartAgain(await browser.get(back));
    expect(await countPendingOf(person)).toBe(1);
  });

  test('is older than ten minutes', async () => {
    const { browser, person, back } = await arrive();
    const ofState = eq(authorizations.stateHash, sha256Hex(stateOf(back)));
    const [row] = await fixture.db.select().from(authorizations).where(ofState);
    const goodForMs = (row?.expiresAt.getTime() ?? 0) - Date.now();
    expect(goodForMs).toBeGreaterThan(9 * 60_000);
    expect(goodForMs).toBeLessThanOrEqual(10 * 60_000);
    await fixture.db.update(authorizations).set({ expiresAt: new Date() }).where(ofState);
    expectStartAgain(await browser.get(back));
    expect(await countPendingOf(person)).toBe(0);
  });

  test('comes with a code of another bot', async () => {
    const { browser, person, back } = await arrive();
    const other = await authorize(
      fixture.newBrowser(),
      await newVerificationServer(fixture),
      person,
    );
    const foreign = new URL(back);
    foreign.searchParams.set('code', new URL(other.back).searchParams.get('code') ?? '');
    expectStartAgain(await browser.get(foreign.href));
    expect(await countPendingOf(person)).toBe(0);
  });

  test('comes with a refusal instead of a code', async () => {
    const { browser, person, back } = await arrive();
    const page = await browser.get(
      `/verify/callback?error=access_denied&state=${encodeURIComponent(stateOf(back))}`,
    );
    expectStartAgain(page);
    expect(page.text).toContain('You did not agree');
    expect(await countPendingOf(person)).toBe(0);
  });
});

test('of twenty callbacks with one state at once, one succeeds', async () => {
  const { browser, person, back } = await arrive();
  const pages = await Promise.all(Array.from({ length: 20 }, () => browser.get(back)));
  const through = pages.filter(({ status }) => status === 303);
  expect(through).toHaveLength(1);
  for (const page of pages) if (page.status !== 303) expectStartAgain(page);
  expect(await countPendingOf(person)).toBe(1);
});

test('one person who verifies in five browsers at once is one member with one pair of tokens', async () => {
  const person = randomPlatformId();
  const open = await newVerificationServer(fixture);
  const form = { recover: 'yes' };
  const pages = await Promise.all(
    [1, 2, 3, 4, 5].map(() => walkIn(fixture.newBrowser(), open, person, { form })),
  );
  for (const page of pages) expect(page.text).toContain('You are verified');
  expect(await membersOf(open)).toHaveLength(1);
  const tokens = await fixture.db
    .select({ id: memberTokens.id })
    .from(memberTokens)
    .where(eq(memberTokens.platformId, person));
  expect(tokens).toHaveLength(1);
});

test('if the platform does not answer, the person gets a page, and nothing is stored', async () => {
  const { browser, person, back } = await arrive();
  const match = { method: 'POST', route: '/oauth2/token' };
  await fixture.simulator.control('POST', '/faults', {
    match,
    action: 'status',
    status: 502,
    times: 9,
  });
  const page = await browser.get(back);
  await fixture.simulator.control('DELETE', '/faults');
  expect(page.status).toBe(503);
  expect(page.text).toContain('The platform does not answer');
  expect(await countPendingOf(person)).toBe(0);
});

test('a form from another site, or without an origin, begins nothing', async () => {
  const browser = fixture.newBrowser();
  for (const origin of ['https://evil.example', 'null', '']) {
    const reply = await browser.post(`/verify/${server.id}`, {}, { origin });
    expect(reply.status).toBe(403);
  }
});
