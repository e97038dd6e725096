import type { IdMap } from '../id-map.ts';
import type { PlanContext } from '../plan-context.ts';

/** What is known before the first step of where the things of the backup are in the target. */
export type KnownIds = {
  map: IdMap;
  /** Whether the restore itself will make it, so that its id is not known yet. */
  isComing(sort: 'roles' | 'channels' | 'emojis', oldId: string): boolean;
};

export const createKnownIds = (context: PlanContext): KnownIds => {
  const { savedChannels, restores, idMap, createsRole, createsEmoji } = context;
  const savedIds = new Set(savedChannels.map(({ id }) => id));
  const areRestored = restores('channels');
  const isComing = {
    roles: createsRole,
    emojis: createsEmoji,
    channels: (id: string) => areRestored && savedIds.has(id) && idMap.channels[id] === undefined,
  };
  const standIns = areRestored ? {} : findStandIns(context, idMap);
  return {
    map: { ...idMap, standIns },
    isComing: (sort, oldId) => isComing[sort](oldId),
  };
};

/** What the restore will make stands under its id of the backup, for as long as it has no other. */
export const withComing = (context: PlanContext, map: IdMap): IdMap => {
  const { isComing } = createKnownIds(context);
  const { snapshot, savedChannels } = context;
  const add = (sort: 'roles' | 'channels' | 'emojis', things: { id: string }[] = []) => {
    const coming = things.filter(({ id }) => isComing(sort, id));
    return { ...Object.fromEntries(coming.map(({ id }) => [id, id])), ...map[sort] };
  };
  return {
    ...map,
    roles: add('roles', snapshot.roles),
    channels: add('channels', savedChannels),
    emojis: add('emojis', snapshot.emojis),
  };
};

/** Where channels are not restored: the same channel, or the only one of its kind and name. */
const findStandIns = (
  { savedChannels, current }: PlanContext,
  known: IdMap,
): Record<string, string> => {
  const live = new Set(current.channels.map(({ id }) => id));
  const entries = savedChannels.flatMap(({ id, kind, name }) => {
    if (known.channels[id] !== undefined) return [];
    if (live.has(id)) return [[id, id]];
    const isAlike = (one: { kind: string; name: string }) => one.kind === kind && one.name === name;
    const [only, ...others] = current.channels.filter(isAlike);
    const isAmbiguous = others.length > 0 || savedChannels.filter(isAlike).length > 1;
    return only && !isAmbiguous ? [[id, only.id]] : [];
  });
  return Object.fromEntries(entries);
};

/** What a part names of the rest of the guild. */
export type References = {
  roles?: string[];
  channels?: (string | null)[];
  emojis?: (string | null)[];
};

/** Whether none of these is yet to be made: then the part can be compared with the target as it is. */
export const isSettled = (known: KnownIds, { roles, channels, emojis }: References): boolean => {
  const isComing = (sort: 'roles' | 'channels' | 'emojis', ids: (string | null)[] = []) =>
    ids.some((oldId) => oldId !== null && known.isComing(sort, oldId));
  return (
    !isComing('roles', roles) && !isComing('channels', channels) && !isComing('emojis', emojis)
  );
};

/** Whether the target has it, or will. */
export const willExist = (known: KnownIds, sort: 'roles' | 'channels', oldId: string): boolean =>
  known.map[sort][oldId] !== undefined ||
  (sort === 'channels' && known.map.standIns?.[oldId] !== undefined) ||
  known.isComing(sort, oldId);
