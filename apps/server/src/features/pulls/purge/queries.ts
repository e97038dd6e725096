import { eq, inArray, sql } from 'drizzle-orm';
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
