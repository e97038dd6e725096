import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { eventually } from '../../../test/eventually.ts';
import { createBot, createServer, randomPlatformId } from '../../../test/harness.ts';
import {
  attemptsOf,
  authorize,
  membersOf,
  newDoor,
  type TestDoor,
  walkIn,
} from '../../../test/newcomer.ts';
import {
  placesOf,
  startVerificationScene,
  type VerificationScene,
} from '../../../test/verification-scene.ts';
import { memberTokens } from '../vault/table.ts';
import { verificationPurgers } from './jobs.ts';
import { accountCreatedAt } from './rules.ts';
import { passages, traces } from './table.ts';

let scene: VerificationScene;
beforeAll(async () => {
  scene = await startVerificationScene();
}, 60_000);
afterAll(() => scene.stop(), 30_000);

const tokensOf = (platformId: string) =>
  scene.db.select().from(memberTokens).where(eq(memberTokens.platformId, platformId));

/** How often the platform was told that a token of the owner's bots is given back. */
const countRevocations = async ({ owner }: TestDoor): Promise<number> => {
  const bots = (await owner.call('GET', '/api/v1/bots')).body.data;
  const isTheirs = (body: unknown) =>
    bots.some(({ clientId }: { clientId: string }) => `${body}`.includes(`client_id=${clientId}`));
  const log = await scene.simulator.readLog();
  const revocations = log.filter(({ path }) => path.includes('/oauth2/token/revoke'));
  return revocations.filter(({ body }) => isTheirs(body)).length;
};

test('whoever walks the whole way with a proof of work is a member with a role', async () => {
  const person = randomPlatformId();
  const door = await newDoor(scene, { captchaType: 'POW' }, [person]);
  const browser = scene.newBrowser();
  const page = await walkIn(browser, door, person, { form: { recover: 'yes' } });
  expect(page.status).toBe(200);
  expect(page.text).toContain('You are verified');

  await eventually(10_000, async () => {
    const guild = await scene.simulator.control('GET', `/guilds/${door.guildId}`);
    expect(guild.members[0].roles).toEqual([door.roleId]);
    expect(guild.messages[0]?.content).toContain(person);
  });
  const done = await browser.get(`/verify/${door.id}/done`);
  expect(done.text).toContain('All done');
  expect(done.text).not.toContain('http-equiv="refresh"');

  const [member] = await membersOf(door);
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
  expect(await attemptsOf(scene, door)).toEqual([
    { stage: 'verified', blockReason: null, undecided: null, country: 'DE' },
  ]);
}, 60_000);

test('whoever declines recovery is never asked for it, is verified, and leaves no token', async () => {
  const person = randomPlatformId();
  const door = await newDoor(scene, {}, [person]);
  const before = await countRevocations(door);
  const { authorizeUrl } = await authorize(scene.newBrowser(), door, person);
  expect(authorizeUrl.searchParams.get('scope')).toBe('identify');
  await walkIn(scene.newBrowser(), door, person);

  const [member] = await membersOf(door);
  expect(member).toMatchObject({ tokenStatus: 'NONE', pullable: false, consentedAt: null });
  expect(await tokensOf(person)).toEqual([]);
  await eventually(10_000, async () => {
    const after = await countRevocations(door);
    expect(after).toBe(before + 1);
    const [passage] = await scene.db
      .select({ token: passages.accessToken })
      .from(passages)
      .where(eq(passages.platformId, person));
    expect(passage?.token).toBeNull();
  });
}, 30_000);

test('verifying again refreshes, withdraws what is no longer wanted, and makes no second member', async () => {
  const person = randomPlatformId();
  const door = await newDoor(scene, {}, [person]);
  await walkIn(scene.newBrowser(), door, person, { form: { recover: 'yes' } });
  const [first] = await membersOf(door);
  await walkIn(scene.newBrowser(placesOf.boston), door, person, { form: { recover: 'yes' } });
  const [second, ...others] = await membersOf(door);
  expect(others).toEqual([]);
  expect(second).toMatchObject({ id: first.id, country: 'US', consentedAt: first.consentedAt });

  await walkIn(scene.newBrowser(), door, person);
  const [third] = await membersOf(door);
  expect(third).toMatchObject({ id: first.id, pullable: false, consentedAt: null });
  expect(await tokensOf(person)).toEqual([]);
  const server = await door.owner.call('GET', `/api/v1/servers/${door.id}`);
  expect(server.body.data._count).toMatchObject({ members: 1, pullableMembers: 0 });
}, 30_000);

