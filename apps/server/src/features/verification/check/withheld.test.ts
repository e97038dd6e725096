import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { PageBrowser, PageReply } from '../../../../test/harness/browser/page-browser.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import {
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

let fixture: VerificationFixture;
beforeAll(async () => {
  fixture = await startVerificationFixture();
});
afterAll(() => fixture.stop());

const addRule = async (
  server: VerificationServer,
  list: 'firewall' | 'whitelist',
  body: { type: string; value: string },
) => {
  const reply = await server.owner.call('POST', `/api/v1/servers/${server.id}/${list}`, { body });
  expect(reply.status).toBe(201);
};

const isVerified = async (server: VerificationServer, person: string): Promise<boolean> =>
  (await membersOf(server)).some(({ platformId }: { platformId: string }) => platformId === person);

describe('a scope that was removed from the authorize address', () => {
  /** The newcomer edits the authorize address; the platform asks for the scopes that are left in it. */
  const comeBackWith = async (
    browser: PageBrowser,
    server: VerificationServer,
    { person, scope, form }: { person: string; scope: string; form?: Record<string, string> },
  ): Promise<PageReply> => {
    await browser.get(`/verify/${server.id}`);
    const begun = await browser.post(`/verify/${server.id}`, form);
    const edited = new URL(begun.location ?? '');
    edited.searchParams.set('scope', scope);
    edited.searchParams.set('sim_user', person);
    const agreed = await fetch(edited, { redirect: 'manual' });
    return browser.get(agreed.headers.get('location') ?? '');
  };
  const finish = (browser: PageBrowser, server: VerificationServer) =>
    browser.post(`/verify/${server.id}/check`, { fingerprint: 'a'.repeat(64) });

  test.each(['firewall', 'whitelist'] as const)(
    'stops the verification if a SERVER_ID rule of the %s needs it',
    async (list) => {
      const [person, guildId] = [randomPlatformId(), randomPlatformId()];
      await fixture.simulator.control('PUT', `/users/${person}`, { guildIds: [guildId] });
      const server = await newVerificationServer(fixture, { firewallEnabled: true });
      await addRule(server, list, { type: 'SERVER_ID', value: guildId });
      const browser = fixture.newBrowser();
      const page = await comeBackWith(browser, server, { person, scope: 'identify' });
      expect([page.status, page.location]).toEqual([400, null]);
      expect(page.text).toContain('A permission is missing');
      expect(page.text).toContain(`href="/verify/${server.id}"`);
      const check = await finish(browser, server);
      expect(check.text).toContain('Please start again');
      expect(await isVerified(server, person)).toBe(false);
      const [attempt] = await attemptsOf(fixture, server);
      expect(attempt).toMatchObject({ stage: 'visited', undecided: null });

      const whole = await walkIn(fixture.newBrowser(), server, person);
      expect(whole.text).toContain(
        list === 'firewall' ? 'one of them fits your account' : 'You are verified',
      );
    },
  );

  test('causes all tokens to be revoked at the platform', async () => {
    const server = await newVerificationServer(fixture, { firewallEnabled: true });
    await addRule(server, 'firewall', { type: 'SERVER_ID', value: randomPlatformId() });
    const request = { person: randomPlatformId(), scope: 'identify guilds.join' };
    await comeBackWith(fixture.newBrowser(), server, request);
    const [{ clientId }] = (await server.owner.call('GET', '/api/v1/bots')).body.data;
    await eventually(10_000, async () => {
      const calls = (await fixture.simulator.readLog()).filter(({ body }) =>
        `${body}`.includes(`client_id=${clientId}`),
      );
      expect(calls.map(({ path }) => path.replace(/^.*oauth2/, ''))).toContain('/token/revoke');
    });
  });

  test('is no consent to recovery, and does not stop the verification', async () => {
    const [server, person, browser] = [
      await newVerificationServer(fixture),
      randomPlatformId(),
      fixture.newBrowser(),
    ];
    const request = { person, scope: 'identify', form: { recover: 'yes' } };
    expect((await comeBackWith(browser, server, request)).status).toBe(303);
    await finish(browser, server);
    const [member] = await membersOf(server);
    expect(member).toMatchObject({ tokenStatus: 'NONE', pullable: false, consentedAt: null });
  });

  test('cannot be replaced by one that was not requested', async () => {
    const [server, person, browser] = [
      await newVerificationServer(fixture),
      randomPlatformId(),
      fixture.newBrowser(),
    ];
    await comeBackWith(browser, server, { person, scope: 'identify guilds.join' });
    await finish(browser, server);
    const [member] = await membersOf(server);
    expect(member).toMatchObject({ tokenStatus: 'NONE', pullable: false, consentedAt: null });
  });

  test('is requested if its rule was added while the newcomer was at the platform', async () => {
    const [server, person, guildId] = [
      await newVerificationServer(fixture, { firewallEnabled: true }),
      randomPlatformId(),
      randomPlatformId(),
    ];
    await fixture.simulator.control('PUT', `/users/${person}`, { guildIds: [guildId] });
    const browser = fixture.newBrowser();
    const { back } = await authorize(browser, server, person);
    expect((await browser.get(back)).status).toBe(303);
    await addRule(server, 'firewall', { type: 'SERVER_ID', value: guildId });
    const page = await finish(browser, server);
    expect([page.status, page.location]).toEqual([400, null]);
    expect(page.text).toContain('Please start again');
    expect(await isVerified(server, person)).toBe(false);
  });
});

