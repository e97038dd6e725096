import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { eventually } from '../../../test/eventually.ts';
import { randomPlatformId } from '../../../test/harness.ts';
import {
  attemptsOf,
  authorize,
  membersOf,
  newDoor,
  type TestDoor,
  walkIn,
} from '../../../test/newcomer.ts';
import type { PageBrowser, PageReply } from '../../../test/page-browser.ts';
import {
  startVerificationScene,
  type VerificationScene,
} from '../../../test/verification-scene.ts';

setDefaultTimeout(120_000);

let scene: VerificationScene;
beforeAll(async () => {
  scene = await startVerificationScene();
}, 60_000);
afterAll(() => scene.stop(), 30_000);

const addRule = async (
  door: TestDoor,
  list: 'firewall' | 'whitelist',
  body: { type: string; value: string },
) => {
  const reply = await door.owner.call('POST', `/api/v1/servers/${door.id}/${list}`, { body });
  expect(reply.status).toBe(201);
};

const isVerified = async (door: TestDoor, person: string): Promise<boolean> =>
  (await membersOf(door)).some(({ platformId }: { platformId: string }) => platformId === person);

describe('a scope that was taken out of the authorize address', () => {
  /** The member edits the address that they are sent to; the platform asks for what is left of it. */
  const comeBackWith = async (
    browser: PageBrowser,
    door: TestDoor,
    { person, scope, form }: { person: string; scope: string; form?: Record<string, string> },
  ): Promise<PageReply> => {
    await browser.get(`/verify/${door.id}`);
    const begun = await browser.post(`/verify/${door.id}`, form);
    const edited = new URL(begun.location ?? '');
    edited.searchParams.set('scope', scope);
    edited.searchParams.set('sim_user', person);
    const agreed = await fetch(edited, { redirect: 'manual' });
    return browser.get(agreed.headers.get('location') ?? '');
  };
  const finish = (browser: PageBrowser, door: TestDoor) =>
    browser.post(`/verify/${door.id}/check`, { fingerprint: 'a'.repeat(64) });

  test.each(['firewall', 'whitelist'] as const)(
    'lets nobody in where a SERVER_ID rule of the %s asked for it',
    async (list) => {
      const [person, guildId] = [randomPlatformId(), randomPlatformId()];
      await scene.simulator.control('PUT', `/users/${person}`, { guildIds: [guildId] });
      const door = await newDoor(scene, { firewallEnabled: true });
      await addRule(door, list, { type: 'SERVER_ID', value: guildId });
      const browser = scene.newBrowser();
      const page = await comeBackWith(browser, door, { person, scope: 'identify' });
      expect([page.status, page.location]).toEqual([400, null]);
      expect(page.text).toContain('A permission is missing');
      expect(page.text).toContain(`href="/verify/${door.id}"`);
      const check = await finish(browser, door);
      expect(check.text).toContain('Please start again');
      expect(await isVerified(door, person)).toBe(false);
      const [attempt] = await attemptsOf(scene, door);
      expect(attempt).toMatchObject({ stage: 'visited', undecided: null });

      const whole = await walkIn(scene.newBrowser(), door, person);
      expect(whole.text).toContain(
        list === 'firewall' ? 'one of them fits your account' : 'You are verified',
      );
    },
  );

  test('is given back to the platform with all that was agreed to', async () => {
    const door = await newDoor(scene, { firewallEnabled: true });
    await addRule(door, 'firewall', { type: 'SERVER_ID', value: randomPlatformId() });
    const wish = { person: randomPlatformId(), scope: 'identify guilds.join' };
    await comeBackWith(scene.newBrowser(), door, wish);
    const [{ clientId }] = (await door.owner.call('GET', '/api/v1/bots')).body.data;
    await eventually(10_000, async () => {
      const calls = (await scene.simulator.readLog()).filter(({ body }) =>
        `${body}`.includes(`client_id=${clientId}`),
      );
      expect(calls.map(({ path }) => path.replace(/^.*oauth2/, ''))).toContain('/token/revoke');
    });
  });

  test('is no consent to be brought back, and does not stop the verification', async () => {
    const [door, person, browser] = [await newDoor(scene), randomPlatformId(), scene.newBrowser()];
    const wish = { person, scope: 'identify', form: { recover: 'yes' } };
    expect((await comeBackWith(browser, door, wish)).status).toBe(303);
    await finish(browser, door);
    const [member] = await membersOf(door);
    expect(member).toMatchObject({ tokenStatus: 'NONE', pullable: false, consentedAt: null });
  });

  test('cannot be replaced by one that nobody asked for', async () => {
    const [door, person, browser] = [await newDoor(scene), randomPlatformId(), scene.newBrowser()];
    await comeBackWith(browser, door, { person, scope: 'identify guilds.join' });
    await finish(browser, door);
    const [member] = await membersOf(door);
    expect(member).toMatchObject({ tokenStatus: 'NONE', pullable: false, consentedAt: null });
  });

  test('is asked for when its rule came while the newcomer was on the way', async () => {
    const [door, person, guildId] = [
      await newDoor(scene, { firewallEnabled: true }),
      randomPlatformId(),
      randomPlatformId(),
    ];
    await scene.simulator.control('PUT', `/users/${person}`, { guildIds: [guildId] });
    const browser = scene.newBrowser();
    const { back } = await authorize(browser, door, person);
    expect((await browser.get(back)).status).toBe(303);
    await addRule(door, 'firewall', { type: 'SERVER_ID', value: guildId });
    const page = await finish(browser, door);
    expect([page.status, page.location]).toEqual([400, null]);
    expect(page.text).toContain('Please start again');
    expect(await isVerified(door, person)).toBe(false);
  });
});

