import { and, count, desc, eq, inArray } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import type { RuleTable } from './table.ts';

type Server = { id: string; accountId: string };

const ofServer = (table: RuleTable, server: Server) =>
  and(eq(table.serverId, server.id), eq(table.accountId, server.accountId));

const ruleFields = ({ id, serverId, type, value, note, createdAt }: RuleTable) => ({
  id,
  serverId,
  type,
  value,
  note,
  createdAt,
});

export const listRules = (db: Queryable, table: RuleTable, server: Server) =>
  db
    .select(ruleFields(table))
    .from(table)
    .where(ofServer(table, server))
    .orderBy(desc(table.createdAt), desc(table.id));

/** Undefined where the server has a rule of that type and value already (spec 4.1 rule 2). */
export const insertRule = async (
  tx: Transaction,
  table: RuleTable,
  row: RuleTable['$inferInsert'],
) => {
  const [rule] = await tx
    .insert(table)
    .values(row)
    .onConflictDoNothing()
    .returning(ruleFields(table));
  return rule;
};

export const deleteRule = async (
  tx: Transaction,
  table: RuleTable,
  server: Server,
  ruleId: string,
) => {
  const [rule] = await tx
    .delete(table)
    .where(and(eq(table.id, ruleId), ofServer(table, server)))
    .returning({ id: table.id, type: table.type, value: table.value });
  return rule;
};

export const countRules = async (
  db: Queryable,
  table: RuleTable,
  server: Server,
): Promise<number> => {
  const [counted] = await db.select({ total: count() }).from(table).where(ofServer(table, server));
  return counted?.total ?? 0;
};

/** For a server marked deleted: no owner to ask for any more. */
export const purgeRules =
  (table: RuleTable) =>
  async (db: Queryable, serverId: string, most: number): Promise<number> => {
    const some = db
      .select({ id: table.id })
      .from(table)
      .where(eq(table.serverId, serverId))
      .limit(most);
    const gone = await db.delete(table).where(inArray(table.id, some)).returning({ id: table.id });
    return gone.length;
  };
