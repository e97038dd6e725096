import { isDeepStrictEqual } from 'node:util';
import type { BackupComponent, RestoreMode } from '@holdfast/contract';
import type { Role } from '../../../platform/guild.ts';
import { compareRank } from '../../../platform/permissions.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { appearanceFields } from '../plan/action.ts';
import { type IdMap, resolveRoles } from '../plan/id-map.ts';
import type { GuildState } from '../plan/step.ts';
import { compareChannels } from './channels.ts';
import type { Difference } from './describe-difference.ts';
import { compareBans, compareMembers } from './members-and-bans.ts';
import { compareParts } from './parts.ts';
import { compareSettings } from './settings.ts';

export type ComparedWay = {
  mode?: RestoreMode;
  deleteExtra?: boolean;
  isUndo?: boolean;
  now?: Date;
};

/**
 * Finds where a guild is not what the backup says. It reads the result alone and trusts no step.
 * Managed roles and other bots are not compared: they belong to their integrations. After a repair the
 * guild may have more than the backup knows.
 */
export const findDifferences = (
  snapshot: Snapshot,
  actual: GuildState,
  idMap: IdMap,
  components: readonly BackupComponent[],
  how: ComparedWay = {},
): Difference[] => {
  const isRepaired = how.mode === 'REPAIR';
  const mayHaveMore = isRepaired && !how.deleteExtra && !how.isUndo;
  const { now = new Date() } = how;
  const restores = (name: BackupComponent) =>
    components.includes(name) && snapshot[name] !== undefined;
  return [
    ...(restores('roles') ? compareRoles(snapshot, actual, idMap, mayHaveMore) : []),
    ...(restores('channels') ? compareChannels(snapshot, actual, idMap, mayHaveMore) : []),
    ...(restores('settings') ? compareSettings(snapshot, actual, idMap, restores('channels')) : []),
    ...(restores('bans') ? compareBans(snapshot, actual, isRepaired && !how.isUndo) : []),
    ...(restores('memberRoles') ? compareMembers(snapshot, actual, idMap, mayHaveMore) : []),
    ...(restores('emojis') ? compareEmojis(snapshot, actual, idMap, mayHaveMore) : []),
    ...(restores('stickers') ? compareStickers(snapshot, actual, idMap, mayHaveMore) : []),
    ...compareParts({ snapshot, actual, map: idMap, restores, mayHaveMore, now }),
  ];
};

type Compare = (
  snapshot: Snapshot,
  actual: GuildState,
  map: IdMap,
  mayHaveMore: boolean,
) => Difference[];

const compareRoles: Compare = (snapshot, actual, map, mayHaveMore) => {
  const saved = (snapshot.roles ?? []).filter(({ isManaged }) => !isManaged);
  const found = new Map(actual.roles.map((role) => [role.id, role]));
  const restoredIds = new Set(saved.map(({ id }) => map.roles[id]));
  const surplus = actual.roles.filter(
    ({ id, isManaged }) => !mayHaveMore && !isManaged && !restoredIds.has(id),
  );
  const pairs = saved.map((role) => ({ saved: role, now: found.get(map.roles[role.id] ?? '') }));
  return [
    ...pairs.flatMap((pair): Difference[] =>
      pair.now
        ? compareRole(pair.saved, pair.now, actual.guildId)
        : [{ type: 'role', name: pair.saved.name, code: 'missing' }],
    ),
    ...surplus.map(({ name }): Difference => ({ type: 'role', name, code: 'notInBackup' })),
    ...compareRoleOrder(pairs),
  ];
};

const compareRole = (saved: Role, now: Role, guildId: string): Difference[] => {
  const fields = now.id === guildId ? [] : appearanceFields;
  const differing = [
    ...fields.filter((field) => !isDeepStrictEqual(saved[field], now[field])),
    ...(BigInt(saved.permissions) === BigInt(now.permissions) ? [] : ['permissions' as const]),
  ];
  return differing.map((detail) => ({ type: 'role', name: saved.name, code: 'field', detail }));
};

type RolePair = { saved: Role; now: Role };

const compareRoleOrder = (pairs: { saved: Role; now: Role | undefined }[]): Difference[] => {
  const sorted = pairs
    .filter((pair): pair is RolePair => pair.now !== undefined)
    .sort((one, other) => compareRank(one.saved, other.saved));
  return sorted.flatMap(({ saved, now }, index): Difference[] => {
    const next = sorted[index + 1];
    if (!next || compareRank(now, next.now) <= 0) return [];
    return [{ type: 'role', name: saved.name, code: 'standsAbove', detail: next.saved.name }];
  });
};

const compareEmojis: Compare = (snapshot, actual, map, mayHaveMore) => {
  const type = 'emoji';
  const saved = (snapshot.emojis ?? []).filter(({ isManaged }) => !isManaged);
  const restoredIds = new Set(saved.map(({ id }) => map.emojis[id]));
  return [
    ...saved.flatMap(({ id, name, roleIds }): Difference[] => {
      const now = actual.emojis.find((emoji) => emoji.id === map.emojis[id]);
      if (!now) return [{ type, name, code: 'missing' }];
      const roles = new Set(resolveRoles(roleIds, map));
      const isSame = now.name === name && isDeepStrictEqual(roles, new Set(now.roleIds));
      return isSame ? [] : [{ type, name, code: 'differs' }];
    }),
    ...actual.emojis
      .filter(({ id, isManaged }) => !mayHaveMore && !isManaged && !restoredIds.has(id))
      .map(({ name }): Difference => ({ type, name, code: 'notInBackup' })),
  ];
};

const compareStickers: Compare = (snapshot, actual, map, mayHaveMore) => {
  const type = 'sticker';
  const saved = snapshot.stickers ?? [];
  const restoredIds = new Set(saved.map(({ id }) => map.stickers[id]));
  return [
    ...saved.flatMap(({ id, name, description, tags }): Difference[] => {
      const now = actual.stickers.find((sticker) => sticker.id === map.stickers[id]);
      if (!now) return [{ type, name, code: 'missing' }];
      const isSame = now.name === name && now.description === description && now.tags === tags;
      return isSame ? [] : [{ type, name, code: 'differs' }];
    }),
    ...actual.stickers
      .filter(({ id }) => !mayHaveMore && !restoredIds.has(id))
      .map(({ name }): Difference => ({ type, name, code: 'notInBackup' })),
  ];
};
