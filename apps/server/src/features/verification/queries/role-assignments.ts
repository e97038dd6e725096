import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { purgeByServer } from '../../../db/queries/purge-rows.ts';
import { members } from '../../members/table.ts';
import { servers } from '../../servers/table.ts';
import type { RoleTrouble } from '../rules.ts';
import { roleAssignments } from '../table.ts';

const { memberId, accountId, serverId, platformId, status, error } = roleAssignments;
type Owner = { memberId: string; accountId: string };
const ofOwner = (owner: Owner) => and(eq(memberId, owner.memberId), eq(accountId, owner.accountId));

/** A member who verifies again gets the role again: it may have been removed meanwhile. */
export const putRoleAssignment = async (
  tx: Transaction,
  row: Owner & { serverId: string; platformId: string },
): Promise<void> => {
  const waiting = { status: 'waiting' as const, error: null, updatedAt: sql`now()` };
  await tx
    .insert(roleAssignments)
    .values(row)
    .onConflictDoUpdate({ target: memberId, set: waiting, setWhere: eq(accountId, row.accountId) });
};

/** With the bot that is to do it; undefined if it is done, or its member or server is deleted. */
export const findWaitingAssignment = async (db: Queryable, owner: Owner) => {
  const [assignment] = await db
    .select({
      platformId,
      guildId: servers.platformGuildId,
      serverId,
      roleId: servers.verifiedRoleId,
      confirmedRole: servers.confirmedRole,
      missingRoleId: servers.missingRoleId,
      logChannelId: servers.logChannelId,
      botId: sql<string>`${servers.customBotId}`,
    })
    .from(roleAssignments)
    .innerJoin(members, eq(members.id, memberId))
    .innerJoin(servers, eq(servers.id, serverId))
    .where(and(ofOwner(owner), eq(status, 'waiting'), sql`${servers.deletedAt} is null`));
  return assignment;
};

/** Undefined for a member who was deleted. */
export const findAssignee = async (db: Queryable, owner: Owner) => {
  const [assignee] = await db
    .select({ serverId, platformId, username: members.username })
    .from(roleAssignments)
    .innerJoin(members, eq(members.id, memberId))
    .where(ofOwner(owner));
  return assignee;
};

/** Those who wait because the role would have given them power; they are no longer marked as such. */
export const takeWithheldMembers = async (
  tx: Transaction,
  server: { accountId: string; serverId: string },
  most: number,
): Promise<string[]> => {
  const isWithheld = and(
    eq(serverId, server.serverId),
    eq(accountId, server.accountId),
    eq(status, 'waiting'),
    eq(error, 'roleWithheld' satisfies RoleTrouble),
  );
  const some = tx
    .select({ memberId })
    .from(roleAssignments)
    .where(isWithheld)
    .limit(most)
    .for('update', { skipLocked: true });
  const taken = await tx
    .update(roleAssignments)
    .set({ error: null })
    .where(and(eq(accountId, server.accountId), inArray(memberId, some)))
    .returning({ memberId });
  return taken.map((row) => row.memberId);
};

export type WaitingAssignment = NonNullable<Awaited<ReturnType<typeof findWaitingAssignment>>>;

export const updateRoleAssignment = async (
  db: Queryable,
  owner: Owner,
  changes: { status: 'waiting' | 'done' | 'failed'; error: RoleTrouble | null },
): Promise<void> => {
  await db
    .update(roleAssignments)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(ofOwner(owner));
};

/** Undefined if the person is not a verified member. */
export const findAssignmentStatus = async (
  db: Queryable,
  person: { accountId: string; serverId: string; platformId: string },
) => {
  const [assignment] = await db
    .select({ status, error, consentedAt: members.consentedAt })
    .from(roleAssignments)
    .innerJoin(members, eq(members.id, memberId))
    .where(
      and(
        eq(members.serverId, person.serverId),
        eq(members.platformId, person.platformId),
        eq(accountId, person.accountId),
      ),
    );
  return assignment;
};

export const purgeRoleAssignments = purgeByServer(roleAssignments, memberId);

export const deleteRoleAssignments = async (
  tx: Transaction,
  memberIds: string[],
): Promise<void> => {
  if (memberIds.length > 0) {
    await tx.delete(roleAssignments).where(inArray(memberId, memberIds));
  }
};

/** Of all accounts: whether the verified role was given. */
export const listRoleAssignmentsOfPerson = (db: Queryable, ofPlatformId: string) =>
  db
    .select({ accountId, serverId, status, updatedAt: roleAssignments.updatedAt })
    .from(roleAssignments)
    .innerJoin(members, eq(members.id, memberId))
    .where(eq(members.platformId, ofPlatformId));
