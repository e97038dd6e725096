import { z } from 'zod';
import type { Action, Ref } from './action.ts';

const ids = z.record(z.string(), z.string());

/**
 * From ids in the backup to ids in the target. One map for each sort of thing: in old servers the
 * first channel and @everyone have the same id as the server itself.
 */
export const idMap = z.object({ roles: ids, channels: ids, emojis: ids, stickers: ids });
export type IdMap = z.output<typeof idMap>;

export const emptyIdMap = (): IdMap => ({ roles: {}, channels: {}, emojis: {}, stickers: {} });

/** The map after a step was done; steps that create nothing leave it as it is. */
export const recordCreated = (map: IdMap, action: Action, createdId: string | undefined): IdMap => {
  if (createdId === undefined) return map;
  const sort = sortCreatedBy(action);
  if (!sort || !('oldId' in action)) return map;
  return { ...map, [sort]: { ...map[sort], [action.oldId]: createdId } };
};

/** The same for a map that is one's own: where there are hundreds of steps, each copy is of hundreds. */
export const addCreated = (map: IdMap, action: Action, createdId: string | undefined): void => {
  if (createdId === undefined) return;
  const sort = sortCreatedBy(action);
  if (sort && 'oldId' in action) map[sort][action.oldId] = createdId;
};

const sortCreatedBy = (action: Action): keyof IdMap | undefined => {
  if (action.do === 'createRole') return 'roles';
  if (action.do === 'createChannel') return 'channels';
  if (action.do === 'createEmoji') return 'emojis';
  return action.do === 'createSticker' ? 'stickers' : undefined;
};

/** Undefined where the thing was never made. */
export const resolveRef = (known: Record<string, string>, ref: Ref): string | undefined =>
  'present' in ref ? ref.present : known[ref.backup];