describe('a fingerprint that the browser does not send', () => {
  const malformed = [
    '',
    ' ',
    'a'.repeat(63),
    'A'.repeat(64),
    'g'.repeat(64),
    `${'a'.repeat(64)}\n`,
  ];
  const comeWith = async (
    server: VerificationServer,
    person: string,
    fields: Record<string, string>,
  ) => {
    const browser = fixture.newBrowser();
    const { back } = await authorize(browser, server, person);
    await browser.get(back);
    const taken = await browser.post(`/verify/${server.id}/check`, fields);
    return { browser, taken };
  };
  const withAltDetection = () => newVerificationServer(fixture, { altDetectEnabled: true });
  const withRule = async () => {
    const server = await newVerificationServer(fixture, { firewallEnabled: true });
    await addRule(server, 'firewall', { type: 'FINGERPRINT', value: 'b7Yt0aQ2mXv9KcLs' });
    return server;
  };

  test.each([
    ['a FINGERPRINT rule', withRule],
    ['alt detection', withAltDetection],
  ])('does not pass %s, and can be sent later', async (_, makeServer) => {
    const server = await makeServer();
    const person = randomPlatformId();
    for (const fields of [{}, ...malformed.map((fingerprint) => ({ fingerprint }))]) {
      const { taken } = await comeWith(server, person, fields);
      expect([fields, taken.status, taken.location]).toEqual([fields, 400, null]);
      expect(taken.text).toContain('Your browser could not be identified');
      expect(taken.text).toContain(`href="/verify/${server.id}/check"`);
    }
    expect(await membersOf(server)).toEqual([]);
    const { browser } = await comeWith(server, person, {});
    await browser.post(`/verify/${server.id}/check`, { fingerprint: 'c'.repeat(64) });
    expect(await isVerified(server, person)).toBe(true);
  });

  test('matters neither to people on the whitelist nor if no check needs it', async () => {
    const [listed, anybody] = [randomPlatformId(), randomPlatformId()];
    const server = await withRule();
    await addRule(server, 'whitelist', { type: 'USER_ID', value: listed });
    await comeWith(server, listed, {});
    expect(await isVerified(server, listed)).toBe(true);
    const openServer = await newVerificationServer(fixture);
    await comeWith(openServer, anybody, {});
    expect(await isVerified(openServer, anybody)).toBe(true);
  });

  test('matches no FINGERPRINT rule of the whitelist', async () => {
    const server = await newVerificationServer(fixture, { firewallEnabled: true });
    await addRule(server, 'whitelist', { type: 'FINGERPRINT', value: 'b7Yt0aQ2mXv9KcLs' });
    await addRule(server, 'firewall', { type: 'COUNTRY', value: 'DE' });
    const person = randomPlatformId();
    const { browser } = await comeWith(server, person, {});
    const page = await browser.get(`/verify/${server.id}/check`);
    expect(page.text).toContain('one of them fits your account');
    expect(await isVerified(server, person)).toBe(false);
  });
});
