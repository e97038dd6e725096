import { PlatformFailure } from '../../../platform/failures.ts';
import { redactMessage } from '../../backups/erasure/redact-messages.ts';
import type { StoredThread } from '../../backups/snapshot/snapshot.ts';
import type { PlaceRow } from '../queries/posts.ts';
import {
  isRefusal,
  type Place,
  recordFailed,
  recordPosted,
  send,
  skipMessage,
} from './post-message.ts';
import { storeBegun, storePlace } from './posting.ts';

/** Starts a thread in its channel, on the message that it began with where that was posted. */
export const startThread = async (
  channel: Place,
  row: PlaceRow,
  thread: StoredThread,
): Promise<void> => {
  const { posting } = channel;
  const { conversation } = posting.run;
  const channelId = channel.row.newId ?? '';
  const { lastPostedId, lastNewId } = channel.row;
  const messageId = lastPostedId === thread.id ? (lastNewId ?? undefined) : undefined;
  const isUnknown = row.status === 'begun';
  await storeBegun(posting, row, { status: 'begun' });
  const made = isUnknown ? await findThread(channel, thread, messageId) : undefined;
  const start = () => conversation.startThread(channelId, { ...thread, messageId });
  const newId =
    made ??
    (await start().catch(async (error: unknown) => {
      if (isThreadThere(error) && messageId !== undefined) return messageId;
      if (!isUnclear(error)) throw error;
      return (await findThread(channel, thread, messageId)) ?? start();
    }));
  await storePlace(posting, row, { newId });
};

const isThreadThere = (error: unknown): boolean =>
  error instanceof PlatformFailure && error.kind === 'threadExists';

const isUnclear = (error: unknown): boolean =>
  error instanceof PlatformFailure && (error.kind === 'unreachable' || error.kind === 'badAnswer');

/** A forum post begins with a message. Without one that is left, it cannot be made. */
export const startForumPost = async (
  channel: Place,
  row: PlaceRow,
  thread: StoredThread,
): Promise<void> => {
  const { posting } = channel;
  const isErased = await posting.run.readErased();
  const findMade = async () => {
    const id = await findThread(channel, thread);
    // The platform gives a forum post the id of its first message.
    return id === undefined ? undefined : { messageId: id, placeId: id };
  };
  const to = { newPost: { name: thread.name, tagIds: tagsInTarget(channel, thread) } };
  const isUntried = ({ id }: { id: string }) =>
    row.lastOldId === null || BigInt(id) > BigInt(row.lastOldId);
  for (const message of thread.messages.filter(isUntried)) {
    const made = row.begunId === message.id ? await findMade() : undefined;
    if (made) return recordPosted(posting, row, message, made);
    const first = redactMessage(message, isErased);
    if (!first) {
      await skipMessage(posting, row, message);
      continue;
    }
    await storeBegun(posting, row, { status: 'begun', begunId: first.id });
    try {
      return await recordPosted(
        posting,
        row,
        first,
        await send({ ...channel, to }, first, findMade),
      );
    } catch (error) {
      // Where it is refused, the next message begins the post instead.
      if (!isRefusal(error)) throw error;
      await recordFailed(posting, row, first, error);
    }
  }
};

/** One in the channel that has its name and is not another thread of this restore. */
const findThread = async (
  { posting, row }: Place,
  thread: StoredThread,
  messageId?: string,
): Promise<string | undefined> => {
  const taken = new Set(posting.places.flatMap(({ newId }) => newId ?? []));
  const active = await posting.run.conversation.readActiveThreads();
  const inChannel = active.filter(({ id, channelId }) => channelId === row.newId && !taken.has(id));
  const onMessage = inChannel.find(({ id }) => id === messageId);
  return (onMessage ?? inChannel.find(({ name }) => name === thread.name))?.id;
};

const maxTags = 5;

/** Tags got new ids with their forum; they are the same by name. */
const tagsInTarget = ({ posting, row }: Place, { tagIds }: StoredThread): string[] => {
  const before = posting.channels.get(row.placeId)?.tags ?? [];
  const names = before.filter(({ id }) => tagIds.includes(id)).map(({ name }) => name);
  const tags = posting.targets.get(row.newId ?? '')?.tags ?? [];
  return tags
    .filter(({ name }) => names.includes(name))
    .map(({ id }) => id)
    .slice(0, maxTags);
};
