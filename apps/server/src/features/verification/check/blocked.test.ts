import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { eventually } from '../../../../test/harness/eventually.ts';
import { storeNewcomer, storeWave } from '../../../../test/harness/protection.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { freshId } from '../../../../test/harness/simulator/platform.ts';
import {
  placesOf,
  startVerificationFixture,
  type VerificationFixture,
} from '../../../../test/harness/verification/fixture.ts';
import {
  attemptsOf,
  authorize,
  membersOf,
  newVerificationServer,
  type VerificationServer,
  walkIn,
} from '../../../../test/harness/verification/newcomer.ts';
import { newId } from '../../../kernel/ids.ts';
import { blacklist } from '../../blacklist/table.ts';
import { markIfBlacklisted } from '../../members/queries/verified.ts';
import { lowerChecks, raiseChecks } from '../queries/raised-checks.ts';
import { pendingVerifications, roleAssignments } from '../table.ts';

let fixture: VerificationFixture;
beforeAll(async () => {
  fixture = await startVerificationFixture();
});
afterAll(() => fixture.stop());

const addRule = async (
  server: VerificationServer,
  type: string,
  value: string,
  list: 'firewall' | 'whitelist' = 'firewall',
) => {
  const path = `/api/v1/servers/${server.id}/${list}`;
  const reply = await server.owner.call('POST', path, { body: { type, value } });
  expect(reply.status).toBe(201);
};

const expectBlocked = async (
  server: VerificationServer,
  page: { status: number; text: string },
  reason: 'BLACKLIST' | 'FIREWALL' | 'VPN' | 'ALT' | 'ACCOUNT_AGE',
  words: string,
) => {
  expect(page.status).toBe(403);
  expect(page.text).toContain(words);
  expect(page.text).toContain('name="message"');
  const [latest] = await attemptsOf(fixture, server);
  expect(latest).toMatchObject({ stage: 'captchaPassed', blockReason: reason });
};

const firewallWords = 'one of them fits your account or connection';

describe('a firewall rule blocks', () => {
  const person = randomPlatformId();
  test.each([
    ['an address', 'IP', '9.9.9.0/24'],
    ['a country', 'COUNTRY', 'DE'],
    ['a region', 'REGION', 'DE-HH'],
    ['a network', 'ASN', '64502'],
    ['a person', 'USER_ID', person],
  ])(
    '%s',
    async (_, type, value) => {
      const server = await newVerificationServer(fixture, { firewallEnabled: true });
      await addRule(server, type, value);
      const page = await walkIn(fixture.newBrowser(), server, person);
      await expectBlocked(server, page, 'FIREWALL', firewallWords);
      expect(page.text).not.toContain(value);
      expect(await membersOf(server)).toEqual([]);
      // The same newcomer is verified once the rule does not apply.
      await server.owner.call('PUT', `/api/v1/servers/${server.id}`, {
        body: { firewallEnabled: false },
      });
      const again = await walkIn(fixture.newBrowser(), server, person);
      expect(again.text).toContain('You are verified');
    },
    30_000,
  );

  test('a device that is known from its member record', async () => {
    const server = await newVerificationServer(fixture, { firewallEnabled: true });
    await walkIn(fixture.newBrowser(), server, randomPlatformId(), { device: 'one laptop' });
    const [member] = await membersOf(server);
    await addRule(server, 'FINGERPRINT', member.fingerprint);
    const page = await walkIn(fixture.newBrowser(), server, person, { device: 'one laptop' });
    await expectBlocked(server, page, 'FIREWALL', firewallWords);
    const other = await walkIn(fixture.newBrowser(), server, person, { device: 'another' });
    expect(other.text).toContain('You are verified');
  });

  test('a person who is in a guild; their guilds are read only then, and not stored', async () => {
    const guildId = randomPlatformId();
    const fan = randomPlatformId();
    await fixture.simulator.control('PUT', `/users/${fan}`, { guildIds: [guildId] });
    const server = await newVerificationServer(fixture, { firewallEnabled: true });
    await addRule(server, 'SERVER_ID', guildId);
    const visit = await fixture.newBrowser().get(`/verify/${server.id}`);
    expect(visit.text).toContain('which servers you are in');
    const page = await walkIn(fixture.newBrowser(), server, fan);
    await expectBlocked(server, page, 'FIREWALL', firewallWords);
    const [pending] = await fixture.db
      .select()
      .from(pendingVerifications)
      .where(eq(pendingVerifications.platformId, fan));
    expect(pending?.metRules).toEqual({ whitelist: false, firewall: true });
    expect(JSON.stringify(pending)).not.toContain(guildId);

    const stranger = await walkIn(fixture.newBrowser(), server, randomPlatformId());
    expect(stranger.text).toContain('You are verified');
    await addRule(server, 'SERVER_ID', guildId, 'whitelist');
    expect((await walkIn(fixture.newBrowser(), server, fan)).text).toContain('You are verified');
  });
});

