import { isDeepStrictEqual } from 'node:util';
import type { BackupComponent } from '@holdfast/contract';
import type { Snapshot } from '../backups/snapshot.ts';
import type { IdMap } from './id-map.ts';
import { nameMember } from './plan-people.ts';
import type { PresentGuild } from './step.ts';

export const peopleDifferences = (
  desired: Snapshot,
  actual: PresentGuild,
  map: IdMap,
  restores: (name: BackupComponent) => boolean,
): string[] => [
  ...(restores('bans') ? banDifferences(desired, actual) : []),
  ...(restores('memberRoles') ? memberDifferences(desired, actual, map) : []),
];

const banDifferences = (desired: Snapshot, actual: PresentGuild): string[] => {
  const wanted = new Set(desired.bans?.map(({ userId }) => userId));
  const now = new Set(actual.bans?.map(({ userId }) => userId));
  return [
    ...[...wanted.difference(now)].map((userId) => `${userId} is not banned`),
    ...[...now.difference(wanted)].map((userId) => `${userId} is banned, but not in the backup`),
  ];
};

/** Only people who are here, and only roles that can be given. */
const memberDifferences = (desired: Snapshot, actual: PresentGuild, map: IdMap): string[] => {
  const here = new Map(actual.members?.map((member) => [member.userId, member]));
  const givable = new Set(actual.roles.filter(({ isManaged }) => !isManaged).map(({ id }) => id));
  return (desired.memberRoles ?? []).flatMap((wanted) => {
    const now = here.get(wanted.userId);
    if (!now || wanted.isBot) return [];
    const expected = wanted.roleIds.flatMap((id) => map.roles[id] ?? []);
    const isSame = isDeepStrictEqual(
      new Set(expected.filter((id) => givable.has(id))),
      new Set(now.roleIds.filter((id) => givable.has(id))),
    );
    return [
      ...(isSame ? [] : [`${nameMember(wanted)} has other roles`]),
      ...(wanted.nick === now.nick ? [] : [`${wanted.userId} has another nickname`]),
    ];
  });
};
