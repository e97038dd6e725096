import { inParallel } from '../../../kernel/concurrency.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import type { ChannelActivity } from '../../../platform/conversation.ts';
import type { Channel, ChannelKind } from '../../../platform/guild.ts';
import type { SectionEntry } from '../snapshot/snapshot.ts';
import type { CaptureContext, CaptureRequest } from './capture-context.ts';
import { isAccessRefused } from './failure-message.ts';
import { type Reading, readPlace } from './read-place.ts';

/** Each channel has its own rate limit; this many use up the bot's global one. */
const channelsAtOnce = 50;

const kindsWithMessages: readonly ChannelKind[] = ['text', 'announcement', 'voice', 'stage'];

/** The newest messages of every channel; one that never had a message is not asked for. */
export const captureMessages = async (
  context: CaptureContext & Reading,
  { channels, activity }: { channels: readonly Channel[]; activity: ChannelActivity },
  { messagesPerChannel }: CaptureRequest,
): Promise<void> => {
  const readable = channels.filter(
    ({ id, kind }) => kindsWithMessages.includes(kind) && activity.get(id)?.hasMessages !== false,
  );
  context.progress.expect(readable.length);
  await inParallel(channelsAtOnce, readable, async (channel) => {
    const place = { id: channel.id, hasPins: activity.get(channel.id)?.hasPins ?? false };
    await captureMessagesOf(context, { ...channel, ...place }, messagesPerChannel);
    context.progress.complete(1);
  });
};

type MessageEntry = SectionEntry<'messages'>;

const captureMessagesOf = async (
  context: CaptureContext & Reading,
  channel: Channel & { hasPins: boolean },
  maxMessages: number,
): Promise<void> => {
  const { sink } = context;
  let waiting: MessageEntry[] = [];
  try {
    for await (const page of readPlace(context, channel, maxMessages)) {
      const chunks = cutIntoChunks([
        ...waiting,
        ...page.map((message) => ({ ...message, channelId: channel.id })),
      ]);
      waiting = chunks.pop() ?? [];
      for (const chunk of chunks) await sink.add('messages', chunk);
    }
  } catch (error) {
    if (!isAccessRefused(error)) throw error;
    sink.warn(`The messages of #${channel.name} are not in this backup: the bot may not read them`);
  }
  if (waiting.length > 0) await sink.add('messages', waiting);
};

const averageChunk = 64;
const largestChunk = 256;

/**
 * Cuts a channel's messages, newest first, into pieces that are stored as one object each. A message ends
 * its piece by its id alone, so that new messages change the newest piece and leave the others as they
 * were stored before. The last piece is not complete.
 */
const cutIntoChunks = <Entry extends { id: string }>(entries: readonly Entry[]): Entry[][] => {
  const chunks: Entry[][] = [];
  let chunk: Entry[] = [];
  for (const entry of entries) {
    chunk.push(entry);
    if (chunk.length < largestChunk && !endsChunk(entry)) continue;
    chunks.push(chunk);
    chunk = [];
  }
  return [...chunks, chunk];
};

const endsChunk = ({ id }: { id: string }): boolean =>
  Number.parseInt(sha256Hex(id).slice(0, 8), 16) % averageChunk === 0;
