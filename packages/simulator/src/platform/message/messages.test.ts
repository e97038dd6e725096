import { expect, test } from 'bun:test';
import { type APIMessage, Routes } from 'discord.js';
import { answerOf, botId, freshId, refusalOf, startBotSimulator } from '../../../test/harness.ts';

const { simulator, rest } = await startBotSimulator();

/** A guild with one channel, where the bot is a member with these permissions (all, unless given). */
const putChannel = async (more: object = {}, permissions = 8n) => {
  const [id, channelId, roleId] = [freshId(), freshId(), freshId()];
  await simulator.control('PUT', `/guilds/${id}`, {
    roles: [
      { id, name: '@everyone', permissions: '0' },
      { id: roleId, name: 'bot', permissions: permissions.toString() },
    ],
    channels: [{ id: channelId, name: 'talk' }],
    members: [{ user: { id: botId }, roles: [roleId] }],
    ...more,
  });
  return { id, channelId };
};

const send = (channelId: string, body: object) =>
  answerOf<APIMessage>(rest.post(Routes.channelMessages(channelId), { body }));
const read = (channelId: string, messageId: string) =>
  answerOf<APIMessage>(rest.get(Routes.channelMessage(channelId, messageId)));

test('with an enforced nonce a repeated message is the first one', async () => {
  const { channelId } = await putChannel();
  const once = { content: 'Once', nonce: 'a-nonce', enforce_nonce: true };
  const [first, second] = [await send(channelId, once), await send(channelId, once)];
  expect([second.id, second.nonce]).toEqual([first.id, 'a-nonce']);
  const others = [{ ...once, nonce: 'another' }, { ...once, enforce_nonce: false }, once];
  const ids = [];
  for (const body of others) ids.push((await send(channelId, body)).id);
  expect(new Set([first.id, ...ids]).size).toBe(3);
});

test('files are sent with a message, kept with their description and served with their bytes', async () => {
  const { channelId } = await putChannel();
  const bytes = Buffer.from('the minutes of the meeting');
  const sent = await answerOf<APIMessage>(
    rest.post(Routes.channelMessages(channelId), {
      body: { content: 'Read this', attachments: [{ id: 0, description: 'Minutes' }] },
      files: [
        { name: 'minutes of may.txt', data: bytes, contentType: 'text/plain' },
        { name: 'empty.bin', data: Buffer.alloc(0) },
      ],
    }),
  );
  expect(sent.attachments).toMatchObject([
    { filename: 'minutes_of_may.txt', size: bytes.length, description: 'Minutes' },
    { filename: 'empty.bin', size: 0 },
  ]);
  const [first] = (await read(channelId, sent.id)).attachments;
  const file = await fetch(first?.url ?? '');
  expect(file.headers.get('content-type')).toContain('text/plain');
  expect(bytes.equals(await file.bytes())).toBe(true);
  await rest.delete(Routes.channelMessage(channelId, sent.id));
  expect((await fetch(first?.url ?? '')).status).toBe(404);
});

test('an edit keeps the files that it names and adds new ones', async () => {
  const { channelId } = await putChannel();
  const files = ['a.txt', 'b.txt'].map((name) => ({ name, data: Buffer.from(name) }));
  const { id, attachments } = await answerOf<APIMessage>(
    rest.post(Routes.channelMessages(channelId), { body: {}, files }),
  );
  const edited = await answerOf<APIMessage>(
    rest.patch(Routes.channelMessage(channelId, id), {
      body: { attachments: [{ id: attachments[1]?.id }] },
      files: [{ name: 'c.txt', data: Buffer.from('c') }],
    }),
  );
  expect(edited.attachments.map(({ filename }) => filename)).toEqual(['b.txt', 'c.txt']);
  expect((await fetch(attachments[0]?.url ?? '')).status).toBe(404);
});

test('a file above the limit of the server is refused', async () => {
  const { channelId } = await putChannel();
  const files = [{ name: 'large.bin', data: Buffer.alloc(10 * 1024 * 1024 + 1) }];
  const large = rest.post(Routes.channelMessages(channelId), { body: {}, files });
  expect(await refusalOf(large)).toBe('413/40005');
});

