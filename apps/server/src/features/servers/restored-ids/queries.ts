import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { purgeByPlace } from '../../../db/queries/purge-rows.ts';
import { type RestoredSort, restoredIds } from '../table.ts';

const { accountId, sort, oldId, newId, serverId, createdAt } = restoredIds;

type NewRow = Omit<typeof restoredIds.$inferInsert, 'createdAt'>;

const rowsPerInsert = 500;

/** An id that is given again, by a restore that took it for the backup's, counts as newly given. */
export const recordRestoredIds = async (tx: Transaction, rows: NewRow[]): Promise<void> => {
  for (let from = 0; from < rows.length; from += rowsPerInsert) {
    await tx
      .insert(restoredIds)
      .values(rows.slice(from, from + rowsPerInsert))
      .onConflictDoUpdate({
        target: [accountId, sort, oldId, newId],
        set: {
          createdAt: sql`now()`,
          serverId: sql`excluded.server_id`,
          guildId: sql`excluded.guild_id`,
        },
      });
  }
};

/** Many restores of a full guild. */
const maxRowsOfServer = 20_000;

/** Drops the oldest beyond the limit, so that the rows of a server stay bounded. */
export const pruneRestoredIds = async (
  tx: Transaction,
  owner: { accountId: string; serverId: string },
): Promise<void> => {
  const ofServer = and(eq(serverId, owner.serverId), eq(accountId, owner.accountId));
  const [oldestKept] = await tx
    .select({ createdAt })
    .from(restoredIds)
    .where(ofServer)
    .orderBy(desc(createdAt))
    .offset(maxRowsOfServer - 1)
    .limit(1);
  if (!oldestKept) return;
  await tx.delete(restoredIds).where(and(ofServer, lt(createdAt, oldestKept.createdAt)));
};

export const purgeRestoredIds = purgeByPlace(restoredIds);

/** Snowflakes are unique over all guilds, so a chain may lead through several of them. */
export const listGivenIds = (
  db: Queryable,
  ownerId: string,
  ofSort: RestoredSort,
  oldIds: string[],
  { onlyCreated }: { onlyCreated: boolean },
) =>
  db
    .select({ oldId, newId })
    .from(restoredIds)
    .where(
      and(
        ...[eq(accountId, ownerId), eq(sort, ofSort), inArray(oldId, oldIds)],
        onlyCreated ? eq(restoredIds.isCreated, true) : undefined,
      ),
    )
    .orderBy(desc(createdAt), desc(newId));