test('a fact that the platform does not provide decides nothing, and the attempt records it', async () => {
  const server = await newVerificationServer(fixture, { firewallEnabled: true });
  await addRule(server, 'SERVER_ID', randomPlatformId());
  await fixture.simulator.control('POST', '/faults', {
    match: { method: 'GET', route: '/users/@me/guilds' },
    ...{ when: 'before', action: 'status', status: 500, times: 100 },
  });
  const page = await walkIn(fixture.newBrowser(), server, randomPlatformId());
  await fixture.simulator.control('DELETE', '/faults');
  expect(page.text).toContain('You are verified');
  const [attempt] = await attemptsOf(fixture, server);
  expect(attempt).toMatchObject({ stage: 'verified', undecided: ['FIREWALL SERVER_ID'] });
});

test('the owner’s blacklist blocks even people whom the whitelist accepts', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture);
  await addRule(server, 'USER_ID', person, 'whitelist');
  const path = `/api/v1/servers/${server.id}/blacklist`;
  expect((await server.owner.call('POST', path, { body: { platformId: person } })).status).toBe(
    201,
  );
  const page = await walkIn(fixture.newBrowser(), server, person);
  await expectBlocked(server, page, 'BLACKLIST', 'does not let this account in');
});

test('a VPN is blocked, and the tokens are revoked', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture, { vpnBlockEnabled: true });
  const browser = fixture.newBrowser(placesOf.vpn);
  const page = await walkIn(browser, server, person, { form: { recover: 'yes' } });
  await expectBlocked(server, page, 'VPN', 'looks like a VPN');
  await eventually(10_000, async () => {
    const [pending] = await fixture.db
      .select({ token: pendingVerifications.accessToken })
      .from(pendingVerifications)
      .where(eq(pendingVerifications.platformId, person));
    expect(pending?.token).toBeNull();
  });
  // The same browser on another connection is verified, and counts as one attempt.
  const open = await newVerificationServer(fixture, { vpnBlockEnabled: false });
  await walkIn(browser, open, person);
  expect(await membersOf(open)).toMatchObject([{ isVpn: true, asn: 64501 }]);
});

test('a second account from one device or address prefix is blocked, for each owner separately', async () => {
  const server = await newVerificationServer(fixture, { altDetectEnabled: true });
  const other = await newVerificationServer(fixture, { altDetectEnabled: true });
  const first = randomPlatformId();
  await walkIn(fixture.newBrowser('5.6.7.8'), server, first, { device: 'phone' });
  const words = 'Another account was verified from your device or connection';

  const sameDevice = fixture.newBrowser('5.6.9.9');
  const byDevice = await walkIn(sameDevice, server, randomPlatformId(), { device: 'phone' });
  await expectBlocked(server, byDevice, 'ALT', words);
  const sameHome = fixture.newBrowser('5.6.7.8');
  const byHome = await walkIn(sameHome, server, randomPlatformId(), { device: 'tablet' });
  await expectBlocked(server, byHome, 'ALT', words);

  const again = await walkIn(fixture.newBrowser('5.6.7.8'), server, first, { device: 'phone' });
  expect(again.text).toContain('You are verified');
  const elsewhere = fixture.newBrowser('5.6.7.8');
  const atOther = await walkIn(elsewhere, other, randomPlatformId(), { device: 'phone' });
  expect(atOther.text).toContain('You are verified');
});

test('an account that is too young is blocked', async () => {
  const server = await newVerificationServer(fixture, { minAccountAgeDays: 30 });
  const page = await walkIn(fixture.newBrowser(), server, freshId());
  await expectBlocked(server, page, 'ACCOUNT_AGE', 'too new');
  const old = await walkIn(fixture.newBrowser(), server, randomPlatformId());
  expect(old.text).toContain('You are verified');
});