test('embeds get a type, and all of them together have one limit', async () => {
  const { channelId } = await putChannel();
  const embed = { title: 'News', fields: [{ name: 'When', value: 'Today' }] };
  const sent = await send(channelId, { embeds: [embed] });
  expect(sent.embeds).toEqual([
    { type: 'rich', title: 'News', fields: [{ name: 'When', value: 'Today', inline: false }] },
  ] as never);
  const long = Array.from({ length: 2 }, () => ({ description: 'x'.repeat(3001) }));
  expect(await refusalOf(send(channelId, { embeds: long }))).toBe('400/50035');
  expect(await refusalOf(send(channelId, { content: ' ' }))).toBe('400/50006');
});

test('buttons need an address or an id of their own, and embeds a permission', async () => {
  const { channelId } = await putChannel();
  const buttonOf = (button: object) => ({
    components: [{ type: 1, components: [{ type: 2, style: 5, label: 'Go', ...button }] }],
  });
  const url = 'https://example.com/verify';
  const sent = await send(channelId, { content: 'x', ...buttonOf({ url }) });
  expect((await read(channelId, sent.id)).components).toMatchObject(buttonOf({ url }).components);
  const refused = [
    {},
    { url: 'example' },
    { url: 'javascript:alert(1)' },
    { url: `${url}?${'x'.repeat(500)}` },
    { url, custom_id: 'a' },
    { url, label: 'x'.repeat(81) },
    { style: 1 },
  ];
  for (const button of refused) {
    const body = { content: 'x', ...buttonOf(button) };
    expect(await refusalOf(send(channelId, body))).toBe('400/50035');
  }
  // View, send, read history.
  const weak = await putChannel({}, 0x10c00n);
  expect((await send(weak.channelId, { content: 'x', ...buttonOf({ url }) })).id).toBeString();
  const embeds = [{ title: 'News' }];
  expect(await refusalOf(send(weak.channelId, { embeds }))).toBe('403/50013');
  const kept = await send(weak.channelId, { embeds, ...buttonOf({ url }) });
  expect(kept).toMatchObject({ embeds: [], components: [{}] });
});

test('a message notifies only whom it may', async () => {
  const [open, closed, user] = [freshId(), freshId(), freshId()];
  const { id, channelId } = await putChannel();
  const state = await simulator.control('GET', `/guilds/${id}`);
  state.roles.push({ id: open, name: 'open', mentionable: true }, { id: closed, name: 'closed' });
  await simulator.control('PUT', `/guilds/${id}`, state);
  const content = `<@${user}> <@&${open}> <@&${closed}> @everyone`;
  const shown = (message: APIMessage) => [
    message.mentions.map((one) => one.id),
    message.mention_roles,
    message.mention_everyone,
  ];
  expect(shown(await send(channelId, { content }))).toEqual([[user], [open, closed], true]);
  const nobody = { content, allowed_mentions: { parse: [] } };
  expect(shown(await send(channelId, nobody))).toEqual([[], [], false]);
  const one = { content, allowed_mentions: { roles: [open] } };
  expect(shown(await send(channelId, one))).toEqual([[], [open], false]);
  // View, send, read history.
  const weak = await putChannel({}, 0x10c00n);
  expect(shown(await send(weak.channelId, { content }))).toEqual([[user], [], false]);
});

test('a reply shows what it answers, and nothing once that is deleted', async () => {
  const { channelId } = await putChannel();
  const question = await send(channelId, { content: 'Who?' });
  const answer = await send(channelId, {
    content: 'Me',
    message_reference: { message_id: question.id },
  });
  expect(answer).toMatchObject({
    type: 19,
    message_reference: { message_id: question.id, channel_id: channelId },
    referenced_message: { content: 'Who?' },
  });
  await rest.delete(Routes.channelMessage(channelId, question.id));
  expect((await read(channelId, answer.id)).referenced_message).toBeNull();
  const late = send(channelId, { content: 'x', message_reference: { message_id: question.id } });
  expect(await refusalOf(late)).toBe('400/50035');
});

