import type { Overwrite } from '../../../platform/guild.ts';
import type { Action } from './action.ts';

/** What the action sets in a channel; undefined where it leaves overwrites alone. */
export const overwritesOf = (action: Action): Overwrite[] | undefined => {
  if (action.do === 'createChannel') return action.wish.overwrites;
  if (action.do === 'editChannel') return action.changes.overwrites;
  return action.do === 'setOverwrites' ? action.overwrites : undefined;
};

export const withOverwrites = (action: Action, overwrites: Overwrite[]): Action => {
  if (action.do === 'createChannel') return { ...action, wish: { ...action.wish, overwrites } };
  if (action.do === 'editChannel') return { ...action, changes: { ...action.changes, overwrites } };
  return action.do === 'setOverwrites' ? { ...action, overwrites } : action;
};
