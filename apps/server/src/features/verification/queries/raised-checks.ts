import { and, eq, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { purgeByServer } from '../../../db/queries/purge-rows.ts';
import { raisedChecks } from '../table.ts';

const { serverId, accountId, until } = raisedChecks;

type RaisedChecks = typeof raisedChecks.$inferInsert;

/** Newcomers of the server are checked at least so strictly until then, or until `lowerChecks`. */
export const raiseChecks = async (tx: Transaction, raised: RaisedChecks): Promise<void> => {
  const { captchaType, minAccountAgeDays } = raised;
  await tx
    .insert(raisedChecks)
    .values(raised)
    .onConflictDoUpdate({
      target: serverId,
      set: { captchaType, minAccountAgeDays, until: raised.until },
      setWhere: eq(accountId, raised.accountId),
    });
};

/** What the owner has set applies again. */
export const lowerChecks = async (
  tx: Transaction,
  server: { accountId: string; serverId: string },
): Promise<void> => {
  await tx
    .delete(raisedChecks)
    .where(and(eq(serverId, server.serverId), eq(accountId, server.accountId)));
};

/** Those that nobody lowered have no effect any more. */
export const deleteEndedChecks = async (db: Queryable): Promise<void> => {
  await db.delete(raisedChecks).where(lt(until, sql`now()`));
};

export const purgeRaisedChecks = purgeByServer(raisedChecks, serverId);
