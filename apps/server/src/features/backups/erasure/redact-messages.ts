import type { StoredMessage, StoredThread } from '../snapshot/snapshot.ts';
import { type IsErased, idsInText, redactTextsIn, textsIn } from './redact-text.ts';

/**
 * Messages and threads without erased people: their messages go as a whole, with their files, and so do
 * quotations of them. What others wrote stays, with mentions of the erased removed.
 */

export const peopleOfMessage = (entry: StoredMessage): string[] => [
  entry.authorId,
  ...(entry.replyTo ? [entry.replyTo.authorId] : []),
  ...textsIn(entry).flatMap(idsInText),
];

export const redactMessage = <Entry extends StoredMessage>(
  entry: Entry,
  isErased: IsErased,
): Entry | undefined => {
  if (isErased(entry.authorId)) return undefined;
  const isQuoting = entry.replyTo !== null && isErased(entry.replyTo.authorId);
  return redactTextsIn(isQuoting ? { ...entry, replyTo: null } : entry, isErased);
};

export const peopleOfThread = ({ ownerId, name, messages }: StoredThread): string[] => [
  ...(ownerId === null ? [] : [ownerId]),
  ...idsInText(name),
  ...messages.flatMap(peopleOfMessage),
];

const ownerlessName = 'Thread';

/** The owner wrote its name. A thread in which nobody else wrote goes with its owner. */
export const redactThread = (entry: StoredThread, isErased: IsErased): StoredThread | undefined => {
  const messages = entry.messages.flatMap((message) => redactMessage(message, isErased) ?? []);
  if (entry.ownerId === null || !isErased(entry.ownerId)) {
    return { ...redactTextsIn({ ...entry, messages: [] }, isErased), messages };
  }
  return messages.length === 0
    ? undefined
    : { ...entry, ownerId: null, name: ownerlessName, messages };
};
