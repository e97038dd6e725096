import type { SQL } from 'bun';

/**
 * What stands in a load's way, to be made again after it: foreign keys, unique and primary keys, indexes and
 * triggers. `scale.later` remembers them, so that a load that was interrupted goes on.
 */
const createScale = `
  create schema scale;
  create table scale.done (step text primary key, rows bigint, took interval);
  create function scale.id_at(kind int, no bigint, at timestamptz) returns uuid language sql immutable as $$
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(kind), 3, '0')
      || '8' || lpad(to_hex(no), 15, '0'))::uuid
  $$;
  create table scale.later as
  select row_number() over (order by conindid) as no, conrelid::regclass::text as relation, 'key' as kind,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make,
    format('alter table %s drop constraint %I cascade', conrelid::regclass, conname) as take
  from pg_constraint where contype in ('p', 'u') and connamespace = 'public'::regnamespace
  union all
  select 1000 + row_number() over (order by indexrelid), indrelid::regclass::text, 'index',
    pg_get_indexdef(indexrelid), format('drop index %s', indexrelid::regclass)
  from pg_index join pg_class on pg_class.oid = indexrelid
  where relnamespace = 'public'::regnamespace
    and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))
  union all
  select 2000 + row_number() over (order by oid), conrelid::regclass::text, 'reference',
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)),
    format('alter table %s drop constraint if exists %I', conrelid::regclass, conname)
  from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace
  union all
  select 3000 + row_number() over (order by pg_trigger.oid), tgrelid::regclass::text, 'reference',
    format('alter table %s enable trigger %I', tgrelid::regclass, tgname),
    format('alter table %s disable trigger %I', tgrelid::regclass, tgname)
  from pg_trigger join pg_class on pg_class.oid = tgrelid
  where not tgisinternal and relnamespace = 'public'::regnamespace`;

export const takeAway = async (sql: SQL): Promise<void> => {
  const [{ schema }] = await sql`select to_regnamespace('scale')::text as schema`;
  if (schema !== null) return;
  await sql.begin(async (tx) => {
    await tx.unsafe(createScale);
    const taken = await tx`select take from scale.later order by kind = 'reference' desc, no`;
    for (const { take } of taken) await tx.unsafe(take);
  });
};

type Later = { no: string; kind: string; make: string };

/** Those of one table, keys before other indexes. */
export const makeKeysOf = async (sql: SQL, relation: string): Promise<void> => {
  const wanted: Later[] = await sql`
    select no, kind, make from scale.later where relation = ${relation} and kind <> 'reference' order by no`;
  await make(sql, wanted);
};

/** Foreign keys and triggers, once all tables have their keys. */
export const makeReferences = async (sql: SQL): Promise<void> => {
  await make(sql, await sql`select no, kind, make from scale.later order by no`);
};

const make = async (sql: SQL, wanted: Later[]): Promise<void> => {
  for (const { no, make } of wanted) {
    await sql.begin(async (tx) => {
      await tx.unsafe(make);
      await tx`delete from scale.later where no = ${no}`;
    });
  }
};
