import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Database, Queryable, Transaction } from '../../../db/connect.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import { hasWithheldRoles, servers } from '../table.ts';
import type { RolePower } from './read-powers.ts';

type Owned = { accountId: string; serverId: string };

const owned = ({ accountId, serverId }: Owned) =>
  and(eq(servers.id, serverId), eq(servers.accountId, accountId), isNull(servers.deletedAt));

/** What a person has confirmed of the role, as long as the server points at it. */
export const storeConfirmedRole = async (
  tx: Transaction,
  owner: Owned,
  role: RolePower | null,
): Promise<void> => {
  const confirmedRole = role && { roleId: role.roleId, power: String(role.power) };
  await tx.update(servers).set({ confirmedRole }).where(owned(owner));
};

/** False where that was known. */
export const storeWithheldRole = (
  tx: Transaction,
  owner: Owned,
  { roleId, power }: RolePower,
): Promise<boolean> => {
  const bits = String(power);
  return hasRows(
    tx
      .update(servers)
      .set({
        withheldRoles: sql`${servers.withheldRoles} || jsonb_build_object(${roleId}::text, ${bits}::text)`,
      })
      .where(
        and(owned(owner), sql`${servers.withheldRoles} ->> ${roleId} is distinct from ${bits}`),
      )
      .returning({ id: servers.id }),
  );
};

/** Only while the server still has the verified role by which it was found that they are over. */
export const forgetWithheldRoles = async (
  db: Queryable,
  owner: Owned,
  roleIds: readonly string[],
  verifiedRoleId: string | null,
): Promise<void> => {
  const ids = JSON.stringify(roleIds);
  await db
    .update(servers)
    .set({
      withheldRoles: sql`${servers.withheldRoles}
        - array(select jsonb_array_elements_text(${ids}::text::jsonb))`,
    })
    .where(
      and(
        owned(owner),
        sql`${servers.verifiedRoleId} is not distinct from ${verifiedRoleId}::text`,
      ),
    );
};

export type WithholdingServer = Awaited<ReturnType<typeof listServersThatWithhold>>[number];

/** Servers with roles that are given to nobody at present. */
export const listServersThatWithhold = (db: Database, after: string, most: number) =>
  db
    .select({
      serverId: servers.id,
      accountId: servers.accountId,
      botId: sql<string>`${servers.customBotId}`,
      guildId: servers.platformGuildId,
      verifiedRoleId: servers.verifiedRoleId,
      confirmedRole: servers.confirmedRole,
      withheldRoles: servers.withheldRoles,
    })
    .from(servers)
    .where(and(hasWithheldRoles, gt(servers.id, after)))
    .orderBy(servers.id)
    .limit(most);
