import { PlatformFailure } from '../../../platform/failures.ts';
import type { Channel } from '../../../platform/guild.ts';
import { redactThread } from '../../backups/erasure/redact-messages.ts';
import type { StoredThread } from '../../backups/snapshot/snapshot.ts';
import type { PlaceRow } from '../queries/posts.ts';
import { finishPlace } from './finish-place.ts';
import { isRefusal, type Place, postMessage } from './post-message.ts';
import { type Posting, storePlace } from './posting.ts';
import { startForumPost, startThread } from './start-thread.ts';

const forumKinds: readonly Channel['kind'][] = ['forum', 'media'];

/** Starts a thread of a channel, posts its messages and leaves it archived and locked as it was. */
export const postThread = async (
  channel: Place,
  row: PlaceRow,
  stored: StoredThread,
): Promise<void> => {
  if (row.status === 'done' || row.status === 'failed') return;
  const { posting } = channel;
  const thread = redactThread(stored, await posting.run.readErased());
  if (!thread) {
    return storePlace(posting, row, { status: 'done', total: row.total - countLeft(row) });
  }
  const target = posting.targets.get(channel.row.newId ?? '');
  const isForum = target !== undefined && forumKinds.includes(target.kind);
  try {
    const start = isForum ? startForumPost : startThread;
    // With all messages, so that those of erased people are counted off.
    const whole = { ...thread, messages: stored.messages };
    if (row.newId === null) await start(channel, row, whole);
    if (row.newId === null) {
      return await storePlace(posting, row, { status: 'failed', error: row.error ?? 'noMessages' });
    }
    const place = { ...channel, row, to: { threadId: row.newId } };
    if (row.status !== 'closing') {
      for (const message of whole.messages) await postMessage(place, message);
      await finishPlace(place, thread.messages);
      await storePlace(posting, row, { status: 'closing' });
    }
    await close(place, thread, isForum).catch(unlessArchived);
    await storePlace(posting, row, { status: 'done' });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await failPlace(posting, row, error.kind);
  }
};

const countLeft = ({ total, posted, failed }: PlaceRow): number =>
  Math.max(0, total - posted - failed);

/** What was not posted counts as failed, so that the restore's steps add up. */
export const failPlace = (
  posting: Posting,
  row: PlaceRow,
  error: PlatformFailure['kind'] | 'channelMissing',
): Promise<void> => {
  const failed = row.failed + countLeft(row);
  return storePlace(posting, row, { status: 'failed', failed, error });
};

/** An archived thread takes no change: a worker before this one has closed it. */
const unlessArchived = (error: unknown): void => {
  const isArchived = error instanceof PlatformFailure && error.code === archivedCode;
  if (!isArchived) throw error;
};

const archivedCode = 50083;

/** A forum post is made with the forum's own settings; a thread of a channel brings some of its own. */
const close = async (
  { posting, row }: Place,
  { isArchived, isLocked, isPinned, autoArchiveMinutes, slowModeSeconds }: StoredThread,
  isForum: boolean,
): Promise<void> => {
  if (!isForum && !isArchived && !isLocked && slowModeSeconds === 0) return;
  await posting.run.conversation.editThread(row.newId ?? '', {
    ...{ autoArchiveMinutes, slowModeSeconds, isArchived, isLocked },
    ...(isForum && isPinned && { isPinned }),
  });
};
