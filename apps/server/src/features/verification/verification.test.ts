import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { createBot, createServer } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { randomPlatformId } from '../../../test/harness/service.ts';
import {
  placesOf,
  startVerificationFixture,
  type VerificationFixture,
} from '../../../test/harness/verification/fixture.ts';
import {
  attemptsOf,
  authorize,
  membersOf,
  newVerificationServer,
  type VerificationServer,
  walkIn,
} from '../../../test/harness/verification/newcomer.ts';
import { memberTokens } from '../vault/table.ts';
import { verification } from './feature.ts';
import { raiseChecks } from './queries/raised-checks.ts';
import { accountCreatedAt } from './rules.ts';
import { identityHashes, pendingVerifications } from './table.ts';

let fixture: VerificationFixture;
beforeAll(async () => {
  fixture = await startVerificationFixture();
});
afterAll(() => fixture.stop());

const tokensOf = (platformId: string) =>
  fixture.db.select().from(memberTokens).where(eq(memberTokens.platformId, platformId));

/** How often a token of the owner's bots was revoked at the platform. */
const countRevocations = async ({ owner }: VerificationServer): Promise<number> => {
  const bots = (await owner.call('GET', '/api/v1/bots')).body.data;
  const isTheirs = (body: unknown) =>
    bots.some(({ clientId }: { clientId: string }) => `${body}`.includes(`client_id=${clientId}`));
  const log = await fixture.simulator.readLog();
  const revocations = log.filter(({ path }) => path.includes('/oauth2/token/revoke'));
  return revocations.filter(({ body }) => isTheirs(body)).length;
};

test('a newcomer who completes a verification with a proof of work is a member with a role', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture, { captchaType: 'POW' }, [person]);
  const browser = fixture.newBrowser();
  const page = await walkIn(browser, server, person, { form: { recover: 'yes' } });
  expect(page.status).toBe(200);
  expect(page.text).toContain('You are verified');
  const { accountId } = server.owner;
  expect(fixture.service.changes).toContainEqual({ accountId, topic: `members:${server.id}` });

  await eventually(10_000, async () => {
    const guild = await fixture.simulator.control('GET', `/guilds/${server.guildId}`);
    expect(guild.members[0].roles).toEqual([server.roleId]);
    expect(guild.messages[0]?.content).toContain(person);
  });
  const done = await browser.get(`/verify/${server.id}/done`);
  expect(done.text).toContain('All done');
  expect(done.text).not.toContain('http-equiv="refresh"');

  const [member] = await membersOf(server);
  expect(member).toMatchObject({
    platformId: person,
    country: 'DE',
    region: 'DE-HH',
    asn: 64502,
    isVpn: false,
    isAlt: false,
    tokenStatus: 'VALID',
    pullable: true,
  });
  expect(member.fingerprint).toMatch(/^[\w-]{43}$/);
  expect(member.accountCreatedAt).toBe(accountCreatedAt(person)?.toISOString());
  expect(await tokensOf(person)).toHaveLength(1);
  expect(await attemptsOf(fixture, server)).toEqual([
    { stage: 'verified', blockReason: null, undecided: null, country: 'DE' },
  ]);
});

test('a newcomer who declines recovery is never asked for it, is verified, and leaves no token', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture, {}, [person]);
  const before = await countRevocations(server);
  const { authorizeUrl } = await authorize(fixture.newBrowser(), server, person);
  expect(authorizeUrl.searchParams.get('scope')).toBe('identify');
  await walkIn(fixture.newBrowser(), server, person);

  const [member] = await membersOf(server);
  expect(member).toMatchObject({ tokenStatus: 'NONE', pullable: false, consentedAt: null });
  expect(await tokensOf(person)).toEqual([]);
  await eventually(10_000, async () => {
    const after = await countRevocations(server);
    expect(after).toBe(before + 1);
    const [pending] = await fixture.db
      .select({ token: pendingVerifications.accessToken })
      .from(pendingVerifications)
      .where(eq(pendingVerifications.platformId, person));
    expect(pending?.token).toBeNull();
  });
});

