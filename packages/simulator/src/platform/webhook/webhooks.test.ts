import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type APIMessage, type APIWebhook, type REST, Routes } from 'discord.js';
import {
  answerOf,
  botToken,
  freshId,
  refusalOf,
  startTestSimulator,
  type TestSimulator,
} from '../../../test/harness.ts';
import { drawDiscPng } from '../cdn/png.ts';

let simulator: TestSimulator;
let rest: REST;
/** Webhooks are written to without a bot's token. */
let anyone: REST;

beforeAll(async () => {
  simulator = await startTestSimulator();
  rest = simulator.rest();
  anyone = simulator.rest('unused');
});
afterAll(() => simulator.stop());

const putGuild = async () => {
  const [id, textId, forumId, tagId] = [freshId(), freshId(), freshId(), freshId()];
  await simulator.control('PUT', `/guilds/${id}`, {
    channels: [
      { id: textId, name: 'talk' },
      { id: forumId, name: 'help', type: 15, available_tags: [{ id: tagId, name: 'Open' }] },
    ],
  });
  return { id, textId, forumId, tagId };
};

const create = (channelId: string, body: object = { name: 'Relay' }) =>
  answerOf<APIWebhook>(rest.post(Routes.channelWebhooks(channelId), { body }));

const execute = (webhook: APIWebhook, body: object, query: Record<string, string> = {}) =>
  answerOf<APIMessage>(
    anyone.post(Routes.webhook(webhook.id, webhook.token), {
      body,
      auth: false,
      query: new URLSearchParams({ wait: 'true', ...query }),
    }),
  );

test('a webhook writes under any name and picture, and notifies nobody if told so', async () => {
  const { textId } = await putGuild();
  const webhook = await create(textId);
  const message = await execute(webhook, {
    content: '@everyone Good evening',
    username: 'Amber Otter',
    avatar_url: 'https://example.test/otter.png',
    allowed_mentions: { parse: [] },
  });
  expect(message).toMatchObject({
    webhook_id: webhook.id,
    author: { id: webhook.id, username: 'Amber Otter', bot: true, discriminator: '0000' },
    mention_everyone: false,
  });
  expect(message.author.avatar).toMatch(/^[0-9a-f]{32}$/);
  expect((await execute(webhook, { content: '@everyone' })).mention_everyone).toBe(true);
  const { guild_id } = webhook;
  const state = await simulator.control('GET', `/guilds/${guild_id}`);
  expect(state.messages[0]).toMatchObject({
    webhook_name: 'Amber Otter',
    webhook_avatar_url: 'https://example.test/otter.png',
  });
});

test('names that would pass for the platform are refused', async () => {
  const { textId } = await putGuild();
  const webhook = await create(textId);
  for (const username of ['My DisCord', 'clyde', '', 'x'.repeat(81)]) {
    expect(await refusalOf(execute(webhook, { content: 'x', username }))).toBe('400/50035');
  }
  expect(await refusalOf(create(textId, { name: 'discord helper' }))).toBe('400/50035');
});

test('files are posted through a webhook', async () => {
  const { textId } = await putGuild();
  const webhook = await create(textId);
  const message = await answerOf<APIMessage>(
    anyone.post(Routes.webhook(webhook.id, webhook.token), {
      auth: false,
      query: new URLSearchParams({ wait: 'true' }),
      body: { username: 'Otter' },
      files: [{ name: 'a.txt', data: Buffer.from('hello') }],
    }),
  );
  const [file] = message.attachments;
  expect(await (await fetch(file?.url ?? '')).text()).toBe('hello');
});

test('into a forum a webhook writes by a new post or into one', async () => {
  const { id, textId, forumId, tagId } = await putGuild();
  const webhook = await create(forumId);
  expect(await refusalOf(execute(webhook, { content: 'x' }))).toBe('400/220001');
  const post = { content: 'Like so?', thread_name: 'How?', applied_tags: [tagId] };
  const first = await execute(webhook, post);
  // The post has the id of its first message.
  expect(first.channel_id).toBe(first.id);
  expect(await rest.get(Routes.channel(first.id))).toMatchObject({
    name: 'How?',
    parent_id: forumId,
    applied_tags: [tagId],
    message_count: 0,
  });
  const inPost = { thread_id: first.channel_id };
  expect(await refusalOf(execute(webhook, post, inPost))).toBe('400/220002');
  const second = await execute(webhook, { content: 'Yes' }, inPost);
  expect(second.channel_id).toBe(first.channel_id);
  const inText = await create(textId);
  expect(await refusalOf(execute(inText, post))).toBe('400/220003');
  expect(await refusalOf(execute(inText, { content: 'x' }, inPost))).toBe('404/10003');
  const state = await simulator.control('GET', `/guilds/${id}`);
  expect(state.threads).toHaveLength(1);
});

