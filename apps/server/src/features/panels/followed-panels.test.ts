import { afterAll, beforeAll, expect, test } from 'bun:test';
import { takeBackupNow } from '../../../test/harness/backups/run-backup.ts';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { newPageBrowser } from '../../../test/harness/browser/page-browser.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../test/harness/gateway.ts';
import { randomPlatformId } from '../../../test/harness/service.ts';
import { walkIn } from '../../../test/harness/verification/newcomer.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: [
      ...['panels.post', 'panels.look', 'panels.look-at-all', 'panels.remove'],
      ...['account.purge', 'account.finish', 'servers.purge'],
    ],
  });
  await fixture.simulator.control('PUT', '/limits', { default: { limit: 1000, perMs: 1000 } });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

type Message = {
  id: string;
  channel_id: string;
  embeds: object[];
  components: { components: { url: string }[] }[];
};

const content = { title: 'Welcome', text: '', color: 1, buttonText: 'Verify' };

/** A guild with a posted panel, whose bot is connected. */
const newPanel = async () => {
  const bot = await fixture.newBot();
  const { owner } = bot;
  const guildId = await fixture.joinGuild(bot);
  const serverId = await createServer(owner, { platformGuildId: guildId, customBotId: bot.id });
  const [hall = '', quay = ''] = await textChannelsOf(guildId);
  const path = `/api/v1/servers/${serverId}/panels`;
  const created = await owner.call('POST', path, { body: { channelId: hall, ...content } });
  const place = { bot, owner, guildId, serverId, path, hall, quay };
  const panelId: string = created.body.data.id;
  const panel = { ...place, panelId };
  await becomes(panel, 'POSTED');
  return panel;
};

type Place = Awaited<ReturnType<typeof newPanel>>;

const becomes = ({ owner, path }: Pick<Place, 'owner' | 'path'>, status: string) =>
  eventually(15_000, async () => {
    const [panel] = (await owner.call('GET', path)).body.data;
    expect(panel).toMatchObject({ status });
    return panel;
  });

/** Those that can be deleted: a community keeps its rules and updates. */
const textChannelsOf = async (guildId: string): Promise<string[]> => {
  const { guild, channels } = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  const kept = [guild.rules_channel_id, guild.public_updates_channel_id];
  return channels
    .filter(({ id, type }: { id: string; type: number }) => type === 0 && !kept.includes(id))
    .map(({ id }: { id: string }) => id);
};

/** The messages with a button. */
const messagesOf = async ({ guildId }: Pick<Place, 'guildId'>): Promise<Message[]> => {
  const { messages } = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  return messages.filter(({ components }: Message) => components?.length > 0);
};

/** As the guild's owner does it in the app. */
const actAsPerson = async ({ guildId }: Place, path: string): Promise<void> => {
  const { guild } = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  const authorization = `Bot ${btoa(guild.owner_id)}.token-value`;
  const url = `${fixture.simulator.apiUrl}/v10${path}`;
  const reply = await fetch(url, { method: 'DELETE', headers: { authorization } });
  expect([200, 204]).toContain(reply.status);
};

test('a message that a person deletes is noticed, and posted again when its owner wants it', async () => {
  const place = await newPanel();
  const [first] = await messagesOf(place);
  await actAsPerson(place, `/channels/${place.hall}/messages/${first?.id}`);
  expect(await becomes(place, 'MISSING')).toMatchObject({ messageId: null, error: null });
  expect(await messagesOf(place)).toEqual([]);
  await place.owner.call('PUT', `${place.path}/${place.panelId}`, { body: { title: 'Welcome' } });
  const { messageId } = await becomes(place, 'POSTED');
  expect(await messagesOf(place)).toMatchObject([{ id: messageId }]);
});

test('what was deleted while nobody listened is noticed when the bot is connected again', async () => {
  const place = await newPanel();
  const { messages, ...guild } = await fixture.simulator.control('GET', `/guilds/${place.guildId}`);
  await fixture.simulator.control('PUT', `/guilds/${place.guildId}`, { ...guild, messages: [] });
  expect(await becomes(place, 'POSTED')).toMatchObject({ messageId: expect.any(String) });
  await fixture.act(place.bot, { action: 'invalidate', isResumable: false });
  await becomes(place, 'MISSING');
});

