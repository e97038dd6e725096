import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  type APIBan,
  type APIEmoji,
  type APIGuild,
  type APIGuildChannel,
  type APIMessage,
  type APIRole,
  type APISticker,
  type APIWebhook,
  type REST,
  Routes,
} from 'discord.js';
import { drawDiscPng } from '../src/platform/cdn/png.ts';
import {
  answerOf,
  botId,
  freshId,
  refusalOf,
  startTestSimulator,
  type TestSimulator,
} from './harness.ts';

let simulator: TestSimulator;
let rest: REST;

beforeAll(async () => {
  simulator = await startTestSimulator();
  rest = simulator.rest();
});
afterAll(() => simulator.stop());

const get = <Answer>(route: `/${string}`, query?: URLSearchParams) =>
  answerOf<Answer>(rest.get(route, { query }));
const post = <Answer>(route: `/${string}`, body: unknown) =>
  answerOf<Answer>(rest.post(route, { body }));
const patch = <Answer>(route: `/${string}`, body: unknown) =>
  answerOf<Answer>(rest.patch(route, { body }));

const png = `data:image/png;base64,${drawDiscPng(16, 0xff8800).toString('base64')}`;

test('any guild id gives a community, always the same one', async () => {
  const id = freshId();
  const guild = await get<APIGuild>(Routes.guild(id), new URLSearchParams({ with_counts: 'true' }));
  expect(guild.id).toBe(id);
  expect(guild.approximate_member_count).toBeGreaterThan(25);
  const channels = await get<APIGuildChannel[]>(Routes.guildChannels(id));
  expect(new Set(channels.map(({ type }) => type))).toEqual(new Set([0, 2, 4, 5, 13, 15]));
  const other = await startTestSimulator();
  const again = await other.rest().get(Routes.guildChannels(id));
  expect(again).toEqual(channels);
  await other.stop();
});

test('roles are made, edited, moved, listed and deleted', async () => {
  const id = freshId();
  const role = await post<APIRole>(Routes.guildRoles(id), { name: 'Crew', color: 0x112233 });
  expect(role).toMatchObject({ name: 'Crew', position: 1, colors: { primary_color: 0x112233 } });
  const edited = await patch<APIRole>(Routes.guildRole(id, role.id), {
    permissions: '2048',
    hoist: true,
  });
  expect(edited).toMatchObject({ permissions: '2048', hoist: true, name: 'Crew' });
  const moved = await patch<APIRole[]>(Routes.guildRoles(id), [{ id: role.id, position: 4 }]);
  expect(moved.find((one) => one.id === role.id)?.position).toBe(4);
  expect(moved.map(({ position }) => position).sort((a, b) => a - b)).toEqual(
    moved.map((_, index) => index),
  );
  await rest.delete(Routes.guildRole(id, role.id));
  expect(await refusalOf(rest.get(Routes.guildRole(id, role.id)))).toBe('404/10011');
});

test('channels of every type are made with what belongs to them', async () => {
  const id = freshId();
  const category = await post<APIGuildChannel>(Routes.guildChannels(id), { name: 'Box', type: 4 });
  for (const type of [0, 2, 5, 13, 15, 16]) {
    const made = await post<APIGuildChannel>(Routes.guildChannels(id), {
      name: 'thing',
      type,
      parent_id: category.id,
      permission_overwrites: [{ id, type: 0, allow: '0', deny: '1024' }],
    });
    expect(made).toMatchObject({ type, parent_id: category.id });
    expect(made.permission_overwrites).toEqual([{ id, type: 0, allow: '0', deny: '1024' }]);
  }
  const forum = await post<APIGuildChannel>(Routes.guildChannels(id), {
    name: 'Ask Us',
    type: 15,
    available_tags: [{ name: 'Open' }],
  });
  expect(forum).toMatchObject({ name: 'ask-us', available_tags: [{ name: 'Open' }] });
});

test('channels are edited, moved and deleted', async () => {
  const id = freshId();
  const a = await post<APIGuildChannel>(Routes.guildChannels(id), { name: 'a' });
  const b = await post<APIGuildChannel>(Routes.guildChannels(id), { name: 'b' });
  const box = await post<APIGuildChannel>(Routes.guildChannels(id), { name: 'box', type: 4 });
  const edited = await patch(Routes.channel(a.id), { topic: 'Hm', rate_limit_per_user: 30 });
  expect(edited).toMatchObject({ topic: 'Hm', rate_limit_per_user: 30 });
  await rest.patch(Routes.guildChannels(id), {
    body: [
      { id: a.id, position: 7, parent_id: box.id },
      { id: b.id, position: 3 },
    ],
  });
  expect(await get(Routes.channel(a.id))).toMatchObject({ position: 7, parent_id: box.id });
  const two = [
    { id: a.id, parent_id: null },
    { id: b.id, parent_id: box.id },
  ];
  expect(await refusalOf(rest.patch(Routes.guildChannels(id), { body: two }))).toBe('400/50035');
  await rest.delete(Routes.channel(box.id));
  expect(await get(Routes.channel(a.id))).toMatchObject({ parent_id: null });
  expect(await refusalOf(rest.get(Routes.channel(box.id)))).toBe('404/10003');
});