test('stickers, components and reactions stay with a message', async () => {
  const stickerId = freshId();
  const stickers = [{ id: stickerId, name: 'Sun', format_type: 1 }];
  const { channelId } = await putChannel({ stickers });
  const row = { type: 1, components: [{ type: 2, style: 1, label: 'Go', custom_id: 'go' }] };
  const sent = await send(channelId, { sticker_ids: [stickerId], components: [row] });
  expect(sent).toMatchObject({
    sticker_items: [{ id: stickerId, name: 'Sun', format_type: 1 }],
    components: [{ type: 1, id: 1, components: [{ label: 'Go', id: 2 }] }],
  });
  const unknown = send(channelId, { sticker_ids: [freshId()] });
  expect(await refusalOf(unknown)).toBe('400/50081');
  const reaction = Routes.channelMessageOwnReaction(channelId, sent.id, encodeURIComponent('🔥'));
  await rest.put(reaction);
  await rest.put(reaction);
  expect((await read(channelId, sent.id)).reactions).toMatchObject([
    { emoji: { id: null, name: '🔥' }, count: 1, me: true },
  ]);
  await rest.delete(reaction);
  expect((await read(channelId, sent.id)).reactions).toBeUndefined();
  const foreign = Routes.channelMessageOwnReaction(channelId, sent.id, `sun:${freshId()}`);
  expect(await refusalOf(rest.put(foreign))).toBe('404/10014');
});

test('pins are paged from the last pinned on, and each is announced in the channel', async () => {
  const ids = Array.from({ length: 60 }, freshId);
  const { id, channelId } = await putChannel();
  const state = await simulator.control('GET', `/guilds/${id}`);
  state.messages = ids.map((messageId) => ({ id: messageId, channel_id: channelId, content: 'x' }));
  await simulator.control('PUT', `/guilds/${id}`, state);
  for (const messageId of ids) await rest.put(Routes.channelMessagesPin(channelId, messageId));
  type Page = { items: { pinned_at: string; message: APIMessage }[]; has_more: boolean };
  const pageBefore = (before?: string) => {
    const query = new URLSearchParams({ limit: '50', ...(before && { before }) });
    return answerOf<Page>(rest.get(Routes.channelMessagesPins(channelId), { query }));
  };
  const first = await pageBefore();
  const second = await pageBefore(first.items.at(-1)?.pinned_at);
  expect([first.has_more, second.has_more]).toEqual([true, false]);
  const listed = [...first.items, ...second.items].map(({ message }) => message.id);
  expect(listed).toEqual([...ids].reverse());
  expect(await rest.get(Routes.channelPins(channelId))).toHaveLength(50);
  const [notice] = await answerOf<APIMessage[]>(rest.get(Routes.channelMessages(channelId)));
  expect(notice).toMatchObject({ type: 6, message_reference: { message_id: ids.at(-1) } });
  await rest.delete(Routes.channelMessagesPin(channelId, ids[0] ?? ''));
  expect((await read(channelId, ids[0] ?? '')).pinned).toBe(false);
});

test('a channel has at most 250 pins, and pinning has a permission of its own', async () => {
  const pinned = Array.from({ length: 250 }, () => ({ id: freshId(), content: 'x', pinned: true }));
  const { id, channelId } = await putChannel({}, 0x10c00n | (1n << 51n));
  const state = await simulator.control('GET', `/guilds/${id}`);
  const more = { id: freshId(), content: 'one more' };
  state.messages = [...pinned, more].map((message) => ({ ...message, channel_id: channelId }));
  await simulator.control('PUT', `/guilds/${id}`, state);
  const pin = (place: string) => rest.put(Routes.channelMessagesPin(place, more.id));
  expect(await refusalOf(pin(channelId))).toBe('400/30003');
  // Manage messages is not enough.
  const moderator = await putChannel({}, 0x10c00n | (1n << 13n));
  const { id: said } = await send(moderator.channelId, { content: 'x' });
  const refused = rest.put(Routes.channelMessagesPin(moderator.channelId, said));
  expect(await refusalOf(refused)).toBe('403/50013');
});

test('many messages are deleted at once', async () => {
  const { channelId } = await putChannel();
  const sent = [await send(channelId, { content: 'a' }), await send(channelId, { content: 'b' })];
  const body = { messages: sent.map(({ id }) => id) };
  await rest.post(Routes.channelBulkDelete(channelId), { body });
  expect(await rest.get(Routes.channelMessages(channelId))).toEqual([]);
  const old = { messages: ['1000', '1001'] };
  const refused = rest.post(Routes.channelBulkDelete(channelId), { body: old });
  expect(await refusalOf(refused)).toBe('400/50034');
});
