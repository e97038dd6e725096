import { type Channel, channel, type Overwrite, role } from '../../../platform/guild.ts';
import { compareRank, dangerous, permission, without } from '../../../platform/permissions.ts';
import type { SectionEntry } from '../../backups/snapshot/snapshot.ts';
import { byPosition, sortingGroup } from '../plan/channel-kinds.ts';
import { withoutGains } from './history.ts';
import { placeLikeBackup } from './place-like-backup.ts';
import { savedPlaces, sortMoved } from './places.ts';
import type { UndoInput } from './scope.ts';
import { idsOf, placesIn, wantedOf } from './wanted-things.ts';

const plainRole = {
  ...{ name: 'role', colors: { primary: 0, secondary: null, tertiary: null }, position: 1 },
  ...{ isHoisted: false, isMentionable: false, isManaged: false, botId: null, permissions: '0' },
  ...{ iconHash: null, unicodeEmoji: null },
};

export const wantedRoles = (input: UndoInput): SectionEntry<'roles'>[] => {
  const { backup, current, scope } = input;
  const saved = backup.roles ?? [];
  const iconOf = (id: string, hash: string | null) =>
    saved.find((one) => one.id === id && one.iconHash === hash)?.icon;
  const roles = wantedOf(input, {
    ...{ type: 'role', live: current.roles, saved, schema: role, blank: plainRole },
  }).map((one) => ({
    ...one,
    icon: iconOf(one.id, one.iconHash) ?? null,
  }));
  const stood = savedPlaces(scope, 'role', saved);
  const moved = sortMoved(scope, {
    ...{ type: 'role', live: current.roles, stood, groupOf: () => 'roles', compare: compareRank },
  });
  return placeLikeBackup(roles, {
    ...{ ...placesIn(scope, 'role', moved.theirs), compare: compareRank, newComeFirst: true },
    saved: stood.filter(({ id }) => !moved.since.has(id)),
  });
};

const plainChannel = {
  ...{ kind: 'text', name: 'channel', parentId: null, position: 0, overwrites: [], flags: 0 },
  ...{ isAgeRestricted: false, topic: null, slowModeSeconds: 0, bitrate: null, userLimit: null },
  ...{ rtcRegion: null, videoQualityMode: null, threadArchiveMinutes: null, tags: [] },
  ...{ threadSlowModeSeconds: null, defaultReaction: null, defaultSortOrder: null },
  ...{ defaultForumLayout: null },
};

export const wantedChannels = (input: UndoInput): Channel[] => {
  const { backup, current, scope } = input;
  const saved = backup.channels ?? [];
  // Where the backup does not know it, it comes last, as a new one does.
  const position = Math.max(-1, ...current.channels.map((one) => one.position)) + 1;
  const overwrites = scope.unknown ? closed([], current.guildId) : [];
  const blank = { ...plainChannel, overwrites, position };
  const left = new Set(scope.left);
  const hasLeft = (userId: string) => left.has(userId);
  const channels = wantedOf(input, {
    ...{ type: 'channel', live: current.channels, schema: channel, blank },
    // Whoever was put out is allowed again only what they were given since.
    saved: saved.map((one) => ({ ...one, overwrites: withoutGains(one.overwrites, hasLeft) })),
    complete: (one) => withLostOverwrites(input, one),
  }).map((one) => withoutPower(input, one));
  const there = new Set(channels.map(({ id }) => id));
  const stood = savedPlaces(scope, 'channel', saved);
  const { theirs, since } = sortMoved(scope, {
    ...{ type: 'channel', live: current.channels, stood },
    ...{ groupOf: siblingsOf, compare: byPosition },
  });
  const places = placesIn(scope, 'channel', theirs);
  const savedParentOf = (id: string) => stood.find((one) => one.id === id)?.parentId ?? null;
  const known = stood.filter(({ id }) => !since.has(id));
  const isPlaced = (id: string) =>
    (places.isMade(id) || places.isMovable(id)) && known.some((one) => one.id === id);
  const lost = idsOf(scope.deleted, 'channel');
  const made = idsOf(scope.created, 'channel');
  const moved = channels.map((one) => {
    const before = savedParentOf(one.id);
    // Channels of a category that is deleted stand outside, and moves are not in the audit log.
    const lostParent = one.parentId === null ? lost.has(before ?? '') : made.has(one.parentId);
    const parentId = lostParent || isPlaced(one.id) ? before : one.parentId;
    return { ...one, parentId: parentId !== null && there.has(parentId) ? parentId : null };
  });
  return [...Map.groupBy(moved, siblingsOf).values()].flatMap((group) =>
    placeLikeBackup(group, { ...places, saved: known, compare: byPosition, newComeFirst: false }),
  );
};

/** Nobody sees it, whoever was let in once, until its owner has looked at it. */
export const closed = (overwrites: readonly Overwrite[], everyoneId: string): Overwrite[] => {
  const denials = overwrites.map((one) => ({ ...one, allow: '0' }));
  const ofEveryone = denials.find(({ id }) => id === everyoneId);
  const deny = (BigInt(ofEveryone?.deny ?? 0) | permission.viewChannel).toString();
  const others = denials.filter(({ id, deny: denied }) => id !== everyoneId && denied !== '0');
  return [{ id: everyoneId, kind: 'role', allow: '0', deny }, ...others];
};

/** An attacker is given nothing: what gives them power by themselves does not come back. */
const withoutPower = ({ scope, current }: UndoInput, one: Channel): Channel => {
  const now = current.channels.find(({ id }) => id === one.id)?.overwrites ?? [];
  const overwrites = one.overwrites.map((overwrite) => {
    const { kind, id, allow } = overwrite;
    if (kind !== 'member' || !scope.executors.includes(id)) return overwrite;
    const has = now.find((other) => other.kind === kind && other.id === id);
    const gained = without(BigInt(allow), BigInt(has?.allow ?? 0)) & dangerous;
    return { ...overwrite, allow: without(BigInt(allow), gained).toString() };
  });
  return { ...one, overwrites };
};

const siblingsOf = (one: Channel): string => `${one.parentId} ${sortingGroup(one)}`;

/** A role that is deleted takes its overwrites with it, of which the audit log says nothing. */
const withLostOverwrites = ({ backup, current, scope }: UndoInput, one: Channel): Channel => {
  const lost = idsOf(scope.deleted, 'role');
  // The repair of another attack has made them again, when this channel was not there.
  if (idsOf(scope.deleted, 'channel').has(one.id)) {
    for (const id of scope.lostRoles ?? []) {
      if (current.roles.some((role) => role.id === id)) lost.add(id);
    }
  }
  const saved = backup.channels?.find(({ id }) => id === one.id)?.overwrites ?? [];
  const missing = saved.filter(
    ({ id, kind }) =>
      kind === 'role' &&
      lost.has(id) &&
      !one.overwrites.some((other) => other.kind === kind && other.id === id),
  );
  return missing.length === 0 ? one : { ...one, overwrites: [...one.overwrites, ...missing] };
};
