import type { SQL } from 'bun';

/**
 * Makes every second transaction that writes to the table fail at its commit with a serialization failure
 * (40001), as PostgreSQL does; it is rolled back. The count survives, because sequences are not rolled back.
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

/**
 * Loses transactions that audit something of an account in this way, from the call of the function that it
 * gives. Those of other accounts, as of jobs that still run, are not counted.
 */
export const prepareLostAudits = async (sql: SQL) => {
  await sql`create function lose_audits() returns trigger language plpgsql as $$
    declare
      tried regclass := to_regclass('audits_tried_' || replace(new.account_id::text, '-', ''));
    begin
      if tried is null
        or current_setting('holdfast.was_judged', true) = pg_current_xact_id()::text then
        return null;
      end if;
      perform set_config('holdfast.was_judged', pg_current_xact_id()::text, true);
      if nextval(tried) % 2 = 1 then
        raise exception 'lost to another' using errcode = '40001';
      end if;
      return null;
    end $$;
    create constraint trigger lose_audits after insert on audit_entries
      deferrable initially deferred for each row execute function lose_audits()`.simple();
  return async (accountId: string) => {
    const sequence = `audits_tried_${accountId.replaceAll('-', '')}`;
    await sql.unsafe(`create sequence ${sequence}`);
    return {
      countTried: async (): Promise<number> =>
        (await sql.unsafe(`select last_value::int as n from ${sequence}`))[0].n,
    };
  };
};

/** Who wrote: the user of the database, or the name of the connection. */
type Writer = { user: string } | { connection: string };

/** From now on the database records who writes rows of pulls and their members. */
export const watchWrites = async (sql: SQL): Promise<void> => {
  await sql`
    create table watched_writes (writer text, connection text);
    create function watch_write() returns trigger language plpgsql as $$
      begin
        insert into watched_writes values (session_user, current_setting('application_name'));
        return null;
      end $$;
    create trigger watched after insert or update or delete on pulls
      for each row execute function watch_write();
    create trigger watched after insert or update or delete on pull_members
      for each row execute function watch_write();`.simple();
};

export const countWrites = async (sql: SQL, writer: Writer): Promise<number> => {
  const [row] =
    'user' in writer
      ? await sql`select count(*)::int as n from watched_writes where writer = ${writer.user}`
      : await sql`
          select count(*)::int as n from watched_writes where connection = ${writer.connection}`;
  return row.n;
};