test('verifying again updates the member, withdraws what is no longer consented to, and adds no second member', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture, {}, [person]);
  await walkIn(fixture.newBrowser(), server, person, { form: { recover: 'yes' } });
  const [first] = await membersOf(server);
  await walkIn(fixture.newBrowser(placesOf.boston), server, person, { form: { recover: 'yes' } });
  const [second, ...others] = await membersOf(server);
  expect(others).toEqual([]);
  expect(second).toMatchObject({ id: first.id, country: 'US', consentedAt: first.consentedAt });

  await walkIn(fixture.newBrowser(), server, person);
  const [third] = await membersOf(server);
  expect(third).toMatchObject({ id: first.id, pullable: false, consentedAt: null });
  expect(await tokensOf(person)).toEqual([]);
  const shown = await server.owner.call('GET', `/api/v1/servers/${server.id}`);
  expect(shown.body.data._count).toMatchObject({ members: 1, pullableMembers: 0 });
});

test('tokens of an earlier bot of the server are deleted too when they are no longer needed', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture, {}, [person]);
  await walkIn(fixture.newBrowser(), server, person, { form: { recover: 'yes' } });
  const customBotId = await createBot(server.owner);
  await server.owner.call('PUT', `/api/v1/servers/${server.id}`, { body: { customBotId } });
  await walkIn(fixture.newBrowser(), server, person, { form: { recover: 'yes' } });
  expect(await tokensOf(person)).toMatchObject([{ botId: customBotId }]);
  await walkIn(fixture.newBrowser(), server, person);
  expect(await tokensOf(person)).toEqual([]);
});

test('declining on one server keeps the consent on another server of the owner', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture, {}, [person]);
  await walkIn(fixture.newBrowser(), server, person, { form: { recover: 'yes' } });
  const otherId = await createServer(server.owner, { name: 'Second' });
  await server.owner.call('PUT', `/api/v1/servers/${otherId}`, { body: { captchaType: 'NONE' } });
  const before = await countRevocations(server);
  await walkIn(fixture.newBrowser(), { id: otherId }, person);
  expect(await tokensOf(person)).toHaveLength(1);
  // To the platform all tokens of one person and bot are one consent: none may be revoked now.
  await eventually(10_000, async () => {
    const left = await fixture.db
      .select()
      .from(pendingVerifications)
      .where(eq(pendingVerifications.platformId, person));
    expect(left.filter(({ accessToken }) => accessToken !== null)).toEqual([]);
  });
  expect(await countRevocations(server)).toBe(before);
  expect((await membersOf(server))[0].pullable).toBe(true);
  expect((await membersOf({ ...server, id: otherId }))[0].pullable).toBe(false);
});

test('a visit is counted once for each browser, and a flood from one address is not counted', async () => {
  const server = await newVerificationServer(fixture);
  const browser = fixture.newBrowser('203.0.113.5');
  await browser.get(`/verify/${server.id}`);
  await browser.get(`/verify/${server.id}`);
  expect(await attemptsOf(fixture, server)).toHaveLength(1);
  for (let i = 0; i < 40; i += 1) {
    const page = await fixture.newBrowser('203.0.113.5').get(`/verify/${server.id}`);
    expect(page.status).toBe(200);
  }
  expect(await attemptsOf(fixture, server)).toHaveLength(30);
});

test('the page says what is requested, ticks nothing, names its data source, and is small', async () => {
  const server = await newVerificationServer(fixture);
  const hostile = '<img src=x onerror=alert(1)>';
  await server.owner.call('PUT', `/api/v1/servers/${server.id}`, { body: { name: hostile } });
  const page = await fixture.newBrowser().get(`/verify/${server.id}`);
  expect(page.text).toContain('name="recover"');
  expect(page.text).not.toContain(' checked');
  expect(page.text).toContain('https://db-ip.com');
  expect(page.text).not.toContain('<img src=x');
  expect(page.headers.get('content-security-policy')).toContain(
    `form-action 'self' ${fixture.simulator.url}`,
  );
  const script = await fixture.newBrowser().get('/pages/check.js');
  const style = await fixture.newBrowser().get('/pages/style.css');
  const bytes = [page, script, style].map(({ text }) => Bun.gzipSync(text).length);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(60_000);
});

test('the link of a server that does not exist leads to a page that says so', async () => {
  const browser = fixture.newBrowser();
  const gone = await newVerificationServer(fixture);
  await gone.owner.call('DELETE', `/api/v1/servers/${gone.id}`);
  for (const id of ['nonsense', crypto.randomUUID(), gone.id]) {
    for (const path of [`/verify/${id}`, `/verify/${id}/check`, `/verify/${id}/done`]) {
      const page = await browser.get(path);
      expect(page.status).toBe(404);
      expect(page.text).toContain('no such server');
    }
  }
});

