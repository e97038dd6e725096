import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Queryable } from '../../db/connect.ts';
import { firstRow } from '../../db/queries/rows.ts';
import { holdsPerson, isPartOfBackup, type PersonHash } from '../backups/erasure/queries.ts';
import { backupBlobs, backups, blobPeople } from '../backups/table.ts';
import { profileFields } from '../members/queries/person.ts';
import { leftAt } from '../members/queries/seen.ts';
import { members, seenMembers } from '../members/table.ts';
import { pullMembers, pulls } from '../pulls/table.ts';
import { appeals, roleAssignments } from '../verification/table.ts';

type Server = { id: string; accountId: string };
type OfMember = { accountId: string; memberId: string };

export const findMember = (db: Queryable, server: Server, memberId: string) =>
  firstRow(
    db
      .select({
        ...{ id: members.id, platformId: members.platformId, pullable: members.pullable, leftAt },
        ...profileFields,
        seen: {
          roleIds: seenMembers.roleIds,
          nick: seenMembers.nick,
          joinedAt: seenMembers.joinedAt,
          seenAt: seenMembers.rolesSeenAt,
        },
      })
      .from(members)
      .leftJoin(seenMembers, eq(seenMembers.memberId, members.id))
      .where(
        and(
          eq(members.id, memberId),
          eq(members.serverId, server.id),
          eq(members.accountId, server.accountId),
        ),
      ),
  );

/** Of each of these people the membership that was verified last, on whichever server of the account. */
export const findNamesOf = async (db: Queryable, ofAccount: string, platformIds: string[]) => {
  if (platformIds.length === 0) return [];
  const { id, serverId, accountId, platformId, verifiedAt } = members;
  const { username, displayName, avatarUrl } = members;
  return db
    .selectDistinctOn([platformId], {
      ...{ id, serverId, platformId, username, displayName, avatarUrl },
    })
    .from(members)
    .where(and(eq(accountId, ofAccount), inArray(platformId, platformIds)))
    .orderBy(platformId, desc(verifiedAt));
};

export const findAssignment = (db: Queryable, { accountId, memberId }: OfMember) => {
  const { status, error, updatedAt } = roleAssignments;
  return firstRow(
    db
      .select({ status, error, updatedAt })
      .from(roleAssignments)
      .where(and(eq(roleAssignments.memberId, memberId), eq(roleAssignments.accountId, accountId))),
  );
};

/** Newest first. */
export const listAppealsOn = (
  db: Queryable,
  person: { accountId: string; serverId: string; platformId: string },
  most: number,
) => {
  const { id, reason, status, createdAt } = appeals;
  return db
    .select({ id, reason, status, createdAt })
    .from(appeals)
    .where(
      and(
        eq(appeals.platformId, person.platformId),
        eq(appeals.accountId, person.accountId),
        eq(appeals.serverId, person.serverId),
      ),
    )
    .orderBy(desc(createdAt), desc(id))
    .limit(most);
};

/** Newest first, with how they ended for the member. */
export const listPullsOf = (db: Queryable, { accountId, memberId }: OfMember, most: number) =>
  db
    .select({ id: pulls.id, createdAt: pulls.createdAt, result: pullMembers.result })
    .from(pullMembers)
    .innerJoin(pulls, eq(pulls.id, pullMembers.pullId))
    .where(and(eq(pullMembers.memberId, memberId), eq(pulls.accountId, accountId)))
    .orderBy(desc(pulls.createdAt), desc(pulls.id))
    .limit(most);

/** Newest first. */
export const listBackupsWithPerson = (
  db: Queryable,
  { accountId, serverId }: { accountId: string; serverId: string },
  person: PersonHash,
  most: number,
) =>
  db
    .select({
      id: backups.id,
      name: backups.name,
      kind: backups.kind,
      createdAt: backups.createdAt,
      sections: sql<string[]>`array_agg(distinct ${blobPeople.section})`,
    })
    .from(blobPeople)
    .innerJoin(backupBlobs, isPartOfBackup)
    .innerJoin(backups, eq(backups.id, backupBlobs.backupId))
    .where(
      and(
        holdsPerson(db, accountId, person),
        eq(backups.accountId, accountId),
        eq(backups.serverId, serverId),
        eq(backups.status, 'completed'),
      ),
    )
    .groupBy(backups.id)
    .orderBy(desc(backups.createdAt), desc(backups.id))
    .limit(most);
