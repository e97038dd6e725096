import { eq, inArray, lt, sql } from 'drizzle-orm';
import type { Database } from '../../../db/connect.ts';
import type { ServerPurger } from '../../servers/jobs.ts';
import { pullMembers, pulls } from '../table.ts';

/** Whom the pulls called first, then the pulls: there may be a hundred thousand rows to one of them. */
export const purgePulls: ServerPurger = async (tx, serverId, most) => {
  const { pullId, seq } = pullMembers;
  const called = tx
    .select({ pullId, seq })
    .from(pullMembers)
    .innerJoin(pulls, eq(pulls.id, pullId))
    .where(eq(pulls.serverId, serverId))
    .limit(most);
  const gone = await tx
    .delete(pullMembers)
    .where(sql`(${pullId}, ${seq}) in ${called}`)
    .returning({ seq });
  if (gone.length > 0) return gone.length;
  const some = tx
    .select({ id: pulls.id })
    .from(pulls)
    .where(eq(pulls.serverId, serverId))
    .limit(most);
  const emptied = await tx.delete(pulls).where(inArray(pulls.id, some)).returning({ id: pulls.id });
  return emptied.length;
};

/** Whom pulls of long ago called, and what came of each; their sums stay with the pull. */
export const forgetCalledMembers = async (
  db: Database,
  { afterDays, most }: { afterDays: number; most: number },
): Promise<number> => {
  const { pullId, seq } = pullMembers;
  const old = db
    .select({ pullId, seq })
    .from(pullMembers)
    .innerJoin(pulls, eq(pulls.id, pullId))
    .where(lt(pulls.completedAt, sql`now() - make_interval(days => ${afterDays})`))
    .limit(most);
  const gone = await db
    .delete(pullMembers)
    .where(sql`(${pullId}, ${seq}) in ${old}`)
    .returning({ seq });
  return gone.length;
};
