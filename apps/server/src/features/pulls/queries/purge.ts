import { eq, lt, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { deleteSome } from '../../../db/queries/purge-rows.ts';
import { pullMembers, pulls } from '../table.ts';

const deleteMembersOf = async (db: Queryable, ofPulls: SQL, limit: number): Promise<number> => {
  const { pullId, seq } = pullMembers;
  const some = db
    .select({ pullId, seq })
    .from(pullMembers)
    .innerJoin(pulls, eq(pulls.id, pullId))
    .where(ofPulls)
    .limit(limit);
  const deleted = await db
    .delete(pullMembers)
    .where(sql`(${pullId}, ${seq}) in ${some}`)
    .returning({ seq });
  return deleted.length;
};

/** Members first, then the pulls: one pull may have a hundred thousand members. */
export const purgePulls = async (
  db: Queryable,
  serverId: string,
  limit: number,
): Promise<number> => {
  const ofServer = eq(pulls.serverId, serverId);
  const deleted = await deleteMembersOf(db, ofServer, limit);
  return deleted > 0 ? deleted : deleteSome(db, pulls.id, ofServer, limit);
};

/** Deletes the members of old pulls with their results; the counts stay with the pull. */
export const deleteOldPullMembers = (
  db: Queryable,
  { afterDays, limit }: { afterDays: number; limit: number },
): Promise<number> =>
  deleteMembersOf(
    db,
    lt(pulls.completedAt, sql`now() - make_interval(days => ${afterDays})`),
    limit,
  );
