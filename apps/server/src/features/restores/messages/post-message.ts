import { setTimeout as sleep } from 'node:timers/promises';
import { createSemaphore } from '../../../kernel/concurrency.ts';
import type { Post, PostingWebhook } from '../../../platform/conversation.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import { redactMessage } from '../../backups/erasure/redact-messages.ts';
import type { StoredMessage } from '../../backups/snapshot/snapshot.ts';
import type { PlaceRow } from '../queries/posts.ts';
import { type Posting, storeBegun, storePlace } from './posting.ts';
import { renderMessage, renderPlain } from './render.ts';
import { openWebhook } from './webhook.ts';

/** A channel or thread of the target that is being filled. */
export type Place = {
  posting: Posting;
  row: PlaceRow;
  /** The row of its channel, which has the webhook. */
  channel: PlaceRow;
  /** Shared by the channel and its threads; replaced where somebody deleted it. */
  hook: { current: PostingWebhook };
  to: Exclude<Post['to'], { newPost: unknown }>;
};

type Posted = { messageId: string; placeId: string };

const attempts = 8;
const longestPauseMs = 30_000;
/** How long the last call of a worker that died may take to have its effect. */
const settleMs = 1000;

/** Posts a message, unless it was posted before or its author was erased since. */
export const postMessage = async (place: Place, message: StoredMessage): Promise<void> => {
  const { posting, row } = place;
  if (row.begunId !== null) await settleBegun(place, message);
  if (row.lastOldId !== null && !isAfter(message.id, row.lastOldId)) return;
  const redacted = redactMessage(message, await posting.run.readErased());
  if (!redacted) return skipMessage(posting, row, message);
  await storeBegun(posting, row, { begunId: message.id });
  try {
    const posted = await send(place, redacted, () => findPosted(place));
    await recordPosted(posting, row, redacted, posted);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await recordFailed(posting, row, redacted, error);
  }
};

/** Its author was erased since the restore was planned. */
export const skipMessage = (
  posting: Posting,
  row: PlaceRow,
  { id }: StoredMessage,
): Promise<void> => storePlace(posting, row, { lastOldId: id, total: row.total - 1 });

const isAfter = (id: string, other: string): boolean => BigInt(id) > BigInt(other);

export const recordPosted = (
  posting: Posting,
  row: PlaceRow,
  message: StoredMessage,
  { messageId, placeId }: Posted,
): Promise<void> =>
  storePlace(posting, row, {
    newId: row.newId ?? placeId,
    lastOldId: message.id,
    lastPostedId: message.id,
    lastNewId: messageId,
    begunId: null,
    posted: row.posted + 1,
    ...(message.isPinned && {
      pins: [...row.pins, { id: messageId, at: message.pinnedAt }],
    }),
  });

export const recordFailed = (
  posting: Posting,
  row: PlaceRow,
  message: StoredMessage,
  error: PlatformFailure,
): Promise<void> =>
  storePlace(posting, row, {
    ...{ lastOldId: message.id, begunId: null },
    ...{ failed: row.failed + 1, error: error.kind },
  });

/** The worker before died while it posted a message: it is looked for before anything else is posted. */
const settleBegun = async (place: Place, next: StoredMessage): Promise<void> => {
  const { posting, row } = place;
  await sleep(settleMs, undefined, { signal: posting.run.signal });
  const posted = await findPosted(place);
  if (!posted) return storePlace(posting, row, { begunId: null });
  if (row.begunId === next.id) return recordPosted(posting, row, next, posted);
  // Its author was erased since.
  const { begunId } = row;
  const ids = { lastOldId: begunId, lastPostedId: begunId, lastNewId: posted.messageId };
  await storePlace(posting, row, { ...ids, begunId: null, posted: row.posted + 1 });
};

/** At the end of a place: the message that was being posted may have been its last. */
export const settleLast = async (place: Place): Promise<void> => {
  if (place.row.begunId !== null) await settleBegun(place, nothing);
};

/** Stands for the message after the last one. */
const nothing = { id: '' } as StoredMessage;

const messagesPerPage = 100;