test('a server whose panel has lost its channel is changed, until the panel gets another', async () => {
  const place = await newPanel();
  const { owner, serverId, hall, quay } = place;
  const healthOf = async () => (await owner.call('GET', `/api/v1/servers/${serverId}`)).body.data;
  await takeBackupNow(fixture, { owner, serverId });
  await eventually(10_000, async () => expect((await healthOf()).health).toBe('GOOD'));
  await actAsPerson(place, `/channels/${hall}`);
  await eventually(10_000, async () =>
    expect(await healthOf()).toMatchObject({
      health: 'CHANGED',
      healthReasons: [{ code: 'PANEL_CHANNEL_MISSING' }],
    }),
  );
  await becomes(place, 'MISSING');
  const moved = await owner.call('PUT', `${place.path}/${place.panelId}`, {
    body: { channelId: quay },
  });
  expect(moved.status).toBe(200);
  expect((await healthOf()).health).toBe('GOOD');
  await becomes(place, 'POSTED');
});

test('with the server go the messages of its panels, and with the account those of all servers', async () => {
  const [one, other] = [await newPanel(), await newPanel()];
  expect([await messagesOf(one), await messagesOf(other)]).toMatchObject([[{}], [{}]]);
  await one.owner.call('DELETE', `/api/v1/servers/${one.serverId}`);
  const { body } = await other.owner.call('GET', '/api/v1/account');
  const confirm = body.data.username;
  const deleted = await other.owner.call('DELETE', '/api/v1/account', { body: { confirm } });
  expect(deleted.status).toBe(200);
  await eventually(20_000, async () =>
    expect([await messagesOf(one), await messagesOf(other)]).toEqual([[], []]),
  );
});

const send = async (request: Request): Promise<Response> => {
  const { pathname, search } = new URL(request.url);
  const raw = await request.text();
  const headers = Object.fromEntries(request.headers);
  const sent = { headers, ...(raw !== '' && { raw }) };
  const { text, ...answer } = await fixture.service.call(request.method, pathname + search, sent);
  return new Response(text === '' ? null : text, answer);
};

test('a member who presses the button lands in the verification of that server, and becomes verified', async () => {
  const place = await newPanel();
  const { owner, serverId } = place;
  await owner.call('PUT', `/api/v1/servers/${serverId}`, { body: { captchaType: 'NONE' } });
  const [message] = await messagesOf(place);
  const pressed = new URL(message?.components[0]?.components[0]?.url ?? '');
  const browser = newPageBrowser(send, pressed.origin);
  const page = await browser.get(pressed.pathname);
  expect([page.status, page.text.includes('action="/verify/')]).toEqual([200, true]);
  const person = randomPlatformId();
  await walkIn(browser, { id: pressed.pathname.split('/').at(-1) ?? '' }, person);
  const members = await owner.call('GET', `/api/v1/servers/${serverId}/members`);
  expect(members.body.data).toMatchObject([{ platformId: person }]);
});

test('a bot that may no longer embed links says so, and leaves no button alone in the channel', async () => {
  const place = await newPanel();
  const guild = await fixture.simulator.control('GET', `/guilds/${place.guildId}`);
  const roleId = randomPlatformId();
  const allowed = { view: 1n << 10n, send: 1n << 11n, history: 1n << 16n };
  const permissions = String(allowed.view | allowed.send | allowed.history);
  await fixture.simulator.control('PUT', `/guilds/${place.guildId}`, {
    ...guild,
    roles: [
      ...guild.roles.map((role: object) => ({ ...role, permissions: '0' })),
      { id: roleId, name: 'bot', permissions },
    ],
    members: [{ user: { id: place.bot.platformId }, roles: [roleId] }],
  });
  const { owner, path, panelId, quay } = place;
  await owner.call('PUT', `${path}/${panelId}`, { body: { title: 'Ahoy' } });
  const needed = { error: expect.stringContaining('Embed Links') };
  expect(await becomes(place, 'FAILED')).toMatchObject(needed);
  await owner.call('POST', path, { body: { channelId: quay, ...content } });
  expect(await becomes(place, 'FAILED')).toMatchObject({ ...needed, messageId: null });
  const left = (await messagesOf(place)).filter(({ channel_id }) => channel_id === quay);
  expect(left).toEqual([]);
});
