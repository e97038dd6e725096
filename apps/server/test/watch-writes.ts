import type { SQL } from 'bun';

/** Who wrote: the user of the database, or the name of the connection. */
type Writer = { user: string } | { connection: string };

/** From now on the database notes who changes what a pull keeps, row by row. */
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
