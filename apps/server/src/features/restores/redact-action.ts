import { type IsErased, nobodyErased, redactOverwrites } from '../backups/people/redact.ts';
import type { Action } from './action.ts';

/**
 * A planned action without the people who erased themselves since the plan was made; undefined where
 * nothing of it is left to do. A ban stays: see `backups/people/redact.ts`.
 */
export const redactAction = (action: Action, isErased: IsErased): Action | undefined => {
  if (isErased === nobodyErased) return action;
  if (action.do === 'editMember') return isErased(action.userId) ? undefined : action;
  if (action.do === 'ban' && isErased(action.userId)) return { ...action, reason: null };
  if (action.do === 'setOverwrites') {
    return { ...action, overwrites: redactOverwrites(action.overwrites, isErased) };
  }
  if (action.do !== 'createChannel') return action;
  const overwrites = redactOverwrites(action.wish.overwrites, isErased);
  return { ...action, wish: { ...action.wish, overwrites } };
};
