import { and, desc, eq, gt, inArray, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { deleteSome, purgeByServer } from '../../../db/queries/purge-rows.ts';
import { authorizations } from '../table.ts';

const { stateHash, serverId, expiresAt } = authorizations;

const validMs = 10 * 60 * 1000;
const mostPerServer = 5000;
/** More than one, since newcomers who begin at the same moment may each skip the other's rows. */
const deletedAtATime = 20;

type NewAuthorization = Omit<typeof authorizations.$inferInsert, 'expiresAt' | 'usedAt'>;

/**
 * Keeps the newest `mostPerServer` of the server and deletes the oldest. Refusing newcomers instead
 * would let a few addresses close the server to everyone.
 */
export const insertAuthorization = async (db: Queryable, row: NewAuthorization): Promise<void> => {
  await deleteOldest(db, row.serverId);
  const validUntil = sql<Date>`now() + make_interval(secs => ${validMs / 1000})`;
  await db.insert(authorizations).values({ ...row, expiresAt: validUntil });
};

const deleteOldest = async (db: Queryable, ofServerId: string): Promise<void> => {
  const newestInExcess = db
    .select({ expiresAt })
    .from(authorizations)
    .where(eq(serverId, ofServerId))
    .orderBy(desc(expiresAt))
    .offset(mostPerServer - 1)
    .limit(1);
  // Skips rows that another newcomer is deleting, and rows that are being claimed at this moment.
  const inExcess = db
    .select({ stateHash })
    .from(authorizations)
    .where(and(eq(serverId, ofServerId), lte(expiresAt, newestInExcess)))
    .orderBy(expiresAt)
    .limit(deletedAtATime)
    .for('update', { skipLocked: true });
  await db.delete(authorizations).where(inArray(stateHash, inExcess));
};

/** Succeeds once, in the same browser and in time: of several requests with one state, one gets it. */
export const claimAuthorization = async (db: Queryable, hash: string, browserHash: string) => {
  const [claimed] = await db
    .update(authorizations)
    .set({ usedAt: sql`now()` })
    .where(
      and(
        eq(stateHash, hash),
        eq(authorizations.browserHash, browserHash),
        isNull(authorizations.usedAt),
        gt(expiresAt, sql`now()`),
      ),
    )
    .returning();
  return claimed;
};

export type Authorization = NonNullable<Awaited<ReturnType<typeof claimAuthorization>>>;

/** The server of a state that is no longer valid, so that its error page can link to the start. */
export const findServerOfState = async (db: Queryable, hash: string) => {
  const [found] = await db.select({ serverId }).from(authorizations).where(eq(stateHash, hash));
  return found?.serverId;
};

export const deleteExpiredAuthorizations = (db: Queryable, limit: number): Promise<number> =>
  deleteSome(db, stateHash, lt(expiresAt, sql`now()`), limit);

export const purgeAuthorizations = purgeByServer(authorizations, stateHash);
