import { inParallel } from '../../../kernel/concurrency.ts';
import type { ReadMessage } from '../../../platform/conversation.ts';
import { asOriginal } from '../snapshot/reposted.ts';
import type { StoredMessage } from '../snapshot/snapshot.ts';
import type { CaptureContext } from './capture-context.ts';
import type { FileKeeper } from './capture-files.ts';
import { isAccessRefused } from './failure-message.ts';
import type { LeftOut } from './left-out.ts';

const messagesPerPage = 100;

/** A channel or a thread whose messages are read. */
type Place = { id: string; hasPins: boolean };

export type Reading = Pick<CaptureContext, 'conversation' | 'isErased' | 'panelMessageIds'> & {
  files: FileKeeper;
  leftOut: LeftOut;
};

/**
 * Yields the newest messages of a place, newest first and a page at a time, and then older ones that are
 * pinned. Lines of the platform are left out, and so is what has nothing that could be posted again, which
 * is counted.
 */
export async function* readPlace(
  reading: Reading,
  place: Place,
  maxMessages: number,
): AsyncGenerator<StoredMessage[]> {
  let pins = place.hasPins ? await readPins(reading, place.id) : undefined;
  let oldest: string | undefined;
  for (let left = maxMessages; left > 0; ) {
    const limit = Math.min(left, messagesPerPage);
    const page = await reading.conversation.readMessages(place.id, { before: oldest, limit });
    // The list of channels need not say that there are pins.
    if (!pins && page.some(({ isPinned }) => isPinned)) pins = await readPins(reading, place.id);
    yield await keepPage(reading, page.map(asOriginal), pins);
    oldest = page.at(-1)?.id ?? oldest;
    left -= page.length;
    if (page.length < limit) return;
  }
  const older = [...(pins?.values() ?? [])].filter(({ id }) => isBefore(id, oldest));
  if (maxMessages > 0 && older.length > 0) {
    const kept = await keepPage(reading, older.toSorted(newestFirst).map(asOriginal), pins);
    yield kept.map((message) => ({ ...message, isOlderPin: true }));
  }
}

const isBefore = (id: string, oldest: string | undefined): boolean =>
  oldest === undefined || BigInt(id) < BigInt(oldest);

const newestFirst = (one: { id: string }, other: { id: string }): number =>
  BigInt(one.id) < BigInt(other.id) ? 1 : -1;

type Pins = ReadonlyMap<string, ReadMessage>;

/** By message. Without the right to see them, the messages are kept without the order of their pins. */
const readPins = async ({ conversation }: Reading, placeId: string): Promise<Pins> => {
  const pins = new Map<string, ReadMessage>();
  try {
    for (let before: string | undefined; ; ) {
      const page = await conversation.readPins(placeId, before);
      for (const { message } of page.pins) pins.set(message.id, message);
      const last = page.pins.at(-1)?.pinnedAt;
      if (!page.hasMore || last === undefined || last === before) return pins;
      before = last;
    }
  } catch (error) {
    if (!isAccessRefused(error)) throw error;
    return pins;
  }
};

/** Files of people who were erased are not even read. */
const keepPage = (
  { isErased, panelMessageIds, files, leftOut }: Reading,
  page: readonly ReadMessage[],
  pins: Pins | undefined,
): Promise<StoredMessage[]> => {
  const present = page.filter(
    ({ id, authorId }) => !isErased(authorId) && !panelMessageIds.has(id),
  );
  for (const message of present) leftOut.count(message, isPostable(message));
  const kept = present.filter(isPostable);
  return inParallel(messagesPerPage, kept, async (message) => {
    const { files: _, webhookId: __, isWritten: ___, hasPoll: ____, ...stored } = message;
    const pinnedAt = pins?.get(message.id)?.pinnedAt ?? null;
    const attachments = await files.keepFilesOf(message);
    return { ...stored, pinnedAt, attachments, isOlderPin: false };
  });
};

/** Not, for example, a poll or a message of components: the platform gives no text of it. */
const isPostable = ({ isWritten, content, embeds, attachments, stickerNames }: ReadMessage) =>
  isWritten && (content !== '' || embeds.length + attachments.length + stickerNames.length > 0);
