import type { SQL } from 'bun';

/** What a server says of itself. The newest history has the highest timeline: each promotion begins one. */
export type Standing = { takesWrites: boolean; system: string; timeline: number };

/** By the simple protocol, which every pooler supports in every mode. */
export const readStanding = async (client: SQL): Promise<Standing> => {
  const [row] = await client`select
    not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as "takesWrites",
    (select system_identifier::text from pg_control_system()) as system,
    case when not pg_is_in_recovery()
      then left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) end as timeline`.simple();
  const timeline = Number.parseInt(row?.timeline ?? '0', 16);
  return { takesWrites: row?.takesWrites === true, system: String(row?.system), timeline };
};
