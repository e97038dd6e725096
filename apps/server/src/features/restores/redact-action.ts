import { type IsErased, nobodyErased, redactOverwrites } from '../backups/people/redact.ts';
import { redactText } from '../backups/people/redact-text.ts';
import type { Action } from './action.ts';

/**
 * A planned action without the people who erased themselves since the plan was made; undefined where
 * nothing of it is left to do. A ban stays: see `backups/people/redact.ts`.
 */
export const redactAction = (action: Action, isErased: IsErased): Action | undefined => {
  if (isErased === nobodyErased) return action;
  if (action.do === 'editMember') return isErased(action.userId) ? undefined : action;
  if (action.do === 'ban' && isErased(action.userId)) return { ...action, reason: null };
  const redacted = redactTexts(action, isErased);
  if (redacted.do === 'setOverwrites') {
    return { ...redacted, overwrites: redactOverwrites(redacted.overwrites, isErased) };
  }
  if (redacted.do !== 'createChannel') return redacted;
  const overwrites = redactOverwrites(redacted.wish.overwrites, isErased);
  return { ...redacted, wish: { ...redacted.wish, overwrites } };
};

/** The action without the ids of the erased in what it writes. */
export const redactTexts = (action: Action, isErased: IsErased): Action => {
  const described = <Thing extends { description?: string | null }>(thing: Thing): Thing =>
    thing.description === undefined
      ? thing
      : { ...thing, description: redactText(thing.description, isErased) };
  switch (action.do) {
    case 'createChannel': {
      const topic = redactText(action.wish.topic, isErased);
      return { ...action, wish: { ...action.wish, topic } };
    }
    case 'editSettings':
      return { ...action, changes: described(action.changes) };
    case 'editSticker':
      return { ...action, changes: described(action.changes) };
    case 'createSticker':
      return { ...action, wish: described(action.wish) };
    case 'ban':
      return { ...action, reason: redactText(action.reason, isErased) };
    default:
      return action;
  }
};