test('a bot’s own redirect address is used if it is under ours, and only then', async () => {
  const person = randomPlatformId();
  const owner = await fixture.service.newTenant();
  const redirectUri = `${fixture.baseUrl}/welcome/back`;
  const customBotId = await createBot(owner, { redirectUri });
  const id = await createServer(owner, { customBotId });
  await owner.call('PUT', `/api/v1/servers/${id}`, { body: { captchaType: 'NONE' } });
  const { authorizeUrl } = await authorize(fixture.newBrowser(), { id }, person);
  expect(authorizeUrl.searchParams.get('redirect_uri')).toBe(redirectUri);
  expect((await walkIn(fixture.newBrowser(), { id }, person)).text).toContain('You are verified');

  const server = await newVerificationServer(fixture);
  const elsewhere = await authorize(fixture.newBrowser(), server, person);
  expect(elsewhere.authorizeUrl.searchParams.get('redirect_uri')).toBe(
    `${fixture.baseUrl}/verify/callback`,
  );
});

test('a person who is not in the server is asked to join it', async () => {
  const server = await newVerificationServer(fixture);
  const browser = fixture.newBrowser();
  await walkIn(browser, server, randomPlatformId());
  await eventually(10_000, async () => {
    const page = await browser.get(`/verify/${server.id}/done`);
    expect(page.text).toContain('Join it, then verify once more');
  });
});

test('an expired pending verification is deleted, after its tokens are revoked', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture);
  const browser = fixture.newBrowser();
  const { back } = await authorize(browser, server, person);
  await browser.get(back);
  const before = await countRevocations(server);
  await fixture.db.$client`
    update pending_verifications set expires_at = now() - interval '1 minute'
    where platform_id = ${person}`;
  expect((await browser.get(`/verify/${server.id}/check`)).text).toContain('start again');
  await fixture.forget();
  expect(await countRevocations(server)).toBe(before + 1);
  const left = await fixture.db
    .select()
    .from(pendingVerifications)
    .where(eq(pendingVerifications.platformId, person));
  expect(left).toEqual([]);
});

test('the role is assigned once the platform answers again, and the page says so meanwhile', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture, {}, [person]);
  const match = { method: 'PUT', guildId: server.guildId };
  const fault = { match, action: 'status', status: 503, times: 4 };
  await fixture.simulator.control('POST', '/faults', fault);
  const browser = fixture.newBrowser();
  const page = await walkIn(browser, server, person);
  expect(page.text).toContain('You are verified');
  expect(page.text).toContain('http-equiv="refresh"');
  await eventually(25_000, async () => {
    const guild = await fixture.simulator.control('GET', `/guilds/${server.guildId}`);
    expect(guild.members[0].roles).toEqual([server.roleId]);
    expect((await browser.get(`/verify/${server.id}/done`)).text).toContain('All done');
  });
  await fixture.simulator.control('DELETE', '/faults');
});

test('device and address hashes expire after ninety days', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture);
  await walkIn(fixture.newBrowser(), server, person);
  const [hash] = await fixture.db
    .select()
    .from(identityHashes)
    .where(eq(identityHashes.platformId, person));
  const days = ((hash?.expiresAt.getTime() ?? 0) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(90);
  await fixture.db.$client`
    update identity_hashes set expires_at = now() where platform_id = ${person}`;
  expect((await membersOf(server))[0].fingerprint).not.toBeNull();
  await fixture.forget();
  expect((await membersOf(server))[0].fingerprint).toBeNull();
  expect(
    await fixture.db.select().from(identityHashes).where(eq(identityHashes.platformId, person)),
  ).toEqual([]);
});

test('purging a deleted server deletes all that was stored for its newcomers', async () => {
  const server = await newVerificationServer(fixture, { vpnBlockEnabled: true });
  await walkIn(fixture.newBrowser(), server, randomPlatformId(), { form: { recover: 'yes' } });
  const browser = fixture.newBrowser(placesOf.vpn);
  await walkIn(browser, server, randomPlatformId());
  await browser.post(`/verify/${server.id}/appeal`, { message: 'please' });
  await fixture.db.transaction((tx) =>
    raiseChecks(tx, {
      ...{ serverId: server.id, accountId: server.owner.accountId, until: new Date() },
      ...{ captchaType: 'POW', minAccountAgeDays: 3 },
    }),
  );
  const gone: number[] = [];
  for (const purge of verification.purgeServer) {
    gone.push(await fixture.db.transaction((tx) => purge(tx, server.id, 100)));
    expect(await fixture.db.transaction((tx) => purge(tx, server.id, 100))).toBe(0);
  }
  expect(gone.every((rows) => rows > 0)).toBe(true);
});
