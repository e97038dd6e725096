import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import { members } from '../../members/table.ts';
import { markPulls, ofOwner, type PullOwner } from '../queries/pulls.ts';
import { pullMemberRoles, pullMembers, pulls } from '../table.ts';
import type { SavedRoles, Unrestored } from './map-roles.ts';

type SavedMember = { userId: string; nick: string | null; roleIds: string[] };

/**
 * Stores what a backup has of those of these people who are still to be pulled. People who are being
 * erased at this moment are left out; the others cannot be until the commit.
 *
 * The offsets keep the order of the lookups: right after the selection PostgreSQL does not know yet how
 * many members the pull has, and would read all of them for each page.
 */
export const insertSavedMembers = async (
  tx: Transaction,
  owner: PullOwner,
  saved: readonly SavedMember[],
): Promise<void> => {
  const people = JSON.stringify(
    saved.map(({ userId, nick, roleIds }) => ({ user_id: userId, nick, role_ids: roleIds })),
  );
  await tx.execute(sql`
    insert into ${pullMemberRoles} (pull_id, seq, member_id, nick, role_ids)
    select ${pulls.id}, place.seq, member.id, person.nick, person.role_ids
    from ${pulls}
    cross join jsonb_to_recordset(${people}::text::jsonb)
      as person (user_id text, nick text, role_ids jsonb)
    cross join lateral (
      select ${members.id} as id from ${members}
      where ${members.serverId} = ${pulls.serverId} and ${members.accountId} = ${pulls.accountId}
        and ${members.platformId} = person.user_id
      offset 0 for key share
    ) as member
    cross join lateral (
      select ${pullMembers.pullId} as pull_id, ${pullMembers.seq} as seq,
        ${pullMembers.result} as result
      from ${pullMembers} where ${pullMembers.memberId} = member.id offset 0
    ) as place
    where ${ofOwner(owner)} and place.pull_id = ${pulls.id} and place.result is null
    on conflict do nothing`);
};

const ofPull = ({ pullId }: PullOwner) => eq(pullMemberRoles.pullId, pullId);

/** The roles that the pull's members had in the backup. */
export const listSavedRoleIds = async (db: Queryable, owner: PullOwner): Promise<string[]> => {
  const rows = await db
    .selectDistinct({ id: sql<string>`jsonb_array_elements_text(${pullMemberRoles.roleIds})` })
    .from(pullMemberRoles)
    .innerJoin(pulls, eq(pulls.id, pullMemberRoles.pullId))
    .where(ofOwner(owner));
  return rows.map(({ id }) => id);
};

export const hasSavedNickname = (db: Queryable, owner: PullOwner): Promise<boolean> =>
  hasRows(
    db
      .select({ seq: pullMemberRoles.seq })
      .from(pullMemberRoles)
      .innerJoin(pulls, eq(pulls.id, pullMemberRoles.pullId))
      .where(and(ofOwner(owner), isNotNull(pullMemberRoles.nick)))
      .limit(1),
  );

/** Of those of these members who have a result by now. */
export const deleteSavedMembers = async (
  db: Queryable,
  owner: PullOwner,
  seqs: readonly number[],
): Promise<void> => {
  const ended = await db
    .select({ seq: pullMembers.seq })
    .from(pullMembers)
    .innerJoin(pulls, eq(pulls.id, pullMembers.pullId))
    .where(and(ofOwner(owner), inArray(pullMembers.seq, [...seqs]), isNotNull(pullMembers.result)));
  const endedSeqs = ended.map(({ seq }) => seq);
  if (endedSeqs.length === 0) return;
  await db
    .delete(pullMemberRoles)
    .where(and(ofPull(owner), inArray(pullMemberRoles.seq, endedSeqs)));
};

type RolesOfPull = {
  rolesFromBackupId?: string | null;
  savedRoles?: SavedRoles;
  unrestored?: Unrestored[];
};

export const storeRolesOfPull = async (tx: Transaction, owner: PullOwner, roles: RolesOfPull) => {
  const changed = await tx
    .update(pulls)
    .set(roles)
    .where(ofOwner(owner))
    .returning({ serverId: pulls.serverId });
  markPulls(tx, owner, changed);
};

export const countRefusedRoles = async (tx: Transaction, owner: PullOwner) => {
  await tx
    .update(pulls)
    .set({ rolesRefused: sql`${pulls.rolesRefused} + 1` })
    .where(ofOwner(owner));
};
