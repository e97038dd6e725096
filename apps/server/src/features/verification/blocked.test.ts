import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { eventually } from '../../../test/eventually.ts';
import { randomPlatformId } from '../../../test/harness.ts';
import { attemptsOf, membersOf, newDoor, type TestDoor, walkIn } from '../../../test/newcomer.ts';
import { freshId } from '../../../test/simulated-platform.ts';
import {
  placesOf,
  startVerificationScene,
  type VerificationScene,
} from '../../../test/verification-scene.ts';
import { newId } from '../../kernel/ids.ts';
import { blacklist } from '../blacklist/table.ts';
import { markIfBlacklisted } from '../members/verified/queries.ts';
import { passages } from './table.ts';

let scene: VerificationScene;
beforeAll(async () => {
  scene = await startVerificationScene();
}, 60_000);
afterAll(() => scene.stop(), 30_000);

const addRule = async (
  door: TestDoor,
  type: string,
  value: string,
  list: 'firewall' | 'whitelist' = 'firewall',
) => {
  const path = `/api/v1/servers/${door.id}/${list}`;
  const reply = await door.owner.call('POST', path, { body: { type, value } });
  expect(reply.status).toBe(201);
};

const expectBlocked = async (
  door: TestDoor,
  page: { status: number; text: string },
  reason: 'BLACKLIST' | 'FIREWALL' | 'VPN' | 'ALT' | 'ACCOUNT_AGE',
  words: string,
) => {
  expect(page.status).toBe(403);
  expect(page.text).toContain(words);
  expect(page.text).toContain('name="message"');
  const [latest] = await attemptsOf(scene, door);
  expect(latest).toMatchObject({ stage: 'captchaPassed', blockReason: reason });
};

const firewallWords = 'one of them fits your account or connection';

describe('a firewall rule turns away', () => {
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
      const door = await newDoor(scene, { firewallEnabled: true });
      await addRule(door, type, value);
      const page = await walkIn(scene.newBrowser(), door, person);
      await expectBlocked(door, page, 'FIREWALL', firewallWords);
      expect(page.text).not.toContain(value);
      expect(await membersOf(door)).toEqual([]);
      // The same newcomer comes in once the rule does not count.
      await door.owner.call('PUT', `/api/v1/servers/${door.id}`, {
        body: { firewallEnabled: false },
      });
      const again = await walkIn(scene.newBrowser(), door, person);
      expect(again.text).toContain('You are verified');
    },
    30_000,
  );

  test('a device that is known from its member record', async () => {
    const door = await newDoor(scene, { firewallEnabled: true });
    await walkIn(scene.newBrowser(), door, randomPlatformId(), { device: 'one laptop' });
    const [member] = await membersOf(door);
    await addRule(door, 'FINGERPRINT', member.fingerprint);
    const page = await walkIn(scene.newBrowser(), door, person, { device: 'one laptop' });
    await expectBlocked(door, page, 'FIREWALL', firewallWords);
    const other = await walkIn(scene.newBrowser(), door, person, { device: 'another' });
    expect(other.text).toContain('You are verified');
  }, 30_000);

  test('whoever is in a server, which is looked at only then and not kept', async () => {
    const guildId = randomPlatformId();
    const fan = randomPlatformId();
    await scene.simulator.control('PUT', `/users/${fan}`, { guildIds: [guildId] });
    const door = await newDoor(scene, { firewallEnabled: true });
    await addRule(door, 'SERVER_ID', guildId);
    const visit = await scene.newBrowser().get(`/verify/${door.id}`);
    expect(visit.text).toContain('which servers you are in');
    const page = await walkIn(scene.newBrowser(), door, fan);
    await expectBlocked(door, page, 'FIREWALL', firewallWords);
    const [passage] = await scene.db.select().from(passages).where(eq(passages.platformId, fan));
    expect(passage?.metRules).toEqual({ whitelist: false, firewall: true });
    expect(JSON.stringify(passage)).not.toContain(guildId);

    const stranger = await walkIn(scene.newBrowser(), door, randomPlatformId());
    expect(stranger.text).toContain('You are verified');
    await addRule(door, 'SERVER_ID', guildId, 'whitelist');
    expect((await walkIn(scene.newBrowser(), door, fan)).text).toContain('You are verified');
  }, 30_000);
});

test('what the platform does not tell decides nothing, and the attempt says so', async () => {
  const door = await newDoor(scene, { firewallEnabled: true });
  await addRule(door, 'SERVER_ID', randomPlatformId());
  await scene.simulator.control('POST', '/faults', {
    match: { method: 'GET', route: '/users/@me/guilds' },
    ...{ when: 'before', action: 'status', status: 500, times: 100 },
  });
  const page = await walkIn(scene.newBrowser(), door, randomPlatformId());
  await scene.simulator.control('DELETE', '/faults');
  expect(page.text).toContain('You are verified');
  const [attempt] = await attemptsOf(scene, door);
  expect(attempt).toMatchObject({ stage: 'verified', undecided: ['FIREWALL SERVER_ID'] });
}, 60_000);

