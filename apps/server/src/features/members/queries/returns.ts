import { and, asc, eq, isNotNull, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import { servers } from '../../servers/table.ts';
import { members, seenMembers } from '../table.ts';

type Owned = { accountId: string; serverId: string };

const { memberId, accountId, serverId, guildId, returnedAt, roleIds, nick } = seenMembers;

export type ReturnedMember = Awaited<ReturnType<typeof listReturned>>[number];

const ofServer = (owner: Owned) =>
  and(eq(serverId, owner.serverId), eq(accountId, owner.accountId), isNotNull(returnedAt));

/** Those who still are to get what they had, the longest waiting first. */
export const listReturned = (db: Queryable, owner: Owned, most: number) =>
  db
    .select({
      ...{ memberId, guildId, roleIds, nick, platformId: members.platformId },
      returnedAt: sql<Date>`${returnedAt}`.mapWith(returnedAt),
      leftAt: seenMembers.leftAt,
      rolesSeenAt: seenMembers.rolesSeenAt,
    })
    .from(seenMembers)
    .innerJoin(members, eq(members.id, memberId))
    .where(ofServer(owner))
    .orderBy(asc(returnedAt), asc(memberId))
    .limit(most);

type Returned = Owned & Pick<ReturnedMember, 'memberId' | 'returnedAt'>;

const ofReturn = (one: Returned) =>
  and(ofServer(one), eq(memberId, one.memberId), eq(returnedAt, one.returnedAt));

/** Whether the same return still waits, and its member may get something. */
export const isReturnDue = (db: Queryable, one: Returned): Promise<boolean> =>
  hasRows(
    db
      .select({ memberId })
      .from(seenMembers)
      .innerJoin(members, eq(members.id, memberId))
      .where(and(ofReturn(one), isNotNull(members.consentedAt), eq(members.blacklisted, false))),
  );

/** They are there, with what was given; nothing changes where they have left again. */
export const endReturn = async (
  tx: Transaction,
  one: Returned,
  has?: { roleIds: string[]; nick: string | null },
): Promise<void> => {
  await tx
    .update(seenMembers)
    .set({
      leftAt: null,
      returnedAt: null,
      ...(has && { ...has, rolesSeenAt: sql`clock_timestamp()` }),
    })
    .where(ofReturn(one));
};

/** Whoever has waited for so long is not surprised by it any more. */
export const endOldReturns = async (db: Queryable, before: Date): Promise<void> => {
  await db
    .update(seenMembers)
    .set({ leftAt: null, returnedAt: null })
    .where(and(isNotNull(returnedAt), lt(returnedAt, before)));
};

export const endReturnsOfServer = async (db: Queryable, owner: Owned): Promise<void> => {
  await db.update(seenMembers).set({ leftAt: null, returnedAt: null }).where(ofServer(owner));
};

/** Servers where somebody has waited since before that moment. */
export const listServersWithReturns = (db: Queryable, before: Date, most: number) =>
  db
    .selectDistinct({
      ...{ accountId, serverId },
      botId: sql<string>`${servers.customBotId}`,
    })
    .from(seenMembers)
    .innerJoin(servers, eq(servers.id, serverId))
    .where(and(isNotNull(returnedAt), lt(returnedAt, before), isNotNull(servers.customBotId)))
    .limit(most);
