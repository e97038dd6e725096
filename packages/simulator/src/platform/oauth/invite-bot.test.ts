import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  botToken,
  freshId,
  startTestSimulator,
  type TestSimulator,
} from '../../../test/harness.ts';

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterAll(() => simulator.stop());

const administrator = '8';
const owner = '118264931620716544';

const linkOf = (botId: string, more: Record<string, string> = {}) =>
  `${simulator.url}/oauth2/authorize?${new URLSearchParams({
    ...{ client_id: botId, scope: 'bot', permissions: administrator, ...more },
  })}`;

const authorize = async (link: string, fields: Record<string, string> = {}) => {
  const form = { user: owner, guild_id: '', decision: 'authorize', ...fields };
  const answer = await fetch(link, { method: 'POST', body: new URLSearchParams(form) });
  return { status: answer.status, text: await answer.text() };
};

const guildsOf = async (botId: string): Promise<{ id: string; name: string }[]> =>
  (await simulator.call('GET', '/users/@me/guilds', undefined, botToken(botId))).json();

test('the link of a bot makes a new server and adds the bot to it with the asked permissions', async () => {
  const botId = freshId();
  const page = await fetch(linkOf(botId));
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('to a server')]);
  expect(await guildsOf(botId)).toEqual([]);
  expect((await authorize(linkOf(botId), { decision: 'cancel' })).status).toBe(200);
  expect(await guildsOf(botId)).toEqual([]);

  expect((await authorize(linkOf(botId))).text).toContain('is in New server now');
  const [made, ...more] = await guildsOf(botId);
  expect([made?.name, more]).toEqual(['New server', []]);
  const guild = await simulator.control('GET', `/guilds/${made?.id}`);
  const names = guild.channels.map(({ name }: { name: string }) => name);
  expect([guild.guild.owner_id, names]).toEqual([owner, ['general', 'General']]);
  const role = guild.roles.find(({ managed }: { managed: boolean }) => managed);
  expect(role.permissions).toBe(administrator);
  const stranger = await simulator.call('GET', `/guilds/${made?.id}`, undefined, botToken());
  expect(stranger.status).toBe(403);
});

test('the servers of the people on the page are offered by name, and the chosen one is joined', async () => {
  const [first, second] = [freshId(), freshId()];
  await authorize(linkOf(first));
  const [made] = await guildsOf(first);
  const page = await (await fetch(linkOf(second))).text();
  expect(page).toContain(`<option value="${made?.id}">New server</option>`);
  await authorize(linkOf(second), { guild: made?.id ?? '' });
  expect(await guildsOf(second)).toMatchObject([{ id: made?.id }]);
});

test('it adds the bot to the server of an id, where no bot joins by asking, once', async () => {
  const [botId, guildId] = [freshId(), freshId()];
  await simulator.control('PUT', `/guilds/${guildId}`, { botAccess: { isMember: false } });
  for (const _ of ['first', 'again']) {
    expect((await authorize(linkOf(botId), { guild_id: guildId })).status).toBe(200);
    expect((await guildsOf(botId)).map(({ id }) => id)).toEqual([guildId]);
  }
});

test('a link or a form that makes no sense is refused, and changes nothing', async () => {
  const botId = freshId();
  const link = linkOf(botId);
  for (const [url, fields] of [
    [linkOf('x'), {}],
    [linkOf(botId, { permissions: 'all' }), {}],
    [linkOf(botId, { redirect_uri: 'javascript:alert(1)' }), {}],
    [link, { user: 'nobody' }],
    [link, { guild_id: 'x' }],
  ] satisfies [string, Record<string, string>][]) {
    expect([url, (await authorize(url, fields)).status]).toEqual([url, 400]);
  }
  expect(await guildsOf(botId)).toEqual([]);
});

test('a link that names the server and allows no choice adds the bot to that one', async () => {
  const [first, second] = [freshId(), freshId()];
  await authorize(linkOf(first));
  const [made] = await guildsOf(first);
  const link = linkOf(second, { guild_id: made?.id ?? '', disable_guild_select: 'true' });
  const page = await (await fetch(link)).text();
  expect(page).toContain('to New server');
  expect(page).not.toContain('Add to server');
  await authorize(link, { guild: '', guild_id: freshId() });
  expect(await guildsOf(second)).toMatchObject([{ id: made?.id }]);
});
