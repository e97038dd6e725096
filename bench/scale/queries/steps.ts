import type { SQL } from 'bun';

export type Step = { name: string; statements: string };

export const isDone = async (sql: SQL, { name }: Step): Promise<boolean> => {
  const found = await sql`select from scale.done where step = ${name}`;
  return found.length > 0;
};

/** Emptied in the same transaction, a table is filled without a line in the write-ahead log. */
export const runStep = (sql: SQL, { name, statements }: Step): Promise<number> =>
  sql.begin(async (tx) => {
    if (!name.startsWith('scale.')) await tx.unsafe(`truncate ${name}`);
    await tx.unsafe(statements);
    const [{ rows }] = await tx.unsafe(`select count(*)::float8 as rows from ${name}`);
    await tx`insert into scale.done values (${name}, ${rows}, clock_timestamp() - now())`;
    return rows;
  });

export const vacuum = async (sql: SQL, name: string): Promise<void> => {
  await sql.unsafe(`vacuum (analyze) ${name}`).simple();
};

export const finish = async (sql: SQL): Promise<void> => {
  await sql.unsafe('analyze').simple();
  await sql.unsafe('checkpoint').simple();
};

export const readSize = async (sql: SQL): Promise<number> => {
  const [{ bytes }] = await sql`select pg_database_size(current_database())::float8 as bytes`;
  return bytes;
};

/** As many as the members take turns in; even, see `scale.slots`. */
export const countSlots = async (sql: SQL): Promise<number> => {
  const [{ slots }] = await sql`select ((max(slot) + 2) / 2 * 2)::float8 as slots from scale.slots`;
  return slots;
};