test('overwrites are set and deleted one by one', async () => {
  const id = freshId();
  const { id: channelId } = await post<APIGuildChannel>(Routes.guildChannels(id), { name: 'x' });
  const body = { type: 1, allow: '1024', deny: '2048' };
  await rest.put(Routes.channelPermission(channelId, botId), { body });
  const channel = await get<APIGuildChannel>(Routes.channel(channelId));
  expect(channel.permission_overwrites).toEqual([{ id: botId, ...body }]);
  await rest.delete(Routes.channelPermission(channelId, botId));
  const unknownRole = rest.put(Routes.channelPermission(channelId, '5'), { body: { type: 0 } });
  expect(await refusalOf(unknownRole)).toBe('404/10009');
});

test('emoji and stickers keep their images', async () => {
  const id = freshId();
  const emoji = await post<APIEmoji>(Routes.guildEmojis(id), { name: 'sun', image: png });
  const image = await fetch(`${simulator.url}/cdn/emojis/${emoji.id}.png?size=64`);
  expect(image.headers.get('content-type')).toBe('image/png');
  expect(drawDiscPng(16, 0xff8800).equals(await image.bytes())).toBe(true);
  const bad = rest.post(Routes.guildEmojis(id), { body: { name: 'x', image: 'no' } });
  expect(await refusalOf(bad)).toBe('400/50035');
  await rest.delete(Routes.guildEmoji(id, emoji.id ?? ''));
  expect(await refusalOf(rest.get(Routes.guildEmoji(id, emoji.id ?? '')))).toBe('404/10014');
  const sticker = await answerOf<APISticker>(
    rest.post(Routes.guildStickers(id), {
      appendToFormData: true,
      body: { name: 'Moon', tags: 'moon', description: '' },
      files: [
        { key: 'file', name: 'moon.png', data: drawDiscPng(16, 1), contentType: 'image/png' },
      ],
    }),
  );
  expect((await fetch(`${simulator.url}/cdn/stickers/${sticker.id}.png`)).status).toBe(200);
  expect(await refusalOf(rest.get(Routes.guildSticker(id, '1')))).toBe('404/10060');
});

test('bans are put with their reason, paged and lifted', async () => {
  const id = freshId();
  const userIds = Array.from({ length: 5 }, freshId);
  for (const userId of userIds) {
    await rest.put(Routes.guildBan(id, userId), { body: {}, reason: 'Too loud: é' });
  }
  const after = new URLSearchParams({ after: userIds[1] ?? '', limit: '2' });
  const page = await get<APIBan[]>(Routes.guildBans(id), after);
  expect(page.map(({ user }) => user.id)).toEqual(userIds.slice(2, 4));
  expect(page[0]?.reason).toBe('Too loud: é');
  await rest.delete(Routes.guildBan(id, userIds[0] ?? ''));
  expect(await refusalOf(rest.get(Routes.guildBan(id, userIds[0] ?? '')))).toBe('404/10026');
});

test('messages are written, paged, edited, pinned and deleted', async () => {
  const id = freshId();
  const { id: channelId } = await post<APIGuildChannel>(Routes.guildChannels(id), { name: 'x' });
  const messages: APIMessage[] = [];
  for (const content of ['one', 'two', 'three']) {
    messages.push(await post<APIMessage>(Routes.channelMessages(channelId), { content }));
  }
  const [first] = messages;
  const before = new URLSearchParams({ before: messages[2]?.id ?? '' });
  const page = await get<APIMessage[]>(Routes.channelMessages(channelId), before);
  expect(page.map(({ content }) => content)).toEqual(['two', 'one']);
  const route = Routes.channelMessage(channelId, first?.id ?? '');
  expect(await patch(route, { content: 'uno' })).toMatchObject({ content: 'uno' });
  await rest.put(Routes.channelMessagesPin(channelId, first?.id ?? ''));
  expect(await get(Routes.channelMessagesPins(channelId))).toMatchObject({
    items: [{ message: { content: 'uno', pinned: true } }],
  });
  await rest.delete(route);
  expect(await refusalOf(rest.get(route))).toBe('404/10008');
});

test('webhooks and invites are made, listed and go with their channel', async () => {
  const id = freshId();
  const { id: channelId } = await post<APIGuildChannel>(Routes.guildChannels(id), { name: 'x' });
  const webhook = await post<APIWebhook>(Routes.channelWebhooks(channelId), { name: 'Relay' });
  const said = await post(`${Routes.webhook(webhook.id, webhook.token)}?wait=true`, {
    content: 'Hello',
    username: 'Far away',
  });
  expect(said).toMatchObject({ content: 'Hello', author: { username: 'Far away' } });
  await rest.post(Routes.channelInvites(channelId), { body: { max_age: 0 } });
  const [invites, webhooks] = [Routes.guildInvites(id), Routes.guildWebhooks(id)];
  const countAll = async () => [
    (await get<unknown[]>(invites)).length,
    (await get<unknown[]>(webhooks)).length,
  ];
  // The generated guild has one of each.
  expect(await countAll()).toEqual([2, 2]);
  await rest.delete(Routes.channel(channelId));
  expect(await countAll()).toEqual([1, 1]);
});