test('the owner’s blacklist turns away even those whom the whitelist lets in', async () => {
  const person = randomPlatformId();
  const door = await newDoor(scene);
  await addRule(door, 'USER_ID', person, 'whitelist');
  const path = `/api/v1/servers/${door.id}/blacklist`;
  expect((await door.owner.call('POST', path, { body: { platformId: person } })).status).toBe(201);
  const page = await walkIn(scene.newBrowser(), door, person);
  await expectBlocked(door, page, 'BLACKLIST', 'does not let this account in');
}, 30_000);

test('a VPN turns away, and what was agreed to is given back', async () => {
  const person = randomPlatformId();
  const door = await newDoor(scene, { vpnBlockEnabled: true });
  const browser = scene.newBrowser(placesOf.vpn);
  const page = await walkIn(browser, door, person, { form: { recover: 'yes' } });
  await expectBlocked(door, page, 'VPN', 'looks like a VPN');
  await eventually(10_000, async () => {
    const [passage] = await scene.db
      .select({ token: passages.accessToken })
      .from(passages)
      .where(eq(passages.platformId, person));
    expect(passage?.token).toBeNull();
  });
  // The same browser on another connection is let in, and counts as one attempt.
  const open = await newDoor(scene, { vpnBlockEnabled: false });
  await walkIn(browser, open, person);
  expect(await membersOf(open)).toMatchObject([{ isVpn: true, asn: 64501 }]);
}, 30_000);

test('a second account from one device or one home turns away, other accounts’ owners apart', async () => {
  const door = await newDoor(scene, { altDetectEnabled: true });
  const other = await newDoor(scene, { altDetectEnabled: true });
  const first = randomPlatformId();
  await walkIn(scene.newBrowser('5.6.7.8'), door, first, { device: 'phone' });
  const words = 'Another account was verified from your device or connection';

  const sameDevice = scene.newBrowser('5.6.9.9');
  const byDevice = await walkIn(sameDevice, door, randomPlatformId(), { device: 'phone' });
  await expectBlocked(door, byDevice, 'ALT', words);
  const sameHome = scene.newBrowser('5.6.7.8');
  const byHome = await walkIn(sameHome, door, randomPlatformId(), { device: 'tablet' });
  await expectBlocked(door, byHome, 'ALT', words);

  const again = await walkIn(scene.newBrowser('5.6.7.8'), door, first, { device: 'phone' });
  expect(again.text).toContain('You are verified');
  const elsewhere = scene.newBrowser('5.6.7.8');
  const atOther = await walkIn(elsewhere, other, randomPlatformId(), { device: 'phone' });
  expect(atOther.text).toContain('You are verified');
}, 30_000);

test('an account that is too young turns away', async () => {
  const door = await newDoor(scene, { minAccountAgeDays: 30 });
  const page = await walkIn(scene.newBrowser(), door, freshId());
  await expectBlocked(door, page, 'ACCOUNT_AGE', 'too new');
  const old = await walkIn(scene.newBrowser(), door, randomPlatformId());
  expect(old.text).toContain('You are verified');
}, 30_000);

test('what an untrusted peer writes about its address changes nothing', async () => {
  const door = await newDoor(scene, { firewallEnabled: true });
  await addRule(door, 'IP', '203.0.113.0/24');
  const claimed = { 'x-forwarded-for': '9.9.9.9', 'x-real-ip': '9.9.9.9' };
  const liar = await walkIn(scene.newBrowser('203.0.113.9', claimed), door, randomPlatformId());
  await expectBlocked(door, liar, 'FIREWALL', firewallWords);
  const mapped = await walkIn(scene.newBrowser('::ffff:203.0.113.9'), door, randomPlatformId());
  expect(mapped.status).toBe(403);

  const behind = { 'x-forwarded-for': '9.9.9.9, 203.0.113.7' };
  const proxied = await walkIn(scene.newBrowser('127.0.0.1', behind), door, randomPlatformId());
  expect(proxied.status).toBe(403);
  const honest = { 'x-forwarded-for': '203.0.113.7, 9.9.9.9' };
  const good = await walkIn(scene.newBrowser('127.0.0.1', honest), door, randomPlatformId());
  expect(good.text).toContain('You are verified');
}, 30_000);

test('whoever comes onto the blacklist at the moment they are verified is marked all the same', async () => {
  const person = randomPlatformId();
  const door = await newDoor(scene);
  await walkIn(scene.newBrowser(), door, person, { form: { recover: 'yes' } });
  const [member] = await membersOf(door);
  const { accountId } = door.owner;
  // As if the entry had been committed too late to be seen, and too early to mark the member.
  await scene.db.insert(blacklist).values({ id: newId(), accountId, platformId: person });
  expect((await membersOf(door))[0].pullable).toBe(true);
  await markIfBlacklisted(scene.db, { memberId: member.id, accountId });
  expect((await membersOf(door))[0].pullable).toBe(false);
}, 30_000);
