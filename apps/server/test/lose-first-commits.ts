import type { SQL } from 'bun';

/**
 * Has every transaction that writes to the table lost to another one once, at its commit, as PostgreSQL
 * does it to one that it ends: it is rolled back whole. The counting is not, because sequences never are.
 * Of transactions one after the other every second is kept.
 */
export const loseFirstCommits = async (sql: SQL, table: string): Promise<void> => {
  await sql`create sequence if not exists commits_tried`.simple();
  await sql`create or replace function lose_every_other() returns trigger language plpgsql as $$
    begin
      if current_setting('holdfast.was_judged', true) = pg_current_xact_id()::text then
        return null;
      end if;
      perform set_config('holdfast.was_judged', pg_current_xact_id()::text, true);
      if nextval('commits_tried') % 2 = 1 then
        raise exception 'lost to another' using errcode = '40001';
      end if;
      return null;
    end $$`.simple();
  await sql.unsafe(`create constraint trigger lose_every_other after insert or update or delete
    on ${table} deferrable initially deferred for each row execute function lose_every_other()`);
};