/** The message after the last known one that a webhook of ours posted: there is at most one. */
const findPosted = async ({ posting, row, channel }: Place): Promise<Posted | undefined> => {
  const placeId = row.newId ?? '';
  for (let after = row.lastNewId ?? '0'; ; ) {
    const page = await posting.run.conversation.readMessages(placeId, {
      after,
      limit: messagesPerPage,
    });
    const own = page.findLast(({ webhookId }) => channel.webhookIds.includes(webhookId ?? ''));
    if (own) return { messageId: own.id, placeId };
    const [newest] = page;
    if (!newest || page.length < messagesPerPage) return undefined;
    after = newest.id;
  }
};

type Sender = Pick<Place, 'posting' | 'channel' | 'hook'> & { to: Post['to'] };

/** Of all restores of the process: files are in memory until they are posted. */
const limitPostsWithFiles = createSemaphore(4);

/** Tries until the outcome is clear. It is repeated only where it is seen not to have had its effect. */
export const send = (
  place: Sender,
  message: StoredMessage,
  findSent: () => Promise<Posted | undefined>,
): Promise<Posted> => {
  const kept = message.attachments.filter(({ hash }) => hash !== null);
  const work = () => sendUntilClear(place, message, findSent);
  return kept.length > 0 ? limitPostsWithFiles(work) : work();
};

const sendUntilClear = async (
  place: Sender,
  message: StoredMessage,
  findSent: () => Promise<Posted | undefined>,
): Promise<Posted> => {
  const { posting, channel, hook } = place;
  let isPlain = false;
  for (let attempt = 1; ; attempt++) {
    const post = { ...(await createPost(posting, message, isPlain)), to: place.to };
    try {
      return await posting.run.conversation.post(hook.current, post);
    } catch (error) {
      if (!(error instanceof PlatformFailure) || attempt === attempts) throw error;
      if (error.kind === 'unknownWebhook' && channel.newId !== null) {
        hook.current = await openWebhook(posting, channel, channel.newId);
      } else if (isRefusal(error) && !isPlain && isRich(post)) {
        isPlain = true;
      } else if (error.kind === 'rateLimited') {
        await pause(posting, error.retryAfterMs ?? longestPauseMs);
      } else if (error.kind === 'unreachable' || error.kind === 'badAnswer') {
        await pause(posting, Math.min(longestPauseMs, 500 * 2 ** attempt));
        const sent = await findSent();
        if (sent) return sent;
      } else throw error;
    }
  }
};

const pause = (posting: Posting, ms: number): Promise<unknown> =>
  sleep(ms, undefined, { signal: posting.run.signal });

const isRich = ({ files, embeds }: Pick<Post, 'files' | 'embeds'>): boolean =>
  files.length + embeds.length > 0;

/** This one message is not taken; others may be. */
export const isRefusal = (error: unknown): error is PlatformFailure =>
  error instanceof PlatformFailure && (error.kind === 'refused' || error.kind === 'limitReached');

/** Of a post's files together; the platform refuses larger requests. */
const largestFilesBytes = 20 * 1024 * 1024;

const createPost = async (
  posting: Posting,
  message: StoredMessage,
  isPlain: boolean,
): Promise<Omit<Post, 'to'>> => {
  const files: Post['files'] = [];
  let leftBytes = isPlain ? 0 : largestFilesBytes;
  for (const { hash, sizeBytes, fileName, contentType, description } of message.attachments) {
    if (hash === null || sizeBytes > leftBytes) continue;
    leftBytes -= sizeBytes;
    const bytes = new Uint8Array(await posting.read(hash));
    const type = contentType ?? 'application/octet-stream';
    files.push({ name: fileName, description, contentType: type, bytes });
  }
  const sent = new Set(files.map(({ name }) => name));
  const unsent = message.attachments
    .map(({ fileName }) => fileName)
    .filter((name) => !sent.has(name));
  const rendered = renderMessage(message, posting.idMap, unsent);
  const avatarUrl = await posting.findAvatarUrl(message.authorId, message.authorAvatarHash);
  return { ...(isPlain ? renderPlain(rendered, message) : rendered), avatarUrl, files };
};
