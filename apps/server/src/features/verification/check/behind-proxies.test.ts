import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import {
  placesOf,
  startVerificationFixture,
  type VerificationFixture,
} from '../../../../test/harness/verification/fixture.ts';
import {
  attemptsOf,
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

const proxy = '127.0.0.1';
const { hamburg } = placesOf;
const inRange = '203.0.113.7';

/** A server that blocks 203.0.113.0/24. */
const newServerWithRule = async (): Promise<VerificationServer> => {
  const server = await newVerificationServer(fixture, { firewallEnabled: true });
  const rule = { body: { type: 'IP', value: '203.0.113.0/24' } };
  const reply = await server.owner.call('POST', `/api/v1/servers/${server.id}/firewall`, rule);
  expect(reply.status).toBe(201);
  return server;
};

const isBlocked = async (
  server: VerificationServer,
  peer: string,
  headers: Record<string, string> = {},
): Promise<boolean> => {
  const page = await walkIn(fixture.newBrowser(peer, headers), server, randomPlatformId());
  if (page.status !== 403) expect(page.text).toContain('You are verified');
  return page.status === 403;
};

/** Every header in which some proxy names the client. */
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

test('no header moves a newcomer out of the range they come from', async () => {
  const server = await newServerWithRule();
  for (const [name, value] of claims(hamburg)) {
    const isRefused = await isBlocked(server, inRange, { [name]: value });
    expect({ [name]: isRefused }).toEqual({ [name]: true });
  }
  expect(await membersOf(server)).toEqual([]);
});

test('no header moves a newcomer into a range or country they do not come from', async () => {
  const server = await newServerWithRule();
  for (const [name, value] of [...claims(inRange), ...claims(placesOf.boston)]) {
    const isRefused = await isBlocked(server, hamburg, { [name]: value });
    expect({ [name]: isRefused }).toEqual({ [name]: false });
  }
  const seen = [...(await attemptsOf(fixture, server)), ...(await membersOf(server))];
  expect(new Set(seen.map(({ country }) => country))).toEqual(new Set(['DE']));
});

test('of our own proxy only X-Forwarded-For is trusted', async () => {
  const server = await newServerWithRule();
  for (const [name, value] of claims(inRange).filter(([name]) => name !== 'x-forwarded-for')) {
    const isRefused = await isBlocked(server, proxy, { [name]: value, 'x-forwarded-for': hamburg });
    expect({ [name]: isRefused }).toEqual({ [name]: false });
  }
});

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
    async (_, forwardedFor, isRefused) => {
      const server = await newServerWithRule();
      const headers = { 'x-forwarded-for': forwardedFor };
      expect(await isBlocked(server, proxy, headers)).toBe(isRefused);
      expect(await isBlocked(server, `::ffff:${proxy}`, headers)).toBe(isRefused);
    },
    30_000,
  );
});

test('a rule of a range blocks from its first address to its last, and no other', async () => {
  const server = await newServerWithRule();
  for (const address of ['203.0.113.0', inRange, '203.0.113.255', `::ffff:${inRange}`]) {
    expect({ [address]: await isBlocked(server, address) }).toEqual({ [address]: true });
  }
  for (const address of ['203.0.112.255', '203.0.114.0', '203.0.114.1', '2001:db8::cb00:7107']) {
    expect({ [address]: await isBlocked(server, address) }).toEqual({ [address]: false });
  }
});
