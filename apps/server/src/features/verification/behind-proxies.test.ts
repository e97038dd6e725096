import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomPlatformId } from '../../../test/harness.ts';
import { attemptsOf, membersOf, newDoor, type TestDoor, walkIn } from '../../../test/newcomer.ts';
import {
  placesOf,
  startVerificationScene,
  type VerificationScene,
} from '../../../test/verification-scene.ts';

let scene: VerificationScene;
beforeAll(async () => {
  scene = await startVerificationScene();
}, 60_000);
afterAll(() => scene.stop(), 30_000);

const proxy = '127.0.0.1';
const { hamburg } = placesOf;
const inRange = '203.0.113.7';

/** A door that is closed to 203.0.113.0/24. */
const newGuardedDoor = async (): Promise<TestDoor> => {
  const door = await newDoor(scene, { firewallEnabled: true });
  const rule = { body: { type: 'IP', value: '203.0.113.0/24' } };
  const reply = await door.owner.call('POST', `/api/v1/servers/${door.id}/firewall`, rule);
  expect(reply.status).toBe(201);
  return door;
};

const isTurnedAway = async (
  door: TestDoor,
  peer: string,
  headers: Record<string, string> = {},
): Promise<boolean> => {
  const page = await walkIn(scene.newBrowser(peer, headers), door, randomPlatformId());
  if (page.status !== 403) expect(page.text).toContain('You are verified');
  return page.status === 403;
};

/** Every header by which one proxy or another tells whom it speaks for. */
const claims = (address: string): [string, string][] => [
  ['x-forwarded-for', address],
  ['x-forwarded-for', `${address}, ${proxy}`],
  ['x-real-ip', address],
  ['forwarded', `for=${address};proto=https`],
  ['cf-connecting-ip', address],
  ['true-client-ip', address],
  ['x-client-ip', address],
  ['x-cluster-client-ip', address],
  ['x-original-forwarded-for', address],
];

test('no header takes a newcomer out of the range they come from', async () => {
  const door = await newGuardedDoor();
  for (const [name, value] of claims(hamburg)) {
    const isAway = await isTurnedAway(door, inRange, { [name]: value });
    expect({ [name]: isAway }).toEqual({ [name]: true });
  }
  expect(await membersOf(door)).toEqual([]);
}, 60_000);

test('no header puts a newcomer into a range or country they do not come from', async () => {
  const door = await newGuardedDoor();
  for (const [name, value] of [...claims(inRange), ...claims(placesOf.boston)]) {
    const isAway = await isTurnedAway(door, hamburg, { [name]: value });
    expect({ [name]: isAway }).toEqual({ [name]: false });
  }
  const seen = [...(await attemptsOf(scene, door)), ...(await membersOf(door))];
  expect(new Set(seen.map(({ country }) => country))).toEqual(new Set(['DE']));
}, 60_000);

test('our own proxy is believed in X-Forwarded-For alone', async () => {
  const door = await newGuardedDoor();
  for (const [name, value] of claims(inRange).filter(([name]) => name !== 'x-forwarded-for')) {
    const isAway = await isTurnedAway(door, proxy, { [name]: value, 'x-forwarded-for': hamburg });
    expect({ [name]: isAway }).toEqual({ [name]: false });
  }
}, 60_000);

describe('behind our own proxy the hop that counts', () => {
  test.each([
    ['is the one before it', inRange, true],
    ['is the right-most that is not ours', `${hamburg}, ${inRange}, ${proxy}`, true],
    ['is never further left, where clients write what they like', `${inRange}, ${hamburg}`, false],
    ['may be spelled as IPv6', `::ffff:${inRange}`, true],
    ['may be spelled as IPv6 in hexadecimal', '::ffff:cb00:7107', true],
    ['is ours also when spelled as IPv6', `${inRange}, ::ffff:${proxy}`, true],
  ])(
    '%s',
    async (_, forwardedFor, isAway) => {
      const door = await newGuardedDoor();
      const headers = { 'x-forwarded-for': forwardedFor };
      expect(await isTurnedAway(door, proxy, headers)).toBe(isAway);
      expect(await isTurnedAway(door, `::ffff:${proxy}`, headers)).toBe(isAway);
    },
    30_000,
  );
});

test('a rule of a range turns away from its first address to its last and nobody beside it', async () => {
  const door = await newGuardedDoor();
  for (const address of ['203.0.113.0', inRange, '203.0.113.255', `::ffff:${inRange}`]) {
    expect({ [address]: await isTurnedAway(door, address) }).toEqual({ [address]: true });
  }
  for (const address of ['203.0.112.255', '203.0.114.0', '203.0.114.1', '2001:db8::cb00:7107']) {
    expect({ [address]: await isTurnedAway(door, address) }).toEqual({ [address]: false });
  }
}, 30_000);
