import { afterAll, beforeAll, expect } from 'bun:test';
import { type BlockReason, blockReasons } from '@holdfast/contract';
import {
  authorizeAs,
  inBrowser,
  newChromium,
  type Window,
  waitForHeading,
} from '../../../test/browser.ts';
import { randomPlatformId } from '../../../test/harness.ts';
import { membersOf, newDoor, type TestDoor } from '../../../test/newcomer.ts';
import { freshId } from '../../../test/simulated-platform.ts';
import {
  placesOf,
  startVerificationScene,
  type VerificationScene,
} from '../../../test/verification-scene.ts';

const chromium = newChromium();
let scene: VerificationScene;
beforeAll(async () => {
  scene = await startVerificationScene();
}, 60_000);
afterAll(async () => {
  await chromium.close();
  await scene.stop();
}, 30_000);

const post = async (door: TestDoor, list: string, body: object): Promise<void> => {
  const reply = await door.owner.call('POST', `/api/v1/servers/${door.id}/${list}`, { body });
  expect(reply.status).toBe(201);
};

const guarded = (type: string, value: string) => async (): Promise<TestDoor> => {
  const door = await newDoor(scene, { firewallEnabled: true });
  await post(door, 'firewall', { type, value });
  return door;
};

const walkIn = async ({ page }: Window, door: TestDoor, person: string): Promise<void> => {
  await page.goto(`${scene.baseUrl}/verify/${door.id}`);
  await authorizeAs(page, person);
};

type Where = Parameters<typeof chromium.openWindow>[0];

const comeIn = async (door: TestDoor, person: string, where: Where = {}): Promise<void> => {
  const window = await chromium.openWindow(where);
  await walkIn(window, door, person);
  await waitForHeading(window.page, 'You are verified');
  expect(window.complaints).toEqual([]);
  await window.close();
};

const memberIdsOf = async (door: TestDoor): Promise<string[]> =>
  (await membersOf(door)).map(({ platformId }: { platformId: string }) => platformId);

const countsOf = async ({ owner, id }: TestDoor) =>
  (await owner.call('GET', `/api/v1/servers/${id}/analytics`)).body.data;

const none = Object.fromEntries(blockReasons.map((reason) => [reason, 0]));

type Words = { reason: BlockReason; title: string; words: string };
type Case = Words & {
  sentence: string;
  address?: string;
  person?: string;
  open(person: string): Promise<TestDoor>;
};

const firewall: Words = {
  reason: 'FIREWALL',
  title: 'You cannot come in',
  words: 'one of them fits your account or connection',
};

const guildId = randomPlatformId();
const cases: Case[] = [
  { ...firewall, sentence: 'by their address', open: guarded('IP', '9.9.9.0/24') },
  { ...firewall, sentence: 'by their country', open: guarded('COUNTRY', 'DE') },
  { ...firewall, sentence: 'by their region', open: guarded('REGION', 'DE-HH') },
  { ...firewall, sentence: 'by their network', open: guarded('ASN', '64502') },
  {
    ...firewall,
    sentence: 'by who they are',
    open: (person) => guarded('USER_ID', person)(),
  },
  {
    ...firewall,
    sentence: 'by a server they are in',
    async open(person) {
      await scene.simulator.control('PUT', `/users/${person}`, { guildIds: [guildId] });
      return guarded('SERVER_ID', guildId)();
    },
  },
  {
    sentence: 'by a VPN',
    reason: 'VPN',
    title: 'Your connection looks like a VPN',
    words: 'lets nobody in through VPNs',
    address: placesOf.vpn,
    open: () => newDoor(scene, { vpnBlockEnabled: true }),
  },
  {
    sentence: 'as a second account of a member',
    reason: 'ALT',
    title: 'You seem to be here already',
    words: 'Another account was verified from your device or connection',
    async open() {
      const door = await newDoor(scene, { altDetectEnabled: true });
      await comeIn(door, randomPlatformId(), { address: placesOf.boston });
      return door;
    },
  },
  {
    sentence: 'by the age of their account',
    reason: 'ACCOUNT_AGE',
    title: 'Your account is too new',
    words: 'only once they have reached a certain age',
    person: freshId(),
    open: () => newDoor(scene, { minAccountAgeDays: 30 }),
  },
];

/** The page says why, offers to appeal, stays when it is loaded again; and the owner can count it. */
const expectTurnedAway = async (
  window: Window,
  door: TestDoor,
  { reason, title, words }: Words,
) => {
  const { page, complaints, close } = window;
  await waitForHeading(page, title);
  expect((await page.reload())?.status()).toBe(403);
  expect(await page.locator('main > p').first().innerText()).toContain(words);
  expect(await page.getByRole('button', { name: 'Send to the owner' }).isVisible()).toBe(true);
  expect((await countsOf(door)).blockReasons).toEqual({ ...none, [reason]: 1 });
  expect(complaints).toEqual([]);
  await close();
};

for (const { sentence, person = randomPlatformId(), address, open, ...words } of cases) {
  inBrowser(
    `a newcomer is turned away ${sentence}, and told so`,
    async () => {
      const door = await open(person);
      const window = await chromium.openWindow({ address: address ?? placesOf.hamburg });
      await walkIn(window, door, person);
      await expectTurnedAway(window, door, words);
      expect(await memberIdsOf(door)).not.toContain(person);
    },
    60_000,
  );
}

inBrowser(
  'a device that a rule names is turned away and told so, another comes in',
  async () => {
    const door = await newDoor(scene, { firewallEnabled: true });
    await comeIn(door, randomPlatformId());
    const [member] = await membersOf(door);
    await post(door, 'firewall', { type: 'FINGERPRINT', value: member.fingerprint });
    const [same, other] = [randomPlatformId(), randomPlatformId()];
    const window = await chromium.openWindow();
    await walkIn(window, door, same);
    await expectTurnedAway(window, door, firewall);
    await comeIn(door, other, { locale: 'de-DE', timezoneId: 'Europe/Berlin' });
    expect(await memberIdsOf(door)).toContain(other);
    expect(await memberIdsOf(door)).not.toContain(same);
  },
  60_000,
);

inBrowser(
  'whoever the whitelist names comes in past every check, but not past the blacklist',
  async () => {
    const person = freshId();
    const address = placesOf.vpn;
    const checks = { vpnBlockEnabled: true, altDetectEnabled: true, minAccountAgeDays: 30 };
    const door = await newDoor(scene, { ...checks, firewallEnabled: true });
    await post(door, 'firewall', { type: 'COUNTRY', value: 'US' });
    await post(door, 'whitelist', { type: 'USER_ID', value: person });
    await comeIn(door, person, { address });
    const { blockReasons: counted, totals } = await countsOf(door);
    expect(counted).toEqual(none);
    expect(totals).toMatchObject({ attempts: 1, verified: 1, blocked: 0 });

    await post(door, 'blacklist', { platformId: person });
    const window = await chromium.openWindow({ address });
    await walkIn(window, door, person);
    await expectTurnedAway(window, door, {
      reason: 'BLACKLIST',
      title: 'You cannot come in',
      words: 'does not let this account in',
    });
  },
  60_000,
);
