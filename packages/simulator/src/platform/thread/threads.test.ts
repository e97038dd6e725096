import { expect, test } from 'bun:test';
import { type APIMessage, type APIThreadChannel, Routes } from 'discord.js';
import { answerOf, botId, freshId, refusalOf, startBotSimulator } from '../../../test/harness.ts';

const { simulator, rest } = await startBotSimulator();

const putGuild = async (permissions = 8n, more: object = {}) => {
  const [id, textId, forumId, roleId, tagId] = Array.from({ length: 5 }, freshId) as [
    string,
    ...string[],
  ];
  await simulator.control('PUT', `/guilds/${id}`, {
    roles: [
      { id, name: '@everyone', permissions: '0' },
      { id: roleId, name: 'bot', permissions: permissions.toString() },
    ],
    channels: [
      { id: textId, name: 'talk' },
      { id: forumId, name: 'help', type: 15, available_tags: [{ id: tagId, name: 'Open' }] },
    ],
    members: [{ user: { id: botId }, roles: [roleId] }],
    ...more,
  });
  return { id, textId: textId ?? '', forumId: forumId ?? '', tagId: tagId ?? '' };
};

type Threads = { threads: APIThreadChannel[]; members: unknown[]; has_more: boolean };

const post = <Answer>(route: `/${string}`, body: object) =>
  answerOf<Answer>(rest.post(route, { body }));
const get = <Answer>(route: `/${string}`, query?: Record<string, string>) =>
  answerOf<Answer>(rest.get(route, { query: new URLSearchParams(query) }));
const archive = (threadId: string) =>
  rest.patch(Routes.channel(threadId), { body: { archived: true } });

test('a thread begins with a message, has its id and holds messages of its own', async () => {
  const { id, textId } = await putGuild();
  const message = await post<APIMessage>(Routes.channelMessages(textId), { content: 'Plans' });
  const route = Routes.threads(textId, message.id);
  const thread = await post<APIThreadChannel>(route, { name: 'Details' });
  expect(thread).toMatchObject({ id: message.id, type: 11, parent_id: textId, owner_id: botId });
  expect(await refusalOf(rest.post(route, { body: { name: 'Again' } }))).toBe('400/160004');
  await rest.post(Routes.channelMessages(thread.id), { body: { content: 'First' } });
  const inside = await get<APIMessage[]>(Routes.channelMessages(thread.id));
  expect(inside.map(({ type, content }) => [type, content])).toEqual([
    [0, 'First'],
    [21, ''],
  ]);
  expect(inside[1]?.referenced_message).toMatchObject({ content: 'Plans' });
  const origin = await get<APIMessage>(Routes.channelMessage(textId, message.id));
  expect(origin).toMatchObject({ flags: 32, thread: { id: thread.id, name: 'Details' } });
  const active = await get<Threads>(Routes.guildActiveThreads(id));
  expect(active.threads.map((one) => one.id)).toEqual([thread.id]);
  // Threads are no channels of the guild's list.
  const channels = await get<{ id: string }[]>(Routes.guildChannels(id));
  expect(channels).toHaveLength(2);
});

test('a public thread without a message is announced, a private one is not', async () => {
  const { textId } = await putGuild();
  await rest.post(Routes.threads(textId), { body: { name: 'Open', type: 11 } });
  const hidden = await post<APIThreadChannel>(Routes.threads(textId), { name: 'Hidden' });
  expect(hidden).toMatchObject({ type: 12, thread_metadata: { invitable: true } });
  const messages = await get<APIMessage[]>(Routes.channelMessages(textId));
  expect(messages).toMatchObject([{ type: 18, content: 'Open' }]);
});

test('a forum holds posts with tags and no messages of its own', async () => {
  const { forumId, tagId } = await putGuild();
  const direct = rest.post(Routes.channelMessages(forumId), { body: { content: 'x' } });
  expect(await refusalOf(direct)).toBe('400/50008');
  const body = { name: 'How?', applied_tags: [tagId], message: { content: 'Like so?' } };
  const made = await answerOf<APIThreadChannel & { message: APIMessage }>(
    rest.post(Routes.threads(forumId), {
      body,
      files: [{ name: 'picture.png', data: Buffer.from('png') }],
    }),
  );
  expect(made).toMatchObject({ applied_tags: [tagId], message_count: 0 });
  expect(made.message).toMatchObject({ id: made.id, attachments: [{ filename: 'picture.png' }] });
  const unknownTag = { ...body, applied_tags: [freshId()] };
  expect(await refusalOf(post(Routes.threads(forumId), unknownTag))).toBe('400/50035');
  const empty = { name: 'Empty', message: {} };
  expect(await refusalOf(post(Routes.threads(forumId), empty))).toBe('400/50006');
  expect(await get<Threads>(Routes.guildActiveThreads(made.guild_id ?? ''))).toMatchObject({
    threads: [{ id: made.id }],
  });
});

