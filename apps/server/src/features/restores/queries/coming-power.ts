import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { restoredIds, servers } from '../../servers/table.ts';
import { restores } from '../table.ts';

type Owned = { accountId: string; serverId: string };

/** The power that restores under way in the guild of a server are to give to its roles, by their ids. */
export const findComingPower = async (
  db: Queryable,
  { accountId, serverId }: Owned,
): Promise<Map<string, bigint>> => {
  const guildId = db
    .select({ id: servers.platformGuildId })
    .from(servers)
    .where(and(eq(servers.id, serverId), eq(servers.accountId, accountId)));
  const rows = await db
    .select({
      restoreId: restores.id,
      coming: sql<Record<string, string> | null>`${restores.plan} -> 'coming'`,
      ids: sql<Record<string, string> | null>`${restores.plan} -> 'idMap' -> 'roles'`,
    })
    .from(restores)
    .where(
      and(
        eq(restores.accountId, accountId),
        inArray(restores.status, ['queued', 'snapshotting', 'running']),
        // Of the guild that it was planned for: its server can have been moved or deleted since.
        eq(sql`${restores.plan} ->> 'guildId'`, sql`(${guildId})`),
      ),
    );
  const power = new Map<string, bigint>();
  for (const { restoreId, coming, ids } of rows) {
    if (!coming || Object.keys(coming).length === 0) continue;
    const made = await listMadeRoles(db, accountId, restoreId);
    for (const [ref, bits] of Object.entries(coming)) {
      const id = made.get(ref) ?? ids?.[ref] ?? ref;
      power.set(id, (power.get(id) ?? 0n) | BigInt(bits));
    }
  }
  return power;
};

const listMadeRoles = async (db: Queryable, accountId: string, restoreId: string) => {
  const rows = await db
    .select({ oldId: restoredIds.oldId, newId: restoredIds.newId })
    .from(restoredIds)
    .where(
      and(
        eq(restoredIds.accountId, accountId),
        eq(restoredIds.restoreId, restoreId),
        eq(restoredIds.sort, 'roles'),
      ),
    );
  return new Map(rows.map(({ oldId, newId }) => [oldId, newId]));
};
