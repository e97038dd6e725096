import { inParallel } from '../../../kernel/concurrency.ts';
import type { ReadThread } from '../../../platform/conversation.ts';
import type { Channel, ChannelKind } from '../../../platform/guild.ts';
import type { StoredMessage } from '../snapshot/snapshot.ts';
import type { CaptureContext, CaptureRequest } from './capture-context.ts';
import { isAccessRefused } from './failure-message.ts';
import { type Reading, readPlace } from './read-place.ts';

const atOnce = 50;
/** Of each channel, the newest. Active threads are never left out: a server has at most a thousand. */
const maxArchivedPerChannel = 1000;

const forumKinds: readonly ChannelKind[] = ['forum', 'media'];
const kindsWithThreads: readonly ChannelKind[] = ['text', 'announcement', ...forumKinds];

/** Threads and forum posts, active and archived, each with its newest messages. */
export const captureThreads = async (
  context: CaptureContext & Reading,
  channels: readonly Channel[],
  request: CaptureRequest,
): Promise<void> => {
  const { conversation, progress } = context;
  const parents = new Map(
    channels.filter(({ kind }) => kindsWithThreads.includes(kind)).map((one) => [one.id, one]),
  );
  progress.expect(parents.size + 1);
  const threads = new Map<string, ReadThread>();
  const addAll = (found: ReadThread[]) => {
    for (const thread of found) if (parents.has(thread.channelId)) threads.set(thread.id, thread);
    progress.complete(1);
  };
  addAll(await conversation.readActiveThreads());
  const archived = createArchiveReader(context);
  await inParallel(atOnce, [...parents.values()], async (channel) =>
    addAll(await archived.read(channel)),
  );
  archived.warn();
  progress.expect(threads.size);
  await inParallel(atOnce, [...threads.values()], async (thread) => {
    await captureThread(context, thread, parents.get(thread.channelId), request);
    progress.complete(1);
  });
};

const createArchiveReader = ({ conversation, sink }: CaptureContext) => {
  const unreadable = new Set<string>();
  const cut = new Set<string>();
  const readKind = async (channel: Channel, kind: 'public' | 'private') => {
    const found: ReadThread[] = [];
    try {
      for (let before: string | undefined; ; ) {
        const page = await conversation.readArchivedThreads(channel.id, kind, before);
        found.push(...page.threads);
        if (page.before === undefined || page.before === before) return found;
        if (found.length >= maxArchivedPerChannel) break;
        before = page.before;
      }
      cut.add(channel.name);
    } catch (error) {
      if (!isAccessRefused(error)) throw error;
      unreadable.add(channel.name);
    }
    return found.slice(0, maxArchivedPerChannel);
  };
  return {
    async read(channel: Channel): Promise<ReadThread[]> {
      const found = await readKind(channel, 'public');
      return channel.kind === 'text' ? [...found, ...(await readKind(channel, 'private'))] : found;
    },
    warn(): void {
      const list = (names: Set<string>) => [...names].map((name) => `#${name}`).join(', ');
      if (unreadable.size > 0) {
        const where = list(unreadable);
        sink.warn(`Archived threads of ${where} are not in this backup: the bot may not read them`);
      }
      if (cut.size > 0) {
        const limit = `the newest ${maxArchivedPerChannel} archived threads of a channel`;
        sink.warn(`A backup keeps ${limit}: older ones of ${list(cut)} are not in it`);
      }
    },
  };
};

/** A thread of a text channel whose count of messages is 0 need not be asked for them. */
const captureThread = async (
  context: CaptureContext & Reading,
  { messageCount, hasPins, ...thread }: ReadThread,
  parent: Channel | undefined,
  { messagesPerChannel }: CaptureRequest,
): Promise<void> => {
  const isPost = parent !== undefined && forumKinds.includes(parent.kind);
  const messages: StoredMessage[] = [];
  try {
    if (isPost || messageCount > 0) {
      const place = { id: thread.id, hasPins };
      for await (const page of readPlace(context, place, messagesPerChannel))
        messages.push(...page);
    }
    await context.sink.add('threads', [{ ...thread, messages }]);
  } catch (error) {
    if (!isAccessRefused(error)) throw error;
    const { name } = thread;
    context.sink.warn(`The thread ${name} is not in this backup: the bot may not read it`);
  }
};
