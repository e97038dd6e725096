import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { members } from '../../members/table.ts';
import { servers } from '../../servers/table.ts';
import { grants } from '../table.ts';

const { memberId, accountId, serverId, platformId, status, error } = grants;
type Owner = { memberId: string; accountId: string };
const ofOwner = (owner: Owner) => and(eq(memberId, owner.memberId), eq(accountId, owner.accountId));

/** Verifying again gives the role again: it may have been taken away meanwhile. */
export const putGrant = async (
  tx: Transaction,
  row: Owner & { serverId: string; platformId: string },
): Promise<void> => {
  const waiting = { status: 'waiting' as const, error: null, updatedAt: sql`now()` };
  await tx
    .insert(grants)
    .values(row)
    .onConflictDoUpdate({ target: memberId, set: waiting, setWhere: eq(accountId, row.accountId) });
};

/** What is to be done for somebody, by which bot; undefined where it is done or has no ground. */
export const findGrantToDo = async (db: Queryable, owner: Owner) => {
  const [grant] = await db
    .select({
      platformId,
      username: members.username,
      guildId: servers.platformGuildId,
      roleId: servers.verifiedRoleId,
      logChannelId: servers.logChannelId,
      botId: sql<string>`${servers.customBotId}`,
    })
    .from(grants)
    .innerJoin(members, eq(members.id, memberId))
    .innerJoin(servers, eq(servers.id, serverId))
    .where(and(ofOwner(owner), eq(status, 'waiting'), sql`${servers.deletedAt} is null`));
  return grant;
};

export const storeGrant = async (
  db: Queryable,
  owner: Owner,
  changes: { status: 'waiting' | 'done' | 'failed'; error: string | null },
): Promise<void> => {
  await db
    .update(grants)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(ofOwner(owner));
};

export const findGrantOf = async (
  db: Queryable,
  person: { accountId: string; serverId: string; platformId: string },
) => {
  const [grant] = await db
    .select({ status, error })
    .from(grants)
    .innerJoin(members, eq(members.id, memberId))
    .where(
      and(
        eq(members.serverId, person.serverId),
        eq(members.platformId, person.platformId),
        eq(accountId, person.accountId),
      ),
    );
  return grant;
};

export const purgeGrants = async (
  db: Queryable,
  ofServerId: string,
  most: number,
): Promise<number> => {
  const some = db.select({ memberId }).from(grants).where(eq(serverId, ofServerId)).limit(most);
  const gone = await db.delete(grants).where(inArray(memberId, some)).returning({ memberId });
  return gone.length;
};
