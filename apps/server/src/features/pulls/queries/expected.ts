import { and, desc, eq, gt, inArray, isNotNull, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { countRows } from '../../../db/queries/list-page.ts';
import { members } from '../../members/table.ts';
import { pulls } from '../table.ts';

export const countNamedPullable = (
  db: Queryable,
  server: { id: string; accountId: string },
  memberIds: string[],
): Promise<number> =>
  countRows(
    db,
    members,
    and(
      eq(members.serverId, server.id),
      eq(members.accountId, server.accountId),
      eq(members.pullable, true),
      inArray(members.id, memberIds),
    ),
  );

/** Results that came at the pace of the bucket, enough of them to tell its pace. */
const leastMeasured = 10;

/** The pace of the last such pull; undefined where none was long enough to tell. */
export const findSecondsPerMember = async (
  db: Queryable,
  {
    accountId,
    serverId,
    targetServerId,
  }: Record<'accountId' | 'serverId' | 'targetServerId', string>,
): Promise<number | undefined> => {
  const measured = sql`${pulls.processed} - ${pulls.firstBurst}`;
  const [last] = await db
    .select({
      seconds: sql<number>`
        extract(epoch from ${pulls.completedAt} - ${pulls.firstResultAt})::float8 / (${measured})`,
    })
    .from(pulls)
    .where(
      and(
        eq(pulls.accountId, accountId),
        eq(pulls.serverId, serverId),
        eq(pulls.targetServerId, targetServerId),
        isNotNull(pulls.completedAt),
        isNotNull(pulls.firstResultAt),
        gt(measured, leastMeasured),
      ),
    )
    .orderBy(desc(pulls.createdAt))
    .limit(1);
  return last && Math.max(0, last.seconds);
};
