import { isDeepStrictEqual } from 'node:util';
import type { BackupComponent } from '@holdfast/contract';
import { type Action, isPartAction } from './action.ts';
import { describeChanges } from './describe-changes.ts';
import { type IdMap, resolveRef } from './id-map.ts';
import { membersById } from './members-and-bans.ts';
import { livePartKey, livePartKeys } from './parts/describe-parts.ts';
import { withComing } from './parts/known-ids.ts';
import type { PlanContext } from './plan-context.ts';
import type { FieldChange, PlannedUpdate, RestorePlan, Step } from './step.ts';

/** What the steps come to, thing by thing: what is updated, in which fields, and how much stays. */
export const summarizeSteps = (
  context: PlanContext,
  steps: Step[],
  idMap: IdMap,
): Pick<RestorePlan, 'updates' | 'keep'> => {
  const deleted = new Set(
    steps.filter(({ effect }) => effect === 'delete').map(({ action }) => liveKey(action, idMap)),
  );
  const updates = new Map<string, PlannedUpdate>();
  const plain = { ...context, idMap, members: membersById(context) };
  const ofParts = { ...plain, idMap: withComing(context, idMap) };
  for (const { action, effect, type, name } of steps) {
    const key = liveKey(action, idMap) ?? `${type} ${name}`;
    if (effect !== 'update' || deleted.has(key) || isOfNew(action, idMap)) continue;
    const update = updates.get(key) ?? { type, name, changes: [] };
    const scope = isPartAction(action) ? ofParts : plain;
    const changes = mergeChanges(update.changes, describeChanges(scope, action));
    updates.set(key, { ...update, changes });
  }
  const changed = [...updates].filter(([, { changes }]) => changes.length > 0);
  const touched = new Set([...deleted, ...changed.map(([key]) => key)]);
  return {
    updates: changed.map(([, update]) => update),
    keep: liveKeys(context).filter((key) => !touched.has(key)).length,
  };
};

/** The thing of the target that an action edits or deletes; undefined for those about no single thing. */
const liveKey = (action: Action, idMap: IdMap): string | undefined => {
  if (isPartAction(action)) return livePartKey(action, idMap);
  const { roles, channels } = idMap;
  switch (action.do) {
    case 'editRole':
      return `role ${resolveRef(roles, action.role)}`;
    case 'deleteRole':
      return `role ${action.roleId}`;
    case 'editChannel':
    case 'setOverwrites':
      return `channel ${resolveRef(channels, action.channel)}`;
    case 'deleteChannel':
      return `channel ${action.channelId}`;
    case 'editEmoji':
    case 'deleteEmoji':
      return `emoji ${action.emojiId}`;
    case 'editSticker':
    case 'deleteSticker':
      return `sticker ${action.stickerId}`;
    case 'unban':
      return `ban ${action.userId}`;
    case 'editMember':
      return `member ${action.userId}`;
    case 'editSettings':
      return 'settings';
    default:
      return undefined;
  }
};

/** A later step of something that the restore creates. */
const isOfNew = (action: Action, { roles, channels }: IdMap): boolean => {
  if (action.do === 'editRole' || action.do === 'setRoleIcon') {
    return resolveRef(roles, action.role) === undefined;
  }
  const isOfChannel = action.do === 'setOverwrites' || action.do === 'editChannel';
  return isOfChannel && resolveRef(channels, action.channel) === undefined;
};

/** Of several changes of one field, the first knows what it was and the last what it will be. */
const mergeChanges = (earlier: FieldChange[], later: FieldChange[]): FieldChange[] => {
  const merged = new Map(earlier.map((change) => [change.field, change]));
  for (const change of later) {
    const from = merged.get(change.field)?.from ?? change.from;
    merged.set(change.field, { ...change, from });
  }
  return [...merged.values()].filter(({ from, to }) => !isDeepStrictEqual(from, to));
};

const liveKeys = (context: PlanContext): string[] => {
  const { current, restores } = context;
  const keysOf = (component: BackupComponent, type: string, ids: string[]) =>
    restores(component) ? ids.map((id) => `${type} ${id}`) : [];
  const idsOf = (things: { id: string }[]) => things.map(({ id }) => id);
  const usersOf = (people: { userId: string }[] = []) => people.map(({ userId }) => userId);
  return [
    ...keysOf('roles', 'role', idsOf(current.roles)),
    ...keysOf('channels', 'channel', idsOf(current.channels)),
    ...keysOf('emojis', 'emoji', idsOf(current.emojis)),
    ...keysOf('stickers', 'sticker', idsOf(current.stickers)),
    ...keysOf('bans', 'ban', usersOf(current.bans)),
    ...keysOf('memberRoles', 'member', usersOf(current.members)),
    ...livePartKeys(context),
  ];
};
