import { isDeepStrictEqual } from 'node:util';
import type { Role } from '../../../platform/guild.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { type IdMap, resolveRoles } from '../plan/id-map.ts';
import { nameMember, timeOutOf } from '../plan/members-and-bans.ts';
import type { GuildState } from '../plan/step.ts';
import type { Difference } from './describe-difference.ts';

/** A repair leaves bans that were made since the backup. Bans that were not read are not compared. */
export const compareBans = (
  snapshot: Snapshot,
  actual: GuildState,
  isRepaired: boolean,
): Difference[] => {
  if (!actual.bans) return [];
  const saved = new Set(snapshot.bans?.map(({ userId }) => userId));
  const now = new Set(actual.bans.map(({ userId }) => userId));
  const differencesOf = (userIds: Set<string>, code: 'notBanned' | 'bannedSince') =>
    [...userIds].map((userId): Difference => ({ type: 'ban', name: userId, code }));
  return [
    ...differencesOf(saved.difference(now), 'notBanned'),
    ...(isRepaired ? [] : differencesOf(now.difference(saved), 'bannedSince')),
  ];
};

/** Compares only people who are in the guild, and only roles that can be given. */
export const compareMembers = (
  snapshot: Snapshot,
  actual: GuildState,
  map: IdMap,
  mayHaveMore: boolean,
): Difference[] => {
  const members = new Map(actual.members?.map((member) => [member.userId, member]));
  const known = new Set(snapshot.roles?.map(({ id }) => map.roles[id]));
  const isCompared = ({ id, isManaged }: Role) => !isManaged && (!mayHaveMore || known.has(id));
  const givable = new Set(actual.roles.filter(isCompared).map(({ id }) => id));
  const onlyGivable = (ids: string[]) => new Set(ids.filter((id) => givable.has(id)));
  return (snapshot.memberRoles ?? []).flatMap((saved): Difference[] => {
    const { userId } = saved;
    const now = members.get(userId);
    if (!now || saved.isBot) return [];
    const isSame = isDeepStrictEqual(
      onlyGivable(resolveRoles(saved.roleIds, map)),
      onlyGivable(now.roleIds),
    );
    const name = nameMember(saved);
    return [
      ...(isSame ? [] : [{ type: 'member', name, code: 'memberRoles' } as const]),
      ...(saved.nick === now.nick ? [] : [{ type: 'member', name: userId, code: 'nick' } as const]),
      ...(saved.timedOutUntil === undefined || timeOutOf(saved) === timeOutOf(now)
        ? []
        : [{ type: 'member', name: userId, code: 'timeOut' } as const]),
    ];
  });
};
