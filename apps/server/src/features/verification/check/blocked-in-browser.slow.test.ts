import { expect } from 'bun:test';
import { type BlockReason, blockReasons } from '@holdfast/contract';
import {
  authorizeAs,
  inBrowser,
  type Window,
  waitForHeading,
} from '../../../../test/harness/browser/chromium.ts';
import { useVerificationInBrowser } from '../../../../test/harness/browser/verification.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { freshId } from '../../../../test/harness/simulator/platform.ts';
import { placesOf } from '../../../../test/harness/verification/fixture.ts';
import {
  membersOf,
  newVerificationServer,
  type VerificationServer,
} from '../../../../test/harness/verification/newcomer.ts';

const { chromium, fixture } = useVerificationInBrowser();

const post = async (server: VerificationServer, list: string, body: object): Promise<void> => {
  const reply = await server.owner.call('POST', `/api/v1/servers/${server.id}/${list}`, { body });
  expect(reply.status).toBe(201);
};

const guarded = (type: string, value: string) => async (): Promise<VerificationServer> => {
  const server = await newVerificationServer(fixture, { firewallEnabled: true });
  await post(server, 'firewall', { type, value });
  return server;
};

const walkIn = async (
  { page }: Window,
  server: VerificationServer,
  person: string,
): Promise<void> => {
  await page.goto(`${fixture.baseUrl}/verify/${server.id}`);
  await authorizeAs(page, person);
};

type Where = Parameters<typeof chromium.openWindow>[0];

const comeIn = async (
  server: VerificationServer,
  person: string,
  where: Where = {},
): Promise<void> => {
  const window = await chromium.openWindow(where);
  await walkIn(window, server, person);
  await waitForHeading(window.page, 'You are verified');
  expect(window.complaints).toEqual([]);
  await window.close();
};

const memberIdsOf = async (server: VerificationServer): Promise<string[]> =>
  (await membersOf(server)).map(({ platformId }: { platformId: string }) => platformId);

const countsOf = async ({ owner, id }: VerificationServer) =>
  (await owner.call('GET', `/api/v1/servers/${id}/analytics`)).body.data;

const none = Object.fromEntries(blockReasons.map((reason) => [reason, 0]));

type Words = { reason: BlockReason; title: string; words: string };
type Case = Words & {
  sentence: string;
  address?: string;
  person?: string;
  open(person: string): Promise<VerificationServer>;
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
      await fixture.simulator.control('PUT', `/users/${person}`, { guildIds: [guildId] });
      return guarded('SERVER_ID', guildId)();
    },
  },
  {
    sentence: 'by a VPN',
    reason: 'VPN',
    title: 'Your connection looks like a VPN',
    words: 'lets nobody in through VPNs',
    address: placesOf.vpn,
    open: () => newVerificationServer(fixture, { vpnBlockEnabled: true }),
  },
  {
    sentence: 'as a second account of a member',
    reason: 'ALT',
    title: 'You seem to be here already',
    words: 'Another account was verified from your device or connection',
    async open() {
      const server = await newVerificationServer(fixture, { altDetectEnabled: true });
      await comeIn(server, randomPlatformId(), { address: placesOf.boston });
      return server;
    },
  },
  {
    sentence: 'by the age of their account',
    reason: 'ACCOUNT_AGE',
    title: 'Your account is too new',
    words: 'only once they have reached a certain age',
    person: freshId(),
    open: () => newVerificationServer(fixture, { minAccountAgeDays: 30 }),
  },
];

/** The page says why, offers to appeal, stays after a reload, and analytics counts the block. */
const expectTurnedAway = async (
  window: Window,
  server: VerificationServer,
  { reason, title, words }: Words,
) => {
  const { page, complaints, close } = window;
  await waitForHeading(page, title);
  expect((await page.reload())?.status()).toBe(403);
  expect(await page.locator('main > p').first().innerText()).toContain(words);
  expect(await page.getByRole('button', { name: 'Send to the owner' }).isVisible()).toBe(true);
  expect((await countsOf(server)).blockReasons).toEqual({ ...none, [reason]: 1 });
  expect(complaints).toEqual([]);
  await close();
};

for (const { sentence, person = randomPlatformId(), address, open, ...words } of cases) {
  inBrowser(`a newcomer is blocked ${sentence}, and the page says so`, async () => {
    const server = await open(person);
    const window = await chromium.openWindow({ address: address ?? placesOf.hamburg });
    await walkIn(window, server, person);
    await expectTurnedAway(window, server, words);
    expect(await memberIdsOf(server)).not.toContain(person);
  });
}

inBrowser('a device that a rule names is blocked, another is verified', async () => {
  const server = await newVerificationServer(fixture, { firewallEnabled: true });
  await comeIn(server, randomPlatformId());
  const [member] = await membersOf(server);
  await post(server, 'firewall', { type: 'FINGERPRINT', value: member.fingerprint });
  const [same, other] = [randomPlatformId(), randomPlatformId()];
  const window = await chromium.openWindow();
  await walkIn(window, server, same);
  await expectTurnedAway(window, server, firewall);
  await comeIn(server, other, { locale: 'nl-NL', timezoneId: 'Europe/Amsterdam' });
  expect(await memberIdsOf(server)).toContain(other);
  expect(await memberIdsOf(server)).not.toContain(same);
});

inBrowser('a person on the whitelist passes every check but the blacklist', async () => {
  const person = freshId();
  const address = placesOf.vpn;
  const checks = { vpnBlockEnabled: true, altDetectEnabled: true, minAccountAgeDays: 30 };
  const server = await newVerificationServer(fixture, { ...checks, firewallEnabled: true });
  await post(server, 'firewall', { type: 'COUNTRY', value: 'US' });
  await post(server, 'whitelist', { type: 'USER_ID', value: person });
  await comeIn(server, person, { address });
  const { blockReasons: counted, totals } = await countsOf(server);
  expect(counted).toEqual(none);
  expect(totals).toMatchObject({ attempts: 1, verified: 1, blocked: 0 });

  await post(server, 'blacklist', { platformId: person });
  const window = await chromium.openWindow({ address });
  await walkIn(window, server, person);
  await expectTurnedAway(window, server, {
    reason: 'BLACKLIST',
    title: 'You cannot come in',
    words: 'does not let this account in',
  });
});
