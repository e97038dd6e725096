import type { SQL } from 'bun';

/** They hold from the next start on. */
export const changeSettings = async (sql: SQL, settings: Record<string, string>): Promise<void> => {
  await sql.unsafe('alter system reset all');
  for (const [name, value] of Object.entries(settings)) {
    await sql.unsafe(`alter system set ${name} = '${value}'`);
  }
};
