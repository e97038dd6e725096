import { PlatformFailure } from '../../../platform/failures.ts';
import type { StoredMessage } from '../../backups/snapshot/snapshot.ts';
import type { PlaceRow } from '../queries/posts.ts';
import { compareIds, readChannelMessages, readThread } from './conversation-index.ts';
import { finishPlace } from './finish-place.ts';
import { type Place, postMessage } from './post-message.ts';
import { failPlace, postThread } from './post-thread.ts';
import { type Posting, storePlace } from './posting.ts';
import { openWebhook, releaseWebhook } from './webhook.ts';

/** What ends the posting into one channel and not into others. */
const endsChannel: readonly PlatformFailure['kind'][] = [
  'missingPermission',
  'noAccess',
  'unknownChannel',
  'limitReached',
  'refused',
];

/** Posts what the backup has of a channel: its messages and threads, in the order in which they began. */
export const postChannel = async (posting: Posting, row: PlaceRow): Promise<void> => {
  if (row.status === 'done' || row.status === 'failed') return;
  const threads = posting.places.filter(
    ({ channelId, placeId }) => channelId === row.placeId && placeId !== channelId,
  );
  const newId = posting.idMap.channels[row.placeId];
  if (newId === undefined) return failChannel(posting, row, threads, 'channelMissing');
  try {
    await fill(posting, row, threads, newId);
  } catch (error) {
    if (!(error instanceof PlatformFailure) || !endsChannel.includes(error.kind)) throw error;
    await releaseWebhook(posting.run, row);
    await failChannel(posting, row, threads, error.kind);
  }
};

const fill = async (
  posting: Posting,
  row: PlaceRow,
  threads: PlaceRow[],
  newId: string,
): Promise<void> => {
  const hook = { current: await openWebhook(posting, row, newId) };
  const place: Place = { posting, row, channel: row, hook, to: 'channel' };
  for await (const item of inOrder(posting, row)) {
    if ('message' in item) await postMessage(place, item.message);
    else {
      const thread = threads.find(({ placeId }) => placeId === item.thread.id);
      if (thread && !isEnded(thread)) {
        await postThread(place, thread, await readThread(posting.read, item.thread));
      }
    }
  }
  await finishPlace(place, readChannelMessages(posting.read, posting.index, row.placeId, null));
  await releaseWebhook(posting.run, row);
  await storePlace(posting, row, { status: 'done' });
};

const isEnded = ({ status }: PlaceRow): boolean => status === 'done' || status === 'failed';

type Item = { message: StoredMessage } | { thread: { hash: string; id: string } };

/**
 * Messages and threads by their ids, which grow with time; a thread that was started on a message has
 * the message's id and follows it.
 */
async function* inOrder(
  { read, index }: Posting,
  { placeId, lastOldId }: PlaceRow,
): AsyncGenerator<Item> {
  const threads = [...(index.threads.get(placeId) ?? [])];
  for await (const message of readChannelMessages(read, index, placeId, lastOldId)) {
    while (threads[0] && compareIds(threads[0].id, message.id) < 0) {
      const [thread] = threads.splice(0, 1);
      if (thread) yield { thread };
    }
    yield { message };
  }
  for (const thread of threads) yield { thread };
}

const failChannel = async (
  posting: Posting,
  row: PlaceRow,
  threads: PlaceRow[],
  error: PlatformFailure['kind'] | 'channelMissing',
): Promise<void> => {
  for (const place of [row, ...threads])
    if (!isEnded(place)) await failPlace(posting, place, error);
};
