import { and, eq, exists, inArray, isNotNull, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import { members } from '../../members/table.ts';
import { ofOwner, type PullOwner } from '../queries/pulls.ts';
import { pullMemberRoles, pullMembers, pulls } from '../table.ts';
import type { SavedRoles, Unrestored } from './map-roles.ts';

type SavedMember = { userId: string; nick: string | null; roleIds: string[] };

/**
 * Stores what a backup has of those of these people who are still to be pulled. People who are being
 * erased at this moment are left out; the others cannot be until the commit.
 */
export const insertSavedMembers = async (
  tx: Transaction,
  owner: PullOwner,
  saved: readonly SavedMember[],
): Promise<void> => {
  const people = saved.map(({ userId, nick, roleIds }) => ({
    user_id: userId,
    nick,
    role_ids: roleIds,
  }));
  await tx.execute(sql`
    with found as (
      select ${pullMembers.pullId} as pull_id, ${pullMembers.seq} as seq, ${members.id} as member_id,
        person.nick, person.role_ids
      from jsonb_to_recordset(${JSON.stringify(people)}::text::jsonb) as person (user_id text, nick text, role_ids jsonb)
      join ${pulls} on ${ofOwner(owner)}
      join ${members} on ${members.serverId} = ${pulls.serverId}
        and ${members.accountId} = ${pulls.accountId} and ${members.platformId} = person.user_id
      join ${pullMembers} on ${pullMembers.pullId} = ${pulls.id}
        and ${pullMembers.memberId} = ${members.id} and ${pullMembers.result} is null
      order by ${members.id}
      for key share of ${members}
    )
    insert into ${pullMemberRoles} (pull_id, seq, member_id, nick, role_ids)
    select * from found on conflict do nothing`);
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

/** Of members who have a result by now, of these. */
export const deleteSavedMembers = async (
  db: Queryable,
  owner: PullOwner,
  seqs: readonly number[],
): Promise<void> => {
  const ended = db
    .select({ seq: pullMembers.seq })
    .from(pullMembers)
    .innerJoin(pulls, eq(pulls.id, pullMembers.pullId))
    .where(
      and(
        ofOwner(owner),
        eq(pullMembers.pullId, pullMemberRoles.pullId),
        eq(pullMembers.seq, pullMemberRoles.seq),
        isNotNull(pullMembers.result),
      ),
    );
  await db
    .delete(pullMemberRoles)
    .where(and(ofPull(owner), inArray(pullMemberRoles.seq, [...seqs]), exists(ended)));
};

type RolesOfPull = {
  rolesFromBackupId?: string | null;
  savedRoles?: SavedRoles;
  unrestored?: Unrestored[];
};

export const storeRolesOfPull = async (tx: Transaction, owner: PullOwner, roles: RolesOfPull) => {
  await tx.update(pulls).set(roles).where(ofOwner(owner));
};

export const countRefusedRoles = async (tx: Transaction, owner: PullOwner) => {
  await tx
    .update(pulls)
    .set({ rolesRefused: sql`${pulls.rolesRefused} + 1` })
    .where(ofOwner(owner));
};
