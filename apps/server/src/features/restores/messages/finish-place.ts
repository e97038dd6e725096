import { originSeconds, secondsOf } from '../../backups/snapshot/reposted.ts';
import type { StoredMessage } from '../../backups/snapshot/snapshot.ts';
import { isRefusal, type Place, settleLast } from './post-message.ts';
import { storePlace } from './posting.ts';

type Messages = Iterable<StoredMessage> | AsyncIterable<StoredMessage>;

/** After the last message: pins, and a look at what is there now. */
export const finishPlace = async (place: Place, expected: Messages): Promise<void> => {
  await settleLast(place);
  if (place.row.posted === 0) return;
  await setPins(place);
  const found = await countInOrder(place, expected);
  await storePlace(place.posting, place.row, { found });
};

/** Oldest pin first, so that the newest comes to the top again. To pin twice changes nothing. */
const setPins = async ({ posting, row }: Place): Promise<void> => {
  const pins = row.pins.toSorted((one, other) => ((one.at ?? '') < (other.at ?? '') ? -1 : 1));
  for (const { id } of pins) {
    try {
      await posting.run.conversation.pinMessage(row.newId ?? '', id);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await storePlace(posting, row, { error: 'pinRefused' });
      return;
    }
  }
};

/**
 * How many messages of the backup are there, in the order of the backup. Posts are told by the time in
 * them; where the platform does not give the bot their content, they are only counted. Of somebody who
 * was erased meanwhile there may be some that were posted before.
 */
const countInOrder = async (place: Place, expected: Messages): Promise<number> => {
  const isErased = await place.posting.run.readErased();
  const posted = readPosted(place);
  let count = 0;
  let current = await posted.next();
  for await (const { authorId, sentAt } of expected) {
    if (current.done) break;
    const time = current.value;
    const isSame = time === undefined ? !isErased(authorId) : time === secondsOf(sentAt);
    if (!isSame) continue;
    count += 1;
    current = await posted.next();
  }
  return count;
};

const messagesPerPage = 100;

/** The times of our posts, oldest first; undefined where the content is not shown. */
async function* readPosted({ posting, row, channel }: Place): AsyncGenerator<number | undefined> {
  for (let after = '0'; ; ) {
    const page = await posting.run.conversation.readMessages(row.newId ?? '', {
      after,
      limit: messagesPerPage,
    });
    for (const message of page.toReversed()) {
      if (channel.webhookIds.includes(message.webhookId ?? ''))
        yield originSeconds(message.content);
    }
    const [newest] = page;
    if (!newest || page.length < messagesPerPage) return;
    after = newest.id;
  }
}
