import { inParallel } from '../../../kernel/concurrency.ts';
import {
  type ReadObject,
  readManifest,
  readPage,
  readSectionList,
} from '../../backups/snapshot/read-snapshot.ts';
import type { StoredMessage, StoredThread } from '../../backups/snapshot/snapshot.ts';
import type { ConversationSource } from '../run/restore-run.ts';

/** Where the messages of a backup are. There can be half a million, so only a page of them is in memory. */
export type ConversationIndex = {
  /** By channel: pages of its messages, oldest first. */
  pages: Map<string, { hash: string; firstId: string; messages: number }[]>;
  /** By channel: its threads in the order in which they were started. */
  threads: Map<string, { hash: string; id: string; messages: number }[]>;
};

const pagesAtOnce = 8;

/** Reads every page once. Messages of erased people are counted, and passed over when it is their turn. */
export const indexConversation = async ({
  read,
  checksum,
  components,
}: ConversationSource): Promise<ConversationIndex> => {
  const index: ConversationIndex = { pages: new Map(), threads: new Map() };
  const { sections } = await readManifest(read, checksum);
  const pagesOf = async (name: 'messages' | 'threads'): Promise<string[]> => {
    const hash = components.includes(name) ? sections[name] : undefined;
    return hash ? (await readSectionList(read, hash)).pages : [];
  };
  await inParallel(pagesAtOnce, await pagesOf('messages'), async (hash) => {
    const page = await readPage(read, hash, 'messages');
    const ids = page.map(({ id }) => id).toSorted(compareIds);
    const [first] = page;
    if (first)
      addTo(index.pages, first.channelId, { hash, firstId: ids[0] ?? '', messages: ids.length });
  });
  await inParallel(pagesAtOnce, await pagesOf('threads'), async (hash) => {
    for (const { id, channelId, messages } of await readPage(read, hash, 'threads')) {
      addTo(index.threads, channelId, { hash, id, messages: messages.length });
    }
  });
  for (const pages of index.pages.values()) {
    pages.sort((one, other) => compareIds(one.firstId, other.firstId));
  }
  for (const threads of index.threads.values()) {
    threads.sort((one, other) => compareIds(one.id, other.id));
  }
  return index;
};

const addTo = <Item>(lists: Map<string, Item[]>, key: string, item: Item): void => {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
};

/** The messages of a channel, oldest first, without those before `after`. */
export async function* readChannelMessages(
  read: ReadObject,
  index: ConversationIndex,
  channelId: string,
  after: string | null,
): AsyncGenerator<StoredMessage> {
  const pages = index.pages.get(channelId) ?? [];
  for (const [at, page] of pages.entries()) {
    const next = pages[at + 1];
    // What stands between the beginnings of two pages is in the first of them.
    if (next && after !== null && compareIds(next.firstId, after) <= 0) continue;
    const messages = await readPage(read, page.hash, 'messages');
    yield* messages.toSorted(byId).filter(({ id }) => after === null || compareIds(id, after) > 0);
  }
}

export const readThread = async (
  read: ReadObject,
  { hash, id }: { hash: string; id: string },
): Promise<StoredThread> => {
  const found = (await readPage(read, hash, 'threads')).find((thread) => thread.id === id);
  if (!found) throw new Error('The thread is not where the index has it');
  return { ...found, messages: found.messages.toSorted(byId) };
};

/** Ids of the platform are numbers that grow with time. */
export const compareIds = (one: string, other: string): number => {
  if (one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : one > other ? 1 : 0;
};

const byId = (one: { id: string }, other: { id: string }): number => compareIds(one.id, other.id);
