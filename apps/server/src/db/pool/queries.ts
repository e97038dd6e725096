import type { SQL } from 'bun';

/** Proves that the server answers. On a bare client, so that it works before drizzle is connected. */
export const ask = (client: SQL) => client`select 1`;

/**
 * Whether PostgreSQL works on a statement of a session of this name, or waits for a lock with it. A
 * session that only waits for its client to read the answer is not active.
 */
export const isSessionActive = async (client: SQL, applicationName: string): Promise<boolean> => {
  const [row] = await client`select exists (
    select from pg_stat_activity
    where application_name = ${applicationName} and pid <> pg_backend_pid() and state = 'active'
      and wait_event_type is distinct from 'Client') as "isActive"`;
  return row?.isActive === true;
};
