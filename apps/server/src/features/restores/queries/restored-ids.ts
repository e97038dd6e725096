import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { restoredIds } from '../../servers/table.ts';
import { emptyIdMap, type IdMap } from '../plan/id-map.ts';
import { restores } from '../table.ts';

export type RestoreTarget = {
  accountId: string;
  serverId: string;
  backupId: string;
  guildId: string;
};

/**
 * What restores of this backup created in the guild that ended unfinished, the newest where several
 * created the same. Those before the last completed restore do not count: it replaced what they made.
 */
export const findUnfinishedIds = async (db: Queryable, target: RestoreTarget): Promise<IdMap> => {
  const ofTarget = and(
    eq(restores.accountId, target.accountId),
    eq(restores.serverId, target.serverId),
  );
  const lastCompleted = db
    .select({ at: sql<Date>`coalesce(max(${restores.createdAt}), '-infinity')` })
    .from(restores)
    .where(and(ofTarget, eq(restores.status, 'completed')));
  const rows = await db
    .select({ sort: restoredIds.sort, oldId: restoredIds.oldId, newId: restoredIds.newId })
    .from(restoredIds)
    .innerJoin(restores, eq(restores.id, restoredIds.restoreId))
    .where(
      and(
        ofTarget,
        eq(restores.backupId, target.backupId),
        inArray(restores.status, ['partial', 'failed', 'cancelled']),
        gt(restores.createdAt, sql`(${lastCompleted})`),
        eq(restoredIds.accountId, target.accountId),
        eq(restoredIds.guildId, target.guildId),
        eq(restoredIds.isCreated, true),
      ),
    )
    .orderBy(asc(restoredIds.createdAt), asc(restoredIds.newId));
  const ids = emptyIdMap();
  for (const { sort, oldId, newId } of rows) ids[sort][oldId] = newId;
  return ids;
};
