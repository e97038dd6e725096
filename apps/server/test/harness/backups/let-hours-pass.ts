import type { SQL } from 'bun';

/** As if so many hours had gone by since the backups of a server. */
export const letHoursPass = (sql: SQL, serverId: string, hours: number) =>
  sql.begin(async (tx) => {
    // First the server, as the service locks them.
    await tx`
      update servers set last_scheduled_at = last_scheduled_at - make_interval(hours => ${hours})
      where id = ${serverId}`;
    await tx`
      update backups set created_at = created_at - make_interval(hours => ${hours})
      where server_id = ${serverId}`;
  });
