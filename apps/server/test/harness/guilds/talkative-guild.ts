import { sha256Hex } from '../../../src/kernel/hash.ts';
import { randomPlatformId } from '../service.ts';

/**
 * A guild in which people talk: messages with files, replies, embeds and pins in text channels, threads
 * on messages and without one, archived and locked ones, and posts of a forum with tags. For the
 * simulator's control, and as the places that a restore has to bring back.
 */

type Author = { id: string; username: string; avatar?: string | null };

// biome-ignore lint/suspicious/noExplicitAny: the simulator's state is whatever its control reads
type State = any;

const platformEpochMs = 1_420_070_400_000;
const dayMs = 86_400_000;

/** Ids that grow with time, as the platform's do, and that no other guild of the test run has. */
const createClock = () => {
  let ms = Date.UTC(2024, 0, 1) + Math.floor(Math.random() * 365 * dayMs);
  return () => {
    ms += 61_000;
    const id = (BigInt(ms - platformEpochMs) << 22n) + BigInt(Math.floor(Math.random() * 4096));
    return { id: String(id), timestamp: new Date(ms).toISOString() };
  };
};

type Size = { channels: number; messages: number; threadMessages: number };

export const talkativeGuild = (size: Size, authors: Author[] = createAuthors()) => {
  const next = createClock();
  const forumId = randomPlatformId();
  const tagId = randomPlatformId();
  const messages: State[] = [];
  const threads: State[] = [];
  const say = (channelId: string, fields: object = {}): State => {
    const at = messages.length;
    const message = {
      ...next(),
      channel_id: channelId,
      author: authors[at % authors.length],
      content: `line ${at} of ${channelId}`,
      ...fields,
    };
    messages.push(message);
    return message;
  };
  const talkIn = (threadId: string) => {
    for (let at = 0; at < size.threadMessages; at++) say(threadId);
  };
  const startThread = (channelId: string, fields: object): string => {
    const thread = { ...next(), parent_id: channelId, name: `thread ${threads.length}`, ...fields };
    threads.push(thread);
    return thread.id;
  };
  const talkInChannel = (id: string) => {
    for (let at = 0; at < size.messages; at++) {
      const message = say(id, extrasOf(at, messages));
      if (at !== 3) continue;
      talkIn(
        startThread(id, { id: message.id, thread_metadata: { archived: true, locked: true } }),
      );
    }
    talkIn(startThread(id, {}));
  };
  const postInForum = (archived: boolean) => {
    const id = startThread(forumId, { applied_tags: [tagId], thread_metadata: { archived } });
    say(id, { id });
    talkIn(id);
  };
  const channels = Array.from({ length: size.channels }, (_, at) => ({
    id: randomPlatformId(),
    name: `talk-${at}`,
    type: 0,
  }));
  for (const { id } of channels) talkInChannel(id);
  postInForum(false);
  postInForum(true);
  const forum = {
    ...{ id: forumId, name: 'help', type: 15 },
    available_tags: [
      { id: tagId, name: 'Solved', moderated: false, emoji_id: null, emoji_name: null },
    ],
  };
  return {
    authors,
    state: {
      guild: {
        features: ['COMMUNITY'],
        rules_channel_id: channels.at(0)?.id,
        public_updates_channel_id: channels.at(-1)?.id,
      },
      channels: [...channels, forum],
      ...{ threads, messages },
      members: authors.map((user) => ({ user, roles: [] })),
    },
  };
};

const createAuthors = (): Author[] =>
  ['Ada', 'Discord Dan', 'Grace'].map((username) => ({ id: randomPlatformId(), username }));

/** What some messages carry, by their number in the channel. */
const extrasOf = (at: number, said: State[]): object => {
  const answered = said.at(-1);
  switch (at % 8) {
    case 1:
      return { attachments: [fileOf(`file ${at} ${said.length}`)] };
    case 2:
      return {
        type: 19,
        message_reference: { type: 0, channel_id: answered.channel_id, message_id: answered.id },
      };
    case 4:
      return { embeds: [{ type: 'rich', title: `Title ${at}`, description: 'as a bot writes' }] };
    case 5:
      return { pinned: true, pinned_at: new Date(Date.UTC(2025, 0, 1) - at * dayMs).toISOString() };
    default:
      return {};
  }
};

const fileOf = (text: string) => ({
  filename: `${sha256Hex(text).slice(0, 8)}.txt`,
  base64: Buffer.from(text).toString('base64'),
});

/** The guild's talk as people read it, by place: who wrote what with which files, and the pins. */
export const readTalk = (state: State) => {
  const names = new Map<string, string>(
    [...state.channels, ...state.threads].map(({ id, name }: State) => [id, name]),
  );
  const parents = new Map<string, string>(
    state.threads.map(({ id, parent_id }: State) => [id, names.get(parent_id) ?? '']),
  );
  const nameOf = (id: string) => [parents.get(id), names.get(id)].filter(Boolean).join(' / ');
  const written: State[] = state.messages.filter(
    ({ type = 0 }: State) => type === 0 || type === 19,
  );
  const places = Map.groupBy(written, ({ channel_id }) => nameOf(channel_id));
  const fileHash = (placeId: string, { id, filename, base64 }: State): string =>
    sha256Hex(
      base64 ?? state.images?.[`attachments/${placeId}/${id}/${filename}`]?.base64 ?? 'nothing',
    );
  return Object.fromEntries(
    [...places].map(([name, said]) => [
      name,
      said
        .toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1))
        .map(({ channel_id, webhook_name, author, content, attachments = [], embeds = [] }) => ({
          author: webhook_name ?? nameForWebhook(author.username),
          text: content.replace(/^> \*\*.*\n/, '').replace(/\n?-# <t:.*$/, ''),
          files: attachments.map((file: State) => fileHash(channel_id, file)),
          titles: embeds.map(({ title }: State) => title),
        })),
    ]),
  );
};

const nameForWebhook = (name: string): string => name.replace('Discord', 'Disc*rd');

/** The texts of each channel's pinned messages, the newest pin first. */
export const readPins = (state: State): Record<string, string[]> => {
  const pinned: State[] = state.messages.filter((message: State) => message.pinned);
  const byChannel = Map.groupBy(
    pinned,
    ({ channel_id }) => state.channels.find(({ id }: State) => id === channel_id)?.name,
  );
  return Object.fromEntries(
    [...byChannel].map(([name, pins]) => [
      name,
      pins
        .toSorted((one, other) => (one.pinned_at < other.pinned_at ? 1 : -1))
        .map(({ content }) => content.replace(/\n?-# <t:.*$/, '')),
    ]),
  );
};

/** How each thread was left. */
export const readThreads = (state: State) =>
  Object.fromEntries(
    state.threads.map(({ name, type = 11, thread_metadata }: State) => [
      name,
      {
        type,
        archived: thread_metadata?.archived ?? false,
        locked: thread_metadata?.locked ?? false,
      },
    ]),
  );
