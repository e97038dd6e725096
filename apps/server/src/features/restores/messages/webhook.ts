import type { PostingWebhook } from '../../../platform/conversation.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { PlaceRow } from '../queries/posts.ts';
import type { RestoreRun } from '../run/restore-run.ts';
import { type Posting, storeBegun, storePlace } from './posting.ts';

/** Unique to the restore, so that a worker that takes over finds the one that was made. */
const webhookNameOf = ({ restore }: Pick<RestoreRun, 'restore'>): string =>
  `Holdfast ${restore.id.slice(0, 8)}`;

/** The channel's webhook of this restore; it is made at the first use. Its token is never stored. */
export const openWebhook = async (
  posting: Posting,
  channel: PlaceRow,
  newId: string,
): Promise<PostingWebhook> => {
  const { conversation } = posting.run;
  const name = webhookNameOf(posting.run);
  const isFirst = channel.status === 'planned';
  await storeBegun(posting, channel, { status: 'begun', newId });
  const webhook =
    (isFirst ? undefined : await conversation.findPostingWebhook(newId, name)) ??
    (await conversation.createPostingWebhook(newId, name));
  if (!channel.webhookIds.includes(webhook.id)) {
    await storePlace(posting, channel, { webhookIds: [...channel.webhookIds, webhook.id] });
  }
  return webhook;
};

/** Deletes the webhooks of a channel, also one whose creation was not recorded. */
export const releaseWebhook = async (
  { conversation, restore }: Pick<RestoreRun, 'conversation' | 'restore'>,
  channel: PlaceRow,
): Promise<void> => {
  if (channel.status === 'planned' || channel.newId === null) return;
  const unrecorded =
    channel.webhookIds.length === 0
      ? await conversation
          .findPostingWebhook(channel.newId, webhookNameOf({ restore }))
          .catch(ignoreGone)
      : undefined;
  const ids = unrecorded ? [unrecorded.id] : channel.webhookIds;
  for (const id of ids) await conversation.deleteWebhook(id).catch(ignoreGone);
};

/** A webhook goes with its channel. */
const ignoreGone = (error: unknown): undefined => {
  if (error instanceof PlatformFailure && error.status === 404) return undefined;
  throw error;
};
