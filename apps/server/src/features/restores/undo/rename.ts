import type { Overwrite } from '../../../platform/guild.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { RestoredSort } from '../../servers/table.ts';
import { channelSettings } from '../plan/action.ts';
import type { PlaceOf, Places } from './places.ts';
import type { UndoInput, UndoScope } from './scope.ts';
import type { ThingType } from './set-atoms.ts';

/** What has no other id keeps its own. */
export type SortIds = Partial<Record<RestoredSort, Record<string, string>>>;
/** By which ids things live now: what was deleted, by what made it again; and what the backup has. */
export type KnownIds = { again: SortIds; saved: SortIds };

export const sortOfType: Partial<Record<ThingType, RestoredSort>> = {
  ...{ channel: 'channels', role: 'roles', emoji: 'emojis', sticker: 'stickers' },
  ...{ webhook: 'webhooks', automod: 'automod', event: 'events', sound: 'soundboard' },
};

export const renameInput = (input: UndoInput, { again, saved }: KnownIds): UndoInput => {
  const { scope, backup, current } = input;
  const byHand = replacedIds(input, again);
  const live = merge(again, byHand);
  const everyone = { roles: { [backup.guildId]: current.guildId } };
  return {
    current,
    backup: renameBackup(backup, merge(merge(saved, byHand), everyone)),
    scope: withoutDeadRoles(
      input,
      newestOnly(renameScope(withoutMighty(input, scope), live, { again, saved })),
    ),
  };
};

const merge = (one: SortIds, other: SortIds): SortIds => {
  const sorts = [...Object.keys(one), ...Object.keys(other)] as RestoredSort[];
  return Object.fromEntries(sorts.map((sort) => [sort, { ...one[sort], ...other[sort] }]));
};

const liveRole = ({ current }: UndoInput, id: string | undefined) =>
  current.roles.find((role) => role.id === id);

/** Whether giving the role that somebody made by hand to all who had the old one gives them more. */
const isMighty = (input: UndoInput, { type, byHand, id, last }: UndoScope['deleted'][number]) => {
  if (type !== 'role') return false;
  const { backup, scope } = input;
  const before = scope.unknown ? undefined : backup.roles?.find((role) => role.id === id);
  const saved = before?.permissions;
  const had = BigInt(typeof last.permissions === 'string' ? last.permissions : (saved ?? '0'));
  return (BigInt(liveRole(input, byHand)?.permissions ?? 0) & ~had) !== 0n;
};

/** Such a role stays with those to whom it was given. */
const withoutMighty = (input: UndoInput, scope: UndoScope): UndoScope => ({
  ...scope,
  deleted: scope.deleted.filter((one) => one.byHand === undefined || !isMighty(input, one)),
});

/** What is said of a role that is neither there nor made again changes nothing. */
const withoutDeadRoles = (
  { current }: UndoInput,
  { deleted, changed, honest, ...scope }: UndoScope,
): UndoScope => {
  const roles = new Set([
    ...current.roles.map(({ id }) => id),
    ...deleted.filter(({ type }) => type === 'role').map(({ id }) => id),
  ]);
  const isDead = ({ key }: { key: string }) => {
    const [, id] = /^(?:overwrites\.role|roleIds)\.([^.]+)/.exec(key) ?? [];
    return id !== undefined && !roles.has(id);
  };
  return {
    ...{ ...scope, deleted },
    changed: changed.map((one) => ({ ...one, fields: one.fields.filter((of) => !isDead(of)) })),
    honest: honest?.map((one) => ({ ...one, fields: one.fields.filter((of) => !isDead(of)) })),
  };
};

const replacedIds = (input: UndoInput, again: SortIds): SortIds => {
  const ids: SortIds = {};
  for (const one of input.scope.deleted) {
    const sort = sortOfType[one.type];
    if (!sort || one.byHand === undefined || isMighty(input, one)) continue;
    if (again[sort]?.[one.id] === undefined) ids[sort] = { ...ids[sort], [one.id]: one.byHand };
  }
  return ids;
};

const renamed = (ids: Record<string, string> = {}, id: string): string => ids[id] ?? id;
const renamedOrNull = (ids: Record<string, string> | undefined, id: string | null) =>
  id === null ? null : renamed(ids, id);

const renameOverwrites = (overwrites: Overwrite[], ids: SortIds): Overwrite[] =>
  overwrites.map((one) => (one.kind === 'role' ? { ...one, id: renamed(ids.roles, one.id) } : one));

