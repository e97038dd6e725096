import type { RuleType } from '@holdfast/contract';
import { and, desc, eq } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { countRows } from '../../db/queries/list-page.ts';
import { firstRow } from '../../db/queries/rows.ts';
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

/** Undefined if the server has a rule of that type and value already (spec 4.1 rule 2). */
export const insertRule = (tx: Transaction, table: RuleTable, row: RuleTable['$inferInsert']) =>
  firstRow(tx.insert(table).values(row).onConflictDoNothing().returning(ruleFields(table)));

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

export const countRules = (db: Queryable, table: RuleTable, server: Server): Promise<number> =>
  countRows(db, table, ofServer(table, server));

/** Whether the server has a rule of this type, with this value if one is given. */
export const hasRule = async (
  db: Queryable,
  table: RuleTable,
  server: Server,
  type: RuleType,
  value?: string,
): Promise<boolean> => {
  const hasValue = value === undefined ? undefined : eq(table.value, value);
  const found = await db
    .select({ id: table.id })
    .from(table)
    .where(and(ofServer(table, server), eq(table.type, type), hasValue))
    .limit(1);
  return found.length > 0;
};
