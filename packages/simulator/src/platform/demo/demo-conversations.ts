import type { Message, Thread } from '../guild/conversation.ts';
import { newMessage, newThread } from '../guild/new-guild.ts';
import { attachmentKey } from '../guild/world.ts';
import { timeOfSnowflake } from '../snowflakes.ts';
import { FORUM_POSTS } from './community-content.ts';
import { findChannel, type GuildBuilder, pickDrawnImage } from './guild-builder.ts';

const HAS_THREAD_FLAG = 1 << 5;

/** Threads, forum posts, a picture, an answer, reactions and a webhook's message. */
export const makeConversations = (builder: GuildBuilder) => {
  makeThread(builder);
  makeForumPosts(builder);
  makePicture(builder);
  makeNews(builder);
};

const isoOf = (id: string) => new Date(timeOfSnowflake(id)).toISOString();

const say = (
  { guild, random, nextId }: GuildBuilder,
  placeId: string,
  fields: Partial<Message>,
): Message => {
  const id = fields.id ?? nextId();
  const author_id = guild.memberOrder[random.below(guild.memberOrder.length)] ?? guild.id;
  const base = { author_id, ...fields, id, channel_id: placeId };
  const message = newMessage({ ...base, timestamp: isoOf(id) });
  const messages = guild.messages.get(placeId) ?? new Map<string, Message>();
  guild.messages.set(placeId, messages.set(id, message));
  const thread = guild.threads.get(placeId);
  const place = thread ?? guild.channels.get(placeId);
  if (place) place.last_message_id = id;
  if (thread && id !== thread.id) thread.total_message_sent += 1;
  return message;
};

const open = (
  { guild }: GuildBuilder,
  fields: Pick<Thread, 'id' | 'parent_id' | 'name' | 'owner_id'> & Partial<Thread>,
  isArchived = false,
): Thread => {
  const { id, owner_id } = fields;
  const at = isoOf(id);
  const thread = newThread({ ...fields, guild_id: guild.id });
  thread.members = [{ user_id: owner_id, join_timestamp: at, flags: 0 }];
  thread.thread_metadata = {
    ...{ archived: isArchived, auto_archive_duration: 1440, locked: false },
    archive_timestamp: at,
    create_timestamp: at,
  };
  guild.threads.set(id, thread);
  return thread;
};

/** From the question in the general channel. */
const makeThread = (builder: GuildBuilder) => {
  const { guild } = builder;
  const general = findChannel(guild, 'general');
  const question = [...(guild.messages.get(general.id)?.values() ?? [])][1];
  if (!question) return;
  const { id, author_id } = question;
  question.flags |= HAS_THREAD_FLAG;
  open(builder, { id, parent_id: general.id, name: 'Saturday', owner_id: author_id });
  const reference = { channel_id: general.id, message_id: id, guild_id: guild.id };
  say(builder, id, { author_id, type: 21, message_reference: { type: 0, ...reference } });
  const answer = say(builder, id, { content: 'I bring the maps.' });
  const answered = { channel_id: id, message_id: answer.id, guild_id: guild.id };
  say(builder, id, { content: 'Thanks!', type: 19, message_reference: { type: 0, ...answered } });
};

const makeForumPosts = (builder: GuildBuilder) => {
  const { guild, nextId, random } = builder;
  const forum = findChannel(guild, 'help');
  const tagIdOf = (name: string) =>
    forum.available_tags?.find((tag) => tag.name === name)?.id ?? [];
  for (const { name, tags, messages, isArchived } of FORUM_POSTS) {
    const id = nextId();
    const owner_id = guild.memberOrder[random.below(guild.memberOrder.length)] ?? guild.id;
    const applied_tags = tags.flatMap(tagIdOf);
    open(builder, { id, parent_id: forum.id, name, owner_id, applied_tags }, isArchived);
    const [first, ...rest] = messages;
    say(builder, id, { id, author_id: owner_id, content: first });
    for (const content of rest) say(builder, id, { content });
    forum.last_message_id = id;
  }
};

const makePicture = (builder: GuildBuilder) => {
  const { guild, images, nextId, random } = builder;
  const { id: placeId } = findChannel(guild, 'pictures');
  const image = pickDrawnImage(random);
  const size = Buffer.byteLength(image.base64, 'base64');
  const attachment = { id: nextId(), filename: 'harbour.png', size, content_type: image.mime };
  images.set(attachmentKey(placeId, attachment), image);
  const [emoji] = guild.emojis.values();
  const user_ids = guild.memberOrder.slice(0, 3);
  say(builder, placeId, {
    content: 'This morning',
    attachments: [attachment],
    reactions: [
      { emoji: { id: null, name: '👍' }, user_ids },
      ...(emoji ? [{ emoji: { id: emoji.id, name: emoji.name }, user_ids }] : []),
    ],
  });
};

/** Written by a webhook, with an embed. */
const makeNews = (builder: GuildBuilder) => {
  const { guild, nextId } = builder;
  const news = findChannel(guild, 'news');
  const id = nextId();
  guild.webhooks.set(id, {
    ...{ id, type: 1, channel_id: news.id, name: 'News desk', avatar: null },
    ...{ token: `demo-${id}`, user_id: guild.settings.owner_id, application_id: null },
  });
  say(builder, news.id, {
    author_id: id,
    webhook_id: id,
    webhook_name: 'News desk',
    webhook_avatar: null,
    embeds: [
      { type: 'rich', title: 'Summer fair', description: 'Doors open at ten.', color: 0xf1c40f },
    ],
  });
};
