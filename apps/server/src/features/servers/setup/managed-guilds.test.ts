import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createBot } from '../../../../test/harness/bots-and-servers.ts';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import { openBrowser } from '../../../../test/harness/erasure/people.ts';
import {
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import {
  startTestSimulator,
  type TestSimulator,
} from '../../../../test/harness/simulator/start.ts';

let simulator: TestSimulator;
let service: TestService;
let socket: ReturnType<TestService['listen']>;
beforeAll(async () => {
  simulator = await startTestSimulator();
  service = await startTestService({ platformApiUrl: simulator.apiUrl });
  socket = service.listen();
});
afterAll(async () => {
  await socket.stop();
  await service.stop();
  await simulator.stop();
});

const send = (path: string, init: RequestInit = {}) =>
  fetch(`${socket.url}${path}`, { ...init, redirect: 'manual' });

/** An owner with a bot, signed in to the dashboard. */
const openOwner = async () => {
  const owner = await service.newTenant();
  const clientId = randomPlatformId();
  const botId = await createBot(owner, { clientId, botToken: `${btoa(clientId)}.managed` });
  const browser = openBrowser({ send });
  const [name = '', token = ''] = (await openDashboard(service, owner)).cookie.split('=');
  browser.cookies.set(name, token);
  return { owner, clientId, botId, browser };
};

type Owner = Awaited<ReturnType<typeof openOwner>>;

/** A guild with this person in it, who has these permissions there, and nobody else. */
const putGuild = async (
  platformId: string,
  guild: object,
  permissions = '0',
  more: object[] = [],
) => {
  const [id, role] = [randomPlatformId(), randomPlatformId()];
  await simulator.control('PUT', `/guilds/${id}`, {
    guild,
    roles: [
      { id, name: '@everyone', permissions: '0', position: 0 },
      { id: role, name: 'Team', permissions, position: 1 },
    ],
    members: [{ user: { id: platformId }, roles: [role] }, ...more],
    botAccess: { isMember: false, permissions: '0', rolePosition: null },
  });
  return id;
};

/** As far as the platform's page; then as that person back from it, with what they agreed to. */
const authorize = async ({ browser, botId }: Owner, as: string): Promise<string> => {
  const begun = await browser.go(`/login/servers?bot=${botId}`);
  const back = await fetch(`${begun.headers.get('location')}&sim_user=${as}`, {
    redirect: 'manual',
  });
  const url = new URL(back.headers.get('location') ?? '');
  return url.pathname + url.search;
};

test('an owner sees the servers that they manage without the bot, with the link that invites it there', async () => {
  const one = await openOwner();
  const { platformId } = one.owner;
  const own = await putGuild(platformId, { name: 'Mine & <b>', owner_id: platformId });
  const managed = await putGuild(platformId, { name: 'Managed' }, '32');
  await putGuild(platformId, { name: 'Only a member' }, '2048');
  const bot = { user: { id: one.clientId, bot: true }, roles: [] };
  await putGuild(platformId, { name: 'Has it', owner_id: platformId }, '0', [bot]);

  const answer = await one.browser.go(await authorize(one, platformId));
  const page = await answer.text();
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(page).toContain('Mine &amp; &lt;b&gt;');
  expect(page).not.toMatch(/Only a member|Has it/);
  const links = [...page.matchAll(/href="([^"]+oauth2[^"]+)"/g)].map(
    ([, href = '']) => new URL(href.replaceAll('&amp;', '&')).searchParams,
  );
  expect(links.map((query) => query.get('guild_id'))).toEqual([managed, own]);
  for (const query of links) {
    expect(Object.fromEntries(query)).toMatchObject({
      ...{ client_id: one.clientId, scope: 'bot', permissions: '8' },
      disable_guild_select: 'true',
    });
  }
});

test('the platform is asked for the servers only here, and nothing of them is stored', async () => {
  const one = await openOwner();
  const name = `Secret place ${randomPlatformId()}`;
  const id = await putGuild(one.owner.platformId, { name, owner_id: one.owner.platformId });
  const begun = await one.browser.go(`/login/servers?bot=${one.botId}`);
  const asked = new URL(begun.headers.get('location') ?? '').searchParams;
  expect(asked.get('scope')).toBe('identify guilds');
  const signIn = await one.browser.go('/login?next=/dashboard');
  expect(signIn.headers.get('location')).not.toContain('guilds');

  expect(await (await one.browser.go(await authorize(one, one.owner.platformId))).text()).toContain(
    name,
  );
  const tables = await service.db.$client`
    select table_name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`;
  for (const { table_name: table } of tables) {
    const found = await service.db.$client.unsafe(
      `select 1 from "${table}" row where strpos(row::text, $1) > 0 or strpos(row::text, $2) > 0`,
      [name, id],
    );
    expect([table, found.length]).toEqual([table, 0]);
  }
});

test('the way back works once, in the browser that began it, for the account that is signed in', async () => {
  const one = await openOwner();
  const path = await authorize(one, one.owner.platformId);
  expect((await openBrowser({ send }).go(path)).status).toBe(400);
  expect((await one.browser.go(path)).status).toBe(200);
  const again = await one.browser.go(path);
  expect([again.status, await again.text()]).toEqual([
    400,
    expect.stringContaining('You are still signed in'),
  ]);

  const asAnother = await one.browser.go(await authorize(one, randomPlatformId()));
  expect([asAnother.status, await asAnother.text()]).toEqual([
    400,
    expect.stringContaining('another account'),
  ]);
});

test('who declines, or gets no answer, reads why and can go back', async () => {
  const one = await openOwner();
  const declined = new URL(await authorize(one, one.owner.platformId), 'http://here');
  const { searchParams } = declined;
  searchParams.delete('code');
  searchParams.set('error', 'access_denied');
  const refusal = await one.browser.go(declined.pathname + declined.search);
  expect([refusal.status, await refusal.text()]).toEqual([
    400,
    expect.stringContaining('You did not allow it'),
  ]);

  const path = await authorize(one, one.owner.platformId);
  await simulator.control('POST', '/faults', {
    match: { method: 'GET', route: '/users/@me/guilds' },
    ...{ times: 5, when: 'before', action: 'status', status: 403 },
  });
  const silent = await one.browser.go(path);
  await simulator.control('DELETE', '/faults');
  expect([silent.status, await silent.text()]).toEqual([
    400,
    expect.stringContaining('The platform did not answer'),
  ]);
});

test('a foreign bot is not there, and who is not signed in signs in first', async () => {
  const [one, other] = [await openOwner(), await openOwner()];
  for (const bot of [other.botId, crypto.randomUUID(), 'x', '', `${one.botId}&bot=2`.slice(1)]) {
    expect([bot, (await one.browser.go(`/login/servers?bot=${bot}`)).status]).toEqual([bot, 404]);
  }
  const stranger = await openBrowser({ send }).go(`/login/servers?bot=${one.botId}`);
  expect([stranger.status, stranger.headers.get('location')]).toEqual([
    303,
    '/login?next=/dashboard/servers/new',
  ]);
});