test('a forum that requires a tag refuses posts without one', async () => {
  const { forumId, tagId } = await putGuild();
  await rest.patch(Routes.channel(forumId), { body: { flags: 16 } });
  const body = { name: 'How?', message: { content: 'x' } };
  expect(await refusalOf(post(Routes.threads(forumId), body))).toBe('400/40067');
  await post(Routes.threads(forumId), { ...body, applied_tags: [tagId] });
});

test('archived threads are listed by the time of their archiving, in pages', async () => {
  const archived = Array.from({ length: 5 }, (_, index) => ({
    id: freshId(),
    name: `old ${index}`,
    thread_metadata: { archived: true, archive_timestamp: `2025-01-0${index + 1}T00:00:00.000Z` },
  }));
  const { id, textId } = await putGuild();
  const state = await simulator.control('GET', `/guilds/${id}`);
  state.threads = archived.map((thread) => ({ ...thread, parent_id: textId }));
  await simulator.control('PUT', `/guilds/${id}`, state);
  const route = Routes.channelThreads(textId, 'public');
  const first = await get<Threads>(route, { limit: '3' });
  expect(first.threads.map(({ name }) => name)).toEqual(['old 4', 'old 3', 'old 2']);
  expect(first.has_more).toBe(true);
  const before = '2025-01-03T00:00:00.000Z';
  const second = await get<Threads>(route, { limit: '3', before });
  expect(second.threads.map(({ name }) => name)).toEqual(['old 1', 'old 0']);
  expect(second.has_more).toBe(false);
  expect((await get<Threads>(Routes.guildActiveThreads(id))).threads).toEqual([]);
});

test('private archived threads need a moderator, or are the own ones', async () => {
  // View, send, read history, create private threads, send in threads.
  const { textId } = await putGuild(0x10c00n | (1n << 36n) | (1n << 38n));
  const own = await post<APIThreadChannel>(Routes.threads(textId), { name: 'Mine' });
  await archive(own.id);
  const all = rest.get(Routes.channelThreads(textId, 'private'));
  expect(await refusalOf(all)).toBe('403/50013');
  const joined = await get<Threads>(Routes.channelJoinedArchivedThreads(textId));
  expect(joined.threads.map(({ id }) => id)).toEqual([own.id]);
  const stranger = { id: freshId(), type: 12, name: 'Theirs', parent_id: textId };
  const state = await simulator.control('GET', `/guilds/${own.guild_id}`);
  state.threads.push(stranger);
  await simulator.control('PUT', `/guilds/${own.guild_id}`, state);
  expect(await refusalOf(rest.get(Routes.channel(stranger.id)))).toBe('403/50001');
});

test('an archived thread is opened before it is edited, and by writing into it', async () => {
  const { textId } = await putGuild();
  const thread = await post<APIThreadChannel>(Routes.threads(textId), { name: 'a', type: 11 });
  await archive(thread.id);
  const rename = (body: object) => rest.patch(Routes.channel(thread.id), { body });
  expect(await refusalOf(rename({ name: 'b' }))).toBe('400/50083');
  await rename({ archived: false, name: 'b', locked: true });
  expect(await get(Routes.channel(thread.id))).toMatchObject({
    name: 'b',
    thread_metadata: { archived: false, locked: true },
  });
  await archive(thread.id);
  await rest.post(Routes.channelMessages(thread.id), { body: { content: 'Still here?' } });
  expect(await get(Routes.channel(thread.id))).toMatchObject({
    message_count: 1,
    thread_metadata: { archived: false },
  });
});

test('members join and leave a thread', async () => {
  const userId = freshId();
  const { id, textId } = await putGuild();
  const state = await simulator.control('GET', `/guilds/${id}`);
  state.members.push({ user: { id: userId } });
  await simulator.control('PUT', `/guilds/${id}`, state);
  const { id: threadId } = await post<APIThreadChannel>(Routes.threads(textId), { name: 'a' });
  await rest.put(Routes.threadMembers(threadId, userId));
  const list = () => get<{ user_id: string }[]>(Routes.threadMembers(threadId));
  expect((await list()).map(({ user_id }) => user_id).sort()).toEqual([userId, botId].sort());
  await rest.delete(Routes.threadMembers(threadId, userId));
  expect(await list()).toHaveLength(1);
  expect(await refusalOf(rest.put(Routes.threadMembers(threadId, freshId())))).toBe('404/10007');
});

test('threads go with their channel', async () => {
  const { id, textId } = await putGuild();
  const thread = await post<APIThreadChannel>(Routes.threads(textId), { name: 'a' });
  await rest.delete(Routes.channel(textId));
  expect(await refusalOf(rest.get(Routes.channel(thread.id)))).toBe('404/10003');
  expect((await simulator.control('GET', `/guilds/${id}`)).threads).toEqual([]);
});