describe('a fingerprint that the browser does not tell', () => {
  const malformed = [
    '',
    ' ',
    'a'.repeat(63),
    'A'.repeat(64),
    'g'.repeat(64),
    `${'a'.repeat(64)}\n`,
  ];
  const comeWith = async (door: TestDoor, person: string, fields: Record<string, string>) => {
    const browser = scene.newBrowser();
    const { back } = await authorize(browser, door, person);
    await browser.get(back);
    const taken = await browser.post(`/verify/${door.id}/check`, fields);
    return { browser, taken };
  };
  const withAltDetection = () => newDoor(scene, { altDetectEnabled: true });
  const withRule = async () => {
    const door = await newDoor(scene, { firewallEnabled: true });
    await addRule(door, 'firewall', { type: 'FINGERPRINT', value: 'b7Yt0aQ2mXv9KcLs' });
    return door;
  };

  test.each([
    ['a FINGERPRINT rule', withRule],
    ['alt detection', withAltDetection],
  ])('lets nobody in past %s, and can be told after all', async (_, makeDoor) => {
    const door = await makeDoor();
    const person = randomPlatformId();
    for (const fields of [{}, ...malformed.map((fingerprint) => ({ fingerprint }))]) {
      const { taken } = await comeWith(door, person, fields);
      expect([fields, taken.status, taken.location]).toEqual([fields, 400, null]);
      expect(taken.text).toContain('Your browser did not tell its device');
      expect(taken.text).toContain(`href="/verify/${door.id}/check"`);
    }
    expect(await membersOf(door)).toEqual([]);
    const { browser } = await comeWith(door, person, {});
    await browser.post(`/verify/${door.id}/check`, { fingerprint: 'c'.repeat(64) });
    expect(await isVerified(door, person)).toBe(true);
  });

  test('matters neither to whom the whitelist knows nor where nothing asks for it', async () => {
    const [listed, anybody] = [randomPlatformId(), randomPlatformId()];
    const door = await withRule();
    await addRule(door, 'whitelist', { type: 'USER_ID', value: listed });
    await comeWith(door, listed, {});
    expect(await isVerified(door, listed)).toBe(true);
    const openDoor = await newDoor(scene);
    await comeWith(openDoor, anybody, {});
    expect(await isVerified(openDoor, anybody)).toBe(true);
  });

  test('opens no FINGERPRINT rule of the whitelist', async () => {
    const door = await newDoor(scene, { firewallEnabled: true });
    await addRule(door, 'whitelist', { type: 'FINGERPRINT', value: 'b7Yt0aQ2mXv9KcLs' });
    await addRule(door, 'firewall', { type: 'COUNTRY', value: 'DE' });
    const person = randomPlatformId();
    const { browser } = await comeWith(door, person, {});
    const page = await browser.get(`/verify/${door.id}/check`);
    expect(page.text).toContain('one of them fits your account');
    expect(await isVerified(door, person)).toBe(false);
  });
});