test('tokens that an earlier bot of the server held go as well when they are no longer wanted', async () => {
  const person = randomPlatformId();
  const door = await newDoor(scene, {}, [person]);
  await walkIn(scene.newBrowser(), door, person, { form: { recover: 'yes' } });
  const customBotId = await createBot(door.owner);
  await door.owner.call('PUT', `/api/v1/servers/${door.id}`, { body: { customBotId } });
  await walkIn(scene.newBrowser(), door, person, { form: { recover: 'yes' } });
  expect(await tokensOf(person)).toMatchObject([{ botId: customBotId }]);
  await walkIn(scene.newBrowser(), door, person);
  expect(await tokensOf(person)).toEqual([]);
}, 30_000);

test('declining on one server keeps what another server of the owner was promised', async () => {
  const person = randomPlatformId();
  const door = await newDoor(scene, {}, [person]);
  await walkIn(scene.newBrowser(), door, person, { form: { recover: 'yes' } });
  const otherId = await createServer(door.owner, { name: 'Second' });
  await door.owner.call('PUT', `/api/v1/servers/${otherId}`, { body: { captchaType: 'NONE' } });
  const before = await countRevocations(door);
  await walkIn(scene.newBrowser(), { id: otherId }, person);
  expect(await tokensOf(person)).toHaveLength(1);
  // To the platform all tokens of one person and bot are one consent: none may be given back now.
  await eventually(10_000, async () => {
    const left = await scene.db.select().from(passages).where(eq(passages.platformId, person));
    expect(left.filter(({ accessToken }) => accessToken !== null)).toEqual([]);
  });
  expect(await countRevocations(door)).toBe(before);
  expect((await membersOf(door))[0].pullable).toBe(true);
  expect((await membersOf({ ...door, id: otherId }))[0].pullable).toBe(false);
}, 30_000);

test('a visit is counted once for each browser, and a flood from one address is not counted', async () => {
  const door = await newDoor(scene);
  const browser = scene.newBrowser('203.0.113.5');
  await browser.get(`/verify/${door.id}`);
  await browser.get(`/verify/${door.id}`);
  expect(await attemptsOf(scene, door)).toHaveLength(1);
  for (let i = 0; i < 40; i += 1) {
    const page = await scene.newBrowser('203.0.113.5').get(`/verify/${door.id}`);
    expect(page.status).toBe(200);
  }
  expect(await attemptsOf(scene, door)).toHaveLength(30);
}, 30_000);

test('the page tells what is asked, ticks nothing, names its source, and is small', async () => {
  const door = await newDoor(scene);
  const hostile = '<img src=x onerror=alert(1)>';
  await door.owner.call('PUT', `/api/v1/servers/${door.id}`, { body: { name: hostile } });
  const page = await scene.newBrowser().get(`/verify/${door.id}`);
  expect(page.text).toContain('name="recover"');
  expect(page.text).not.toContain(' checked');
  expect(page.text).toContain('https://db-ip.com');
  expect(page.text).not.toContain('<img src=x');
  expect(page.headers.get('content-security-policy')).toContain(
    `form-action 'self' ${scene.simulator.url}`,
  );
  const script = await scene.newBrowser().get('/pages/check.js');
  const style = await scene.newBrowser().get('/pages/style.css');
  const bytes = [page, script, style].map(({ text }) => Bun.gzipSync(text).length);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(60_000);
});

test('what names no live server is answered with a page', async () => {
  const browser = scene.newBrowser();
  const gone = await newDoor(scene);
  await gone.owner.call('DELETE', `/api/v1/servers/${gone.id}`);
  for (const id of ['nonsense', crypto.randomUUID(), gone.id]) {
    for (const path of [`/verify/${id}`, `/verify/${id}/check`, `/verify/${id}/done`]) {
      const page = await browser.get(path);
      expect(page.status).toBe(404);
      expect(page.text).toContain('no such server');
    }
  }
});

