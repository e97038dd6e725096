import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { isDeleted } from '../../features/accounts/queries.ts';
import { accounts } from '../../features/accounts/table.ts';

const ourSchemas = sql.raw(`('public', 'pgboss')`);
/** Numbers about the past, in partitions by day that a new database does not have. */
const leftOut = sql.raw(`('pgboss.queue_stats', 'pgboss.warning')`);

const tableRow = z.object({ name: z.string(), columns: z.array(z.string()) });
export type DumpedTable = z.output<typeof tableRow>;

/** Our tables and those of the queue, with the columns that are written: names as SQL quotes them. */
export const listTables = async (db: Queryable): Promise<DumpedTable[]> => {
  const rows = await db.execute(sql`
    select format('%I.%I', space.nspname, class.relname) as name, array(
      select format('%I', attname) from pg_attribute
      where attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = ''
      order by attnum) as columns
    from pg_class class join pg_namespace space on space.oid = class.relnamespace
    where space.nspname in ${ourSchemas} and class.relkind in ('r', 'p') and not class.relispartition
      and format('%s.%s', space.nspname, class.relname) not in ${leftOut}
    order by 1`);
  return rows.map((row) => tableRow.parse(row));
};

/** So that what is written as text is read back as the same value, whatever the role's settings are. */
export const fixTextForms = async (tx: Transaction): Promise<void> => {
  await tx.execute(sql`
    select set_config('datestyle', 'ISO', true), set_config('intervalstyle', 'iso_8601', true),
      set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true),
      set_config('timezone', 'UTC', true)`);
};

const cursor = sql.raw('self_backup_rows');

/** Each row as a JSON array of texts. */
export const openRows = async (tx: Transaction, { name, columns }: DumpedTable): Promise<void> => {
  const texts = columns.map((column) => `${column}::text`).join(', ');
  const rows = sql.raw(`select json_build_array(${texts})::text as line from ${name}`);
  await tx.execute(sql`declare ${cursor} no scroll cursor for ${rows}`);
};

export const fetchRows = async (tx: Transaction, count: number): Promise<string[]> => {
  const rows = await tx.execute(sql`fetch ${sql.raw(String(count))} from ${cursor}`);
  return rows.map(({ line }) => String(line));
};

export const closeRows = (tx: Transaction) => tx.execute(sql`close ${cursor}`);

const sequenceRow = z.object({ sequence: z.string(), value: z.string() });
export type Sequence = z.output<typeof sequenceRow>;

/** Those that gave a number; the others begin anew. */
export const listSequences = async (db: Queryable) => {
  const rows = await db.execute(sql`
    select format('%I.%I', schemaname, sequencename) as sequence, last_value::text as value
    from pg_sequences where schemaname in ${ourSchemas} and last_value is not null order by 1`);
  return rows.map((row) => sequenceRow.parse(row));
};

export const listAllSequences = async (db: Queryable): Promise<string[]> => {
  const rows = await db.execute(sql`
    select format('%I.%I', schemaname, sequencename) as sequence
    from pg_sequences where schemaname in ${ourSchemas}`);
  return rows.map(({ sequence }) => String(sequence));
};

export const setSequence = (tx: Transaction, { sequence, value }: Sequence) =>
  tx.execute(sql`select setval(${sequence}::regclass, ${value}::bigint)`);

/** Whether anything of ours, or of anybody, is in the database. */
export const isEmptyDatabase = async (db: Queryable): Promise<boolean> => {
  const [row] = await db.execute(sql`
    select not exists (
      select from pg_class class join pg_namespace space on space.oid = class.relnamespace
      where class.relkind in ('r', 'p', 'S', 'v', 'm')
        and space.nspname !~ '^pg_' and space.nspname <> 'information_schema'
        and not exists (select from pg_depend where objid = class.oid and deptype = 'e')
    ) as "isEmpty"`);
  return row?.isEmpty === true;
};

const constraintRow = z.object({ table: z.string(), name: z.string(), definition: z.string() });
type Constraint = z.output<typeof constraintRow>;

/** Foreign keys would demand an order of the tables, and triggers would count what is counted already. */
export const takeOffChecks = async (tx: Transaction, tables: string[]): Promise<Constraint[]> => {
  const rows = await tx.execute(sql`
    select conrelid::regclass::text as table, format('%I', conname) as name,
      pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f' and conparentid = 0
      and connamespace in (select oid from pg_namespace where nspname in ${ourSchemas})`);
  const constraints = rows.map((row) => constraintRow.parse(row));
  for (const { table, name } of constraints) {
    await tx.execute(sql.raw(`alter table ${table} drop constraint ${name}`));
  }
  for (const table of tables) {
    await tx.execute(sql.raw(`alter table ${table} disable trigger user`));
    await tx.execute(sql.raw(`delete from ${table}`));
  }
  return constraints;
};

/** Adding a foreign key checks all rows. */
export const putChecksBack = async (
  tx: Transaction,
  tables: string[],
  constraints: Constraint[],
): Promise<void> => {
  for (const table of tables) {
    await tx.execute(sql.raw(`alter table ${table} enable trigger user`));
  }
  for (const { table, name, definition } of constraints) {
    await tx.execute(sql.raw(`alter table ${table} add constraint ${name} ${definition}`));
  }
};

/** The type of each column, in the order of the columns. */
export const listColumnTypes = async (
  tx: Transaction,
  { name, columns }: DumpedTable,
): Promise<string[]> => {
  const rows = await tx.execute(sql`
    select format('%I', attname) as "column", format_type(atttypid, atttypmod) as type
    from pg_attribute where attrelid = ${name}::regclass and attnum > 0 and not attisdropped`);
  const types = new Map(rows.map(({ column, type }) => [String(column), String(type)]));
  return columns.map((column) => {
    const type = types.get(column);
    if (type === undefined) throw new Error(`The table ${name} has no column ${column}`);
    return type;
  });
};

/** `lines` as `fetchRows` gave them; returns how many rows there are now more. */
export const insertRows = async (
  tx: Transaction,
  { name, columns }: DumpedTable,
  types: string[],
  lines: string[],
): Promise<void> => {
  const values = types.map((type, index) => `(line ->> ${index})::${type}`).join(', ');
  const into = sql.raw(`${name} (${columns.join(', ')}) overriding system value select ${values}`);
  await tx.execute(sql`
    insert into ${into} from json_array_elements(${`[${lines.join(',')}]`}::text::json) as line`);
};

export const listAllAccounts = (db: Queryable) =>
  db.select({ accountId: accounts.id, isDeleted }).from(accounts).orderBy(accounts.id);

/** After so many rows PostgreSQL's own look at them may be hours away. */
export const analyze = (db: Queryable) => db.execute(sql`analyze`);