test('a webhook opens an archived thread by writing into it', async () => {
  const { textId } = await putGuild();
  const body = { name: 'old', type: 11 };
  const thread = await answerOf<{ id: string }>(rest.post(Routes.threads(textId), { body }));
  await rest.patch(Routes.channel(thread.id), { body: { archived: true, locked: true } });
  await execute(await create(textId), { content: 'x' }, { thread_id: thread.id });
  expect(await rest.get(Routes.channel(thread.id))).toMatchObject({
    thread_metadata: { archived: false, locked: true },
  });
});

test('a webhook reads, edits and deletes its own messages, and no others', async () => {
  const { textId } = await putGuild();
  const [webhook, other] = [await create(textId), await create(textId)];
  const message = await execute(webhook, { content: 'One' });
  const route = Routes.webhookMessage(webhook.id, webhook.token ?? '', message.id);
  const edited = anyone.patch(route, { body: { content: 'Two' }, auth: false });
  expect(await edited).toMatchObject({ content: 'Two' });
  const foreign = Routes.webhookMessage(other.id, other.token ?? '', message.id);
  expect(await refusalOf(anyone.get(foreign, { auth: false }))).toBe('404/10008');
  await anyone.delete(route, { auth: false });
  expect(await rest.get(Routes.channelMessages(textId))).toEqual([]);
});

test('by its token a webhook is read, edited and deleted without a bot', async () => {
  const { textId } = await putGuild();
  const webhook = await create(textId);
  const route = Routes.webhook(webhook.id, webhook.token);
  expect(await anyone.get(route, { auth: false })).not.toHaveProperty('user');
  const body = { name: 'Renamed' };
  expect(await anyone.patch(route, { body, auth: false })).toMatchObject(body);
  const wrong = anyone.get(Routes.webhook(webhook.id, 'wrong'), { auth: false });
  expect(await refusalOf(wrong)).toBe('401/50027');
  await anyone.delete(route, { auth: false });
  expect(await refusalOf(execute(webhook, { content: 'x' }))).toBe('404/10015');
});

test('a webhook keeps its picture, moves to another channel, and only its own bot sees the token', async () => {
  const { id, textId, forumId } = await putGuild();
  const png = drawDiscPng(16, 0x123456);
  const avatar = `data:image/png;base64,${png.toString('base64')}`;
  const webhook = await create(textId, { name: 'Relay', avatar });
  const image = await fetch(`${simulator.url}/cdn/avatars/${webhook.id}/${webhook.avatar}.png`);
  expect(png.equals(await image.bytes())).toBe(true);
  const moved = rest.patch(Routes.webhook(webhook.id), { body: { channel_id: forumId } });
  expect(await moved).toMatchObject({ channel_id: forumId, token: webhook.token });
  const stranger = simulator.rest(botToken('900000000000000077'));
  const [seen] = await answerOf<APIWebhook[]>(stranger.get(Routes.guildWebhooks(id)));
  expect(seen).toMatchObject({ id: webhook.id, name: 'Relay' });
  expect(seen).not.toHaveProperty('token');
});

test('a channel has at most fifteen webhooks', async () => {
  const { textId } = await putGuild();
  for (let index = 0; index < 15; index += 1) await create(textId);
  expect(await refusalOf(create(textId))).toBe('400/30007');
});

test('the log tells the reason and what a form held', async () => {
  const { textId } = await putGuild();
  await rest.post(Routes.channelWebhooks(textId), { body: { name: 'x' }, reason: 'Restore é' });
  await rest.post(Routes.channelMessages(textId), {
    body: { content: 'x' },
    files: [{ name: 'a.txt', data: Buffer.from('hello') }],
  });
  const log = await simulator.control('GET', '/log');
  expect(log.at(-2)).toMatchObject({ reason: 'Restore é', body: { name: 'x' } });
  expect(log.at(-1)).toMatchObject({
    reason: null,
    body: { payload_json: { content: 'x' }, 'files[0]': { filename: 'a.txt', size: 5 } },
  });
});