test("raised checks are stricter than the owner's settings for a time, and leave them as they are", async () => {
  const server = await newVerificationServer(fixture, { captchaType: 'NONE' });
  const { accountId } = server.owner;
  const of = { accountId, serverId: server.id };
  const raise = (minAccountAgeDays: number, inMs: number) =>
    fixture.db.transaction((tx) =>
      raiseChecks(tx, {
        ...{ ...of, captchaType: 'POW', minAccountAgeDays },
        until: new Date(Date.now() + inMs),
      }),
    );
  const settings = async () => {
    const { body } = await server.owner.call('GET', `/api/v1/servers/${server.id}`);
    const { captchaType, minAccountAgeDays } = body.data;
    return { captchaType, minAccountAgeDays };
  };
  const firstPage = async () => (await fixture.newBrowser().get(`/verify/${server.id}`)).text;
  const asSet = await settings();

  await raise(3, 60_000);
  expect(await firstPage()).toContain('younger than 3 days cannot be verified now');
  const page = await walkIn(fixture.newBrowser(), server, freshId());
  await expectBlocked(server, page, 'ACCOUNT_AGE', 'too new');
  const browser = fixture.newBrowser();
  const { back } = await authorize(browser, server, randomPlatformId());
  await browser.get(back);
  const unsolved = await browser.post(`/verify/${server.id}/check`, {});
  expect(unsolved.text).toContain('The task was not solved');
  expect(await settings()).toEqual(asSet);

  await raise(3, -1000);
  expect(await firstPage()).not.toContain('stricter');
  await raise(3, 60_000);
  await fixture.db.transaction((tx) => lowerChecks(tx, { ...of, accountId: newId() }));
  expect(await firstPage()).toContain('stricter');
  await fixture.db.transaction((tx) => lowerChecks(tx, of));
  const later = await walkIn(fixture.newBrowser(), server, freshId());
  expect(later.text).toContain('You are verified');
  expect(await settings()).toEqual(asSet);
});

test('somebody who came with a wave waits until the owner has decided, unless the whitelist names them', async () => {
  const server = await newVerificationServer(fixture);
  const [held, expected] = [randomPlatformId(), randomPlatformId()];
  const owner = { db: fixture.db, accountId: server.owner.accountId };
  const incidentId = await storeWave(owner, server.id);
  for (const platformId of [held, expected]) {
    await storeNewcomer(owner, { serverId: server.id, incidentId, platformId });
  }
  await addRule(server, 'USER_ID', expected, 'whitelist');
  const browser = fixture.newBrowser();
  expect((await walkIn(browser, server, held)).text).toContain('Please wait for the owner');
  const named = await walkIn(fixture.newBrowser(), server, expected);
  expect(named.text).toContain('You are verified');
  expect((await membersOf(server)).length).toBe(1);
  await fixture.db.$client`update incidents set ended_at = now() where id = ${incidentId}`;
  const again = await browser.post(`/verify/${server.id}/check`, {});
  expect((await browser.get(again.location ?? '')).location).toContain('/done');
});

test('what an untrusted peer claims about its address changes nothing', async () => {
  const server = await newVerificationServer(fixture, { firewallEnabled: true });
  await addRule(server, 'IP', '203.0.113.0/24');
  const claimed = { 'x-forwarded-for': '9.9.9.9', 'x-real-ip': '9.9.9.9' };
  const liar = await walkIn(fixture.newBrowser('203.0.113.9', claimed), server, randomPlatformId());
  await expectBlocked(server, liar, 'FIREWALL', firewallWords);
  const mapped = await walkIn(fixture.newBrowser('::ffff:203.0.113.9'), server, randomPlatformId());
  expect(mapped.status).toBe(403);

  const behind = { 'x-forwarded-for': '9.9.9.9, 203.0.113.7' };
  const proxied = await walkIn(fixture.newBrowser('127.0.0.1', behind), server, randomPlatformId());
  expect(proxied.status).toBe(403);
  const honest = { 'x-forwarded-for': '203.0.113.7, 9.9.9.9' };
  const good = await walkIn(fixture.newBrowser('127.0.0.1', honest), server, randomPlatformId());
  expect(good.text).toContain('You are verified');
});

test('a person who is blacklisted while they are verified is marked all the same', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture);
  await walkIn(fixture.newBrowser(), server, person, { form: { recover: 'yes' } });
  const [member] = await membersOf(server);
  const { accountId } = server.owner;
  // The job that gives the role marks the member itself: it must have ended before the entry exists.
  await eventually(10_000, async () => {
    const ofMember = eq(roleAssignments.memberId, member.id);
    const [assignment] = await fixture.db.select().from(roleAssignments).where(ofMember);
    expect(['done', 'failed']).toContain(assignment?.status ?? 'missing');
  });
  // As if the entry had been committed too late to be seen, and too early to mark the member.
  await fixture.db.insert(blacklist).values({ id: newId(), accountId, platformId: person });
  expect((await membersOf(server))[0].pullable).toBe(true);
  await markIfBlacklisted(fixture.db, { memberId: member.id, accountId });
  expect((await membersOf(server))[0].pullable).toBe(false);
});