const renameBackup = (backup: Snapshot, ids: SortIds): Snapshot => {
  const idIn = (sort: RestoredSort) => (id: string) => renamed(ids[sort], id);
  const all = Object.assign({}, ...Object.values(ids)) as Record<string, string>;
  return {
    ...backup,
    roles: backup.roles?.map((role) => ({ ...role, id: idIn('roles')(role.id) })),
    channels: backup.channels?.map((channel) => ({
      ...channel,
      id: idIn('channels')(channel.id),
      parentId: renamedOrNull(ids.channels, channel.parentId),
      overwrites: renameOverwrites(channel.overwrites, ids),
      tags: channel.tags.map((tag) => ({
        ...tag,
        emojiId: renamedOrNull(ids.emojis, tag.emojiId),
      })),
      defaultReaction: channel.defaultReaction && {
        ...channel.defaultReaction,
        emojiId: renamedOrNull(ids.emojis, channel.defaultReaction.emojiId),
      },
    })),
    emojis: backup.emojis?.map((emoji) => ({
      ...{ ...emoji, id: idIn('emojis')(emoji.id), roleIds: emoji.roleIds.map(idIn('roles')) },
    })),
    stickers: backup.stickers?.map((one) => ({ ...one, id: idIn('stickers')(one.id) })),
    webhooks: backup.webhooks?.map((one) => ({
      ...{ ...one, id: idIn('webhooks')(one.id) },
      channelId: renamedOrNull(ids.channels, one.channelId),
    })),
    memberRoles: backup.memberRoles?.map((member) => ({
      ...{ ...member, roleIds: member.roleIds.map(idIn('roles')) },
    })),
    automod: renameIn(backup.automod, all),
    events: renameIn(backup.events, all),
    soundboard: renameIn(backup.soundboard, all),
    onboarding: renameIn(backup.onboarding, all),
    welcomeScreen: renameIn(backup.welcomeScreen, all),
    settings: backup.settings?.map((settings) => ({
      ...settings,
      ...Object.fromEntries(
        channelSettings.map((name) => [name, renamedOrNull(ids.channels, settings[name])]),
      ),
    })),
  };
};

const renameScope = (scope: UndoScope, ids: SortIds, { again, saved }: KnownIds): UndoScope => {
  // An earlier repair may have made again what the backup knows, and what others set in or about that.
  const older = Object.assign({}, ...Object.values(merge(saved, ids))) as Record<string, string>;
  const thing = <Of extends { type: ThingType; id: string }>(one: Of): Of => {
    const sort = sortOfType[one.type];
    return sort ? { ...one, id: renamed(ids[sort], one.id) } : one;
  };
  const nameKey = (key: string) =>
    key
      .split('.')
      .map((part) => renamed(older, part))
      .join('.');
  return {
    ...scope,
    lostRoles: scope.lostRoles?.map((id) => renamed(older, id)),
    ...(scope.places && { places: renamePlaces(scope.places, ids) }),
    created: scope.created.map(thing),
    deleted: scope.deleted.map(({ byHand, ...one }) => {
      const sort = sortOfType[one.type];
      // What an undo has made again since is no longer replaced by anything.
      const isByHand = byHand !== undefined && (!sort || again[sort]?.[one.id] === undefined);
      return { ...thing(one), last: renameIn(one.last, older), ...(isByHand && { byHand }) };
    }),
    changed: scope.changed.map((one) => ({
      ...thing(one),
      fields: one.fields.map(({ key, before, ...field }) => ({
        ...field,
        key: nameKey(key),
        before: renameIn(before, older),
      })),
    })),
    honest: scope.honest?.map((one) => ({
      ...thing(one),
      id: renamed(sortOfType[one.type] ? older : {}, one.id),
      fields: one.fields.map(({ key, value, serial }) => ({
        key: nameKey(key),
        serial,
        value: renameIn(value, older),
      })),
    })),
  };
};

/** What is known of one field by several ids was set at several times. */
const newestOnly = ({ changed, honest = [], ...scope }: UndoScope): UndoScope => {
  const last = new Map<string, number>();
  const fieldOf = ({ type, id }: { type: ThingType; id: string }, key: string) =>
    `${type} ${id} ${key}`;
  for (const one of [...changed, ...honest]) {
    for (const { key, serial = 0 } of one.fields) {
      const field = fieldOf(one, key);
      last.set(field, Math.max(serial, last.get(field) ?? 0));
    }
  }
  const newest = <
    Field extends { key: string; serial?: number },
    Of extends { type: ThingType; id: string },
  >(
    things: readonly (Of & { fields: Field[] })[],
  ) =>
    things.map((one) => ({
      ...one,
      fields: one.fields.filter(
        ({ key, serial }) => serial === undefined || serial === last.get(fieldOf(one, key)),
      ),
    }));
  return { ...scope, changed: newest(changed), honest: newest(honest) };
};

const renamePlaces = ({ before, during, ...rest }: Places, ids: SortIds): Places => {
  const rename = (place: PlaceOf): PlaceOf => ({
    ...place,
    id: renamed(place.type === 'role' ? ids.roles : ids.channels, place.id),
    parentId: renamedOrNull(ids.channels, place.parentId),
  });
  return { ...rest, before: before.map(rename), during: during.map(rename) };
};

/** Every text that is such an id: none of them is anything else. */
const renameIn = <Value>(value: Value, ids: Record<string, string>): Value => {
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return renamed(ids, part);
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, walk(one)]));
  };
  // Texts become texts, and everything else stays what it is.
  return walk(value) as Value;
};