test('a bot’s own way back under our address is used, one elsewhere is not', async () => {
  const person = randomPlatformId();
  const owner = await scene.service.newTenant();
  const redirectUri = `${scene.baseUrl}/welcome/back`;
  const customBotId = await createBot(owner, { redirectUri });
  const id = await createServer(owner, { customBotId });
  await owner.call('PUT', `/api/v1/servers/${id}`, { body: { captchaType: 'NONE' } });
  const { authorizeUrl } = await authorize(scene.newBrowser(), { id }, person);
  expect(authorizeUrl.searchParams.get('redirect_uri')).toBe(redirectUri);
  expect((await walkIn(scene.newBrowser(), { id }, person)).text).toContain('You are verified');

  const door = await newDoor(scene);
  const elsewhere = await authorize(scene.newBrowser(), door, person);
  expect(elsewhere.authorizeUrl.searchParams.get('redirect_uri')).toBe(
    `${scene.baseUrl}/verify/callback`,
  );
}, 30_000);

test('somebody who is not in the server is told to join it', async () => {
  const door = await newDoor(scene);
  const browser = scene.newBrowser();
  await walkIn(browser, door, randomPlatformId());
  await eventually(10_000, async () => {
    const page = await browser.get(`/verify/${door.id}/done`);
    expect(page.text).toContain('Join it, then verify once more');
  });
}, 30_000);

test('what is past its time is forgotten, and its tokens are given back first', async () => {
  const person = randomPlatformId();
  const door = await newDoor(scene);
  const browser = scene.newBrowser();
  const { back } = await authorize(browser, door, person);
  await browser.get(back);
  const before = await countRevocations(door);
  await scene.db.$client`
    update verification_passages set expires_at = now() - interval '1 minute'
    where platform_id = ${person}`;
  expect((await browser.get(`/verify/${door.id}/check`)).text).toContain('start again');
  await scene.forget();
  expect(await countRevocations(door)).toBe(before + 1);
  const left = await scene.db.select().from(passages).where(eq(passages.platformId, person));
  expect(left).toEqual([]);
}, 30_000);

test('a role comes once the platform answers again, and the page says so meanwhile', async () => {
  const person = randomPlatformId();
  const door = await newDoor(scene, {}, [person]);
  const match = { method: 'PUT', guildId: door.guildId };
  const fault = { match, action: 'status', status: 503, times: 4 };
  await scene.simulator.control('POST', '/faults', fault);
  const browser = scene.newBrowser();
  const page = await walkIn(browser, door, person);
  expect(page.text).toContain('You are verified');
  expect(page.text).toContain('http-equiv="refresh"');
  await eventually(25_000, async () => {
    const guild = await scene.simulator.control('GET', `/guilds/${door.guildId}`);
    expect(guild.members[0].roles).toEqual([door.roleId]);
    expect((await browser.get(`/verify/${door.id}/done`)).text).toContain('All done');
  });
  await scene.simulator.control('DELETE', '/faults');
}, 40_000);

test('after ninety days nobody is known again by their device or address', async () => {
  const person = randomPlatformId();
  const door = await newDoor(scene);
  await walkIn(scene.newBrowser(), door, person);
  const [trace] = await scene.db.select().from(traces).where(eq(traces.platformId, person));
  const days = ((trace?.expiresAt.getTime() ?? 0) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(90);
  await scene.db.$client`
    update verification_traces set expires_at = now() where platform_id = ${person}`;
  expect((await membersOf(door))[0].fingerprint).not.toBeNull();
  await scene.forget();
  expect((await membersOf(door))[0].fingerprint).toBeNull();
  expect(await scene.db.select().from(traces).where(eq(traces.platformId, person))).toEqual([]);
}, 30_000);

test('with a deleted server all that was kept for its newcomers goes', async () => {
  const door = await newDoor(scene, { vpnBlockEnabled: true });
  await walkIn(scene.newBrowser(), door, randomPlatformId(), { form: { recover: 'yes' } });
  const browser = scene.newBrowser(placesOf.vpn);
  await walkIn(browser, door, randomPlatformId());
  await browser.post(`/verify/${door.id}/appeal`, { message: 'please' });
  const gone: number[] = [];
  for (const purge of verificationPurgers) {
    gone.push(await scene.db.transaction((tx) => purge(tx, door.id, 100)));
    expect(await scene.db.transaction((tx) => purge(tx, door.id, 100))).toBe(0);
  }
  expect(gone.every((rows) => rows > 0)).toBe(true);
}, 30_000);
