import type { FailureKind } from '../../../platform/failures.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import { failureMessage } from '../../backups/capture/failure-message.ts';
import type { PlaceRow } from '../queries/posts.ts';
import type { Posting } from './posting.ts';

const ownReasons: Record<string, string> = {
  channelMissing: 'their channel was not made',
  noMessages: 'no message is left to begin it with',
  pinRefused: 'not all pins could be set',
};

/** What of the messages did not come back, by channel: a sentence for each. */
export const describePosts = ({ places, channels }: Posting): string[] => {
  const byChannel = Map.groupBy(places, ({ channelId }) => channelId);
  return [...byChannel].flatMap(([channelId, rows]) => {
    const missing = rows.reduce((total, row) => total + countMissing(row), 0);
    const error = rows.find((row) => row.error !== null)?.error ?? null;
    const lostThreads = rows.filter(({ status }) => status === 'failed').length;
    if (missing === 0 && error === null && lostThreads === 0) return [];
    const total = rows.reduce((all, row) => all + row.total, 0);
    const name = channels.get(channelId)?.name ?? 'unknown';
    return [`messages of #${name}: ${missing} of ${total} are missing: ${describe(error)}`];
  });
};

/** Those whose authors were erased meanwhile are not missed: they are neither posted nor failed. */
const countMissing = ({ posted, failed, found }: PlaceRow): number =>
  failed + Math.max(0, posted - (found ?? 0));

const describe = (error: string | null): string => {
  if (error === null) return 'they were posted, and are not there in their order';
  // Every other code is the kind of a failure of the platform.
  return ownReasons[error] ?? failureMessage(new PlatformFailure(error as FailureKind));
};
