import { and, eq, gt, isNull, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { servers } from '../../servers/table.ts';
import { tokenHealth } from '../table.ts';

type Server = { serverId: string; accountId: string };

/** Some servers, in the order of their ids. `isDue`: not checked since `before`. */
export const listServersToCheck = (
  db: Queryable,
  before: Date,
  { after, most }: { after: string; most: number },
) =>
  db
    .select({
      ...{ serverId: servers.id, accountId: servers.accountId },
      isDue: sql<boolean>`coalesce(${lt(tokenHealth.checkedAt, before)}, true)`,
    })
    .from(servers)
    // Twice `after`: else a merge join would read the other table from its beginning.
    .leftJoin(
      tokenHealth,
      and(eq(tokenHealth.serverId, servers.id), gt(tokenHealth.serverId, after)),
    )
    .where(and(isNull(servers.deletedAt), gt(servers.id, after)))
    .orderBy(servers.id)
    .limit(most);

/** Whether they were low at the last check; undefined where the server is deleted. */
export const lockTokenHealth = async (tx: Transaction, { serverId, accountId }: Server) => {
  const owned = tx
    .select({
      serverId: servers.id,
      accountId: servers.accountId,
      isLow: sql`false`.as('is_low'),
      checkedAt: sql`now()`.as('checked_at'),
    })
    .from(servers)
    .where(
      and(eq(servers.id, serverId), eq(servers.accountId, accountId), isNull(servers.deletedAt)),
    );
  const [row] = await tx
    .insert(tokenHealth)
    .select(owned)
    .onConflictDoUpdate({ target: tokenHealth.serverId, set: { accountId } })
    .returning({ isLow: tokenHealth.isLow });
  return row?.isLow;
};

export const storeTokenHealth = async (
  tx: Transaction,
  { serverId, accountId }: Server,
  checked: { isLow: boolean; checkedAt: Date },
): Promise<void> => {
  await tx
    .update(tokenHealth)
    .set(checked)
    .where(and(eq(tokenHealth.serverId, serverId), eq(tokenHealth.accountId, accountId)));
};
